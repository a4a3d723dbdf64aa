//! A hospital with 461 patients, what it tells, and what may be true given that.
//!
//! | module | holds |
//! |---|---|
//! | `patients` | the table: how many patients have which drug, result, clinic and job |
//! | `asked` | the hospital as a site, and somebody who chooses what it is asked |
//! | `two_by_two` | all tables of two variables with two values, by their statistics |
//! | `search` | other patients of whom the hospital would have told the same |

pub(crate) mod asked;
pub(crate) mod patients;
pub(crate) mod search;
pub(crate) mod two_by_two;
