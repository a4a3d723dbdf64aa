//! Word from a running method: what it is doing, how far it is, whether to go on.

/// What a method is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Fitting conditionals to observational rows.
    Distribution,
    /// Fitting existence and orientation.
    Graph,
    /// Fitting conditionals and edges together.
    Joint,
    /// Looking for the next move of a search over graphs; rounds are moves.
    Search,
    /// Searching from several starts.
    Starts,
    /// Testing; nobody knows how many tests there will be.
    Tests,
}

/// How far a method is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Round, from 0.
    pub round: usize,
    /// Epoch within the round, from 0.
    pub epoch: usize,
    /// Stage within the epoch.
    pub stage: Stage,
    /// Units of this stage that are done: networks in [`Stage::Distribution`], new scores of the
    /// candidates for a move in [`Stage::Search`], starts in [`Stage::Starts`], tests in
    /// [`Stage::Tests`], else steps.
    pub done: usize,
    /// Units of this stage; 0 where that is not known.
    pub total: usize,
    /// Edges with positive existence and orientation at the moment.
    pub n_edges: usize,
}

/// Someone who watches. Calls come from worker threads, a few hundred per second at most.
pub trait Observer: Send + Sync {
    /// Something moved.
    fn progress(&self, progress: &Progress);

    /// Whether to stop at the next opportunity.
    fn is_cancelled(&self) -> bool {
        false
    }
}

impl<F: Fn(&Progress) + Send + Sync> Observer for F {
    fn progress(&self, progress: &Progress) {
        self(progress);
    }
}
