//! What the clients of a simulation answered last.
//!
//! A simulation plays all sites, so it may look at what never leaves a client; the coordinator may not.

use std::sync::{Arc, Mutex};

use fedcdi_core::{Belief, EdgeTest, LocalMethod, LocalMethodError, Round};

/// A client's last answer, shared with its [`Recorded`] method.
pub(crate) type LastAnswer = Arc<Mutex<Option<Answer>>>;

/// What a client made of the belief it was sent.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) prior: Belief,
    pub(crate) posterior: Belief,
    /// Whether its training ran out of iterations.
    pub(crate) unfinished: bool,
}

/// The answer, if there was one yet.
pub(crate) fn read(last: &LastAnswer) -> Option<Answer> {
    let last = last.lock().expect("no holder of the lock can panic");
    last.clone()
}

/// A method whose last answer can be looked at.
pub(crate) struct Recorded {
    pub(crate) method: Box<dyn LocalMethod>,
    pub(crate) last: LastAnswer,
}

impl LocalMethod for Recorded {
    fn update(&mut self, round: Round, prior: &Belief) -> Result<Belief, LocalMethodError> {
        let posterior = self.method.update(round, prior)?;
        let answer = Answer {
            prior: prior.clone(),
            posterior: posterior.clone(),
            unfinished: self.method.is_unfinished(),
        };
        *self.last.lock().expect("no holder of the lock can panic") = Some(answer);
        Ok(posterior)
    }

    fn is_unfinished(&self) -> bool {
        self.method.is_unfinished()
    }

    fn tests(&self, belief: &Belief) -> Vec<EdgeTest> {
        self.method.tests(belief)
    }

    fn tests_of_absent(&self, belief: &Belief) -> Vec<EdgeTest> {
        self.method.tests_of_absent(belief)
    }
}
