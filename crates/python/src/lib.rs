//! fedcdi for Python: values in, values out, no logic of its own.
//!
//! The package `fedcdi` (in `python/`) is what people import; this module is what it is made from. All work
//! runs without the interpreter's lock, on threads of its own, and stops on Ctrl-C.
//!
//! | module | holds |
//! |---|---|
//! | `failure` | our errors as exceptions, with remedies in Python's words |
//! | `table` | data frames and arrays as tables |
//! | `study` | `study::Study`: the tables of one or several sites |
//! | `run` | `run::Run`: what a run came to |
//! | `learn` | discovery on one table and among sites |
//! | `watch` | progress, Ctrl-C, threads |
//! | `own` | rules and methods that are written in Python |
//! | `parties` | site and coordinator of a study between institutions |

mod failure;
mod learn;
mod own;
mod parties;
mod run;
mod study;
mod table;
mod watch;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<study::Study>()?;
    module.add_class::<run::Run>()?;
    module.add_class::<parties::Site>()?;
    module.add_class::<parties::Coordinator>()?;
    module.add_function(wrap_pyfunction!(learn::learn, module)?)?;
    module.add_function(wrap_pyfunction!(learn::methods, module)?)?;
    module.add_function(wrap_pyfunction!(study::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(parties::provision, module)?)
}
