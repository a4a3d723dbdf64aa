//! What goes into a network: for every evaluated row, the list of table rows that it sums.
//!
//! A masked one-hot input only says which embedding rows to add, so the networks take lists of
//! table rows and never see masks. Where the lists come from is the caller's choice: sampled
//! parent sets (ENCO, SDI, DCDI), or weighted lists for soft masks and continuous inputs.

/// Lists of table rows, one per evaluated row, with an optional weight per entry.
#[derive(Clone, Debug)]
pub(crate) struct RowLists {
    offsets: Vec<u32>,
    /// Entries of all lists, then unused room.
    rows: Vec<u32>,
    used: usize,
    weights: Option<Vec<f32>>,
}

impl Default for RowLists {
    fn default() -> Self {
        Self {
            offsets: vec![0],
            rows: Vec::new(),
            used: 0,
            weights: None,
        }
    }
}

impl RowLists {
    pub(crate) fn weighted() -> Self {
        Self {
            weights: Some(Vec::new()),
            ..Self::default()
        }
    }

    pub(crate) fn clear(&mut self) {
        self.offsets.truncate(1);
        self.used = 0;
        if let Some(weights) = &mut self.weights {
            weights.clear();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    #[inline]
    fn room(&mut self, n: usize) -> &mut [u32] {
        let end = self.used + n;
        if self.rows.len() < end {
            self.rows.resize(end.next_power_of_two(), 0);
        }
        &mut self.rows[self.used..end]
    }

    /// Appends an entry to the list that is being written; the lists must be [`Self::weighted`].
    pub(crate) fn push_weighted(&mut self, row: u32, weight: f32) {
        self.room(1)[0] = row;
        self.used += 1;
        let weights = self.weights.as_mut().expect("lists made with weights");
        weights.push(weight);
    }

    /// Appends those `rows` whose draw is below their threshold, without a branch per row.
    #[inline]
    pub(crate) fn push_sampled(&mut self, rows: &[u32], draws: &[u32], thresholds: &[u32]) {
        let room = self.room(rows.len());
        let mut len = 0;
        for ((row, draw), threshold) in rows.iter().zip(draws).zip(thresholds) {
            room[len] = *row;
            len += usize::from(draw < threshold);
        }
        self.used += len;
    }

    pub(crate) fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// Appends what one variable selects: its row, and of a real one, whose value is given, the row
    /// after it with the value as its weight.
    #[inline]
    pub(crate) fn push_variable(&mut self, row: u32, value: Option<f32>) {
        self.push_weighted(row, 1.0);
        if let Some(value) = value {
            self.push_weighted(row + 1, value);
        }
    }

    /// Appends `rows[member]` for every member.
    #[inline]
    pub(crate) fn push_members(&mut self, rows: &[u32], members: &[u32]) {
        let room = self.room(members.len());
        for (to, member) in room.iter_mut().zip(members) {
            *to = rows[*member as usize];
        }
        self.used += members.len();
    }

    #[inline]
    pub(crate) fn finish_list(&mut self) {
        self.offsets.push(self.used as u32);
    }

    #[inline]
    pub(crate) fn drop_open_list(&mut self) {
        self.used = self.offsets[self.offsets.len() - 1] as usize;
        if let Some(weights) = &mut self.weights {
            weights.truncate(self.used);
        }
    }

    /// The entries written since the last finished list.
    #[inline]
    pub(crate) fn open_list(&self) -> &[u32] {
        &self.rows[self.offsets[self.offsets.len() - 1] as usize..self.used]
    }

    #[inline]
    pub(crate) fn list(&self, index: usize) -> &[u32] {
        &self.rows[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    #[inline]
    pub(crate) fn weights(&self, index: usize) -> Option<&[f32]> {
        let range = self.offsets[index] as usize..self.offsets[index + 1] as usize;
        self.weights.as_ref().map(|weights| &weights[range])
    }
}

/// For every table row, the evaluated rows that use it: [`RowLists`] turned inside out.
#[derive(Clone, Debug, Default)]
pub(crate) struct InverseLists {
    offsets: Vec<u32>,
    users: Vec<u32>,
    weights: Option<Vec<f32>>,
    cursor: Vec<u32>,
}

impl InverseLists {
    /// Inverts `lists` over a table of `n_rows`; users stay in increasing order.
    pub(crate) fn fill(&mut self, lists: &RowLists, n_rows: usize) {
        self.offsets.clear();
        self.offsets.resize(n_rows + 1, 0);
        for &row in &lists.rows[..lists.used] {
            self.offsets[row as usize + 1] += 1;
        }
        let mut total = 0;
        for offset in &mut self.offsets {
            total += *offset;
            *offset = total;
        }
        self.cursor.clear();
        self.cursor.extend_from_slice(&self.offsets[..n_rows]);
        self.users.resize(lists.used, 0);
        if lists.weights.is_some() {
            let weights = self.weights.get_or_insert_default();
            weights.resize(lists.used, 0.0);
        } else {
            self.weights = None;
        }
        for user in 0..lists.len() {
            for entry in lists.offsets[user] as usize..lists.offsets[user + 1] as usize {
                let slot = &mut self.cursor[lists.rows[entry] as usize];
                self.users[*slot as usize] = user as u32;
                if let (Some(to), Some(from)) = (&mut self.weights, &lists.weights) {
                    to[*slot as usize] = from[entry];
                }
                *slot += 1;
            }
        }
    }

    /// Evaluated rows that use `row`, increasing, and the weights of those uses, if there are any.
    #[inline]
    pub(crate) fn users(&self, row: usize) -> (&[u32], Option<&[f32]>) {
        let range = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        let weights = self.weights.as_ref();
        (&self.users[range.clone()], weights.map(|w| &w[range]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversion_lists_every_use_once() {
        let mut lists = RowLists::weighted();
        for (row, weight) in [(2, 1.0), (0, 2.0)] {
            lists.push_weighted(row, weight);
        }
        lists.finish_list();
        lists.finish_list();
        lists.push_weighted(2, 3.0);
        lists.finish_list();
        let mut inverse = InverseLists::default();
        inverse.fill(&lists, 4);
        let users: Vec<&[u32]> = (0..4).map(|row| inverse.users(row).0).collect();
        assert_eq!(users, [&[0][..], &[], &[0, 2], &[]]);
        assert_eq!(inverse.users(2).1, Some(&[1.0, 3.0][..]));
    }

    #[test]
    fn a_dropped_list_takes_its_weights_along() {
        let mut lists = RowLists::weighted();
        lists.push_variable(4, Some(0.5));
        lists.finish_list();
        lists.push_variable(7, None);
        lists.drop_open_list();
        lists.push_variable(1, None);
        lists.finish_list();
        assert_eq!((lists.list(0), lists.list(1)), (&[4, 5][..], &[1][..]));
        assert_eq!(lists.weights(0), Some(&[1.0, 0.5][..]));
        assert_eq!(lists.weights(1), Some(&[1.0][..]));
    }

    #[test]
    fn an_open_list_can_be_dropped() {
        let mut lists = RowLists::default();
        lists.push_sampled(&[4, 9, 5], &[0, 7, 6], &[1, 7, 7]);
        lists.finish_list();
        lists.push_members(&[3, 6], &[1]);
        assert_eq!((lists.list(0), lists.open_list()), (&[4, 5][..], &[6][..]));
        lists.drop_open_list();
        assert_eq!((lists.len(), lists.used), (1, 2));
    }
}
