//! Messages by hand, field by field: also those that no program of ours would write.

/// A number of variable length.
pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A field that is a whole number.
pub(crate) fn uint(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

/// A field that is bytes, a message, or a packed list.
pub(crate) fn bytes(field: u64, content: &[u8]) -> Vec<u8> {
    let length = varint(content.len() as u64);
    [varint(field << 3 | 2), length, content.to_vec()].concat()
}

/// A packed list of numbers.
pub(crate) fn doubles(field: u64, values: &[f64]) -> Vec<u8> {
    let content: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    if content.is_empty() {
        Vec::new()
    } else {
        bytes(field, &content)
    }
}

/// A belief over `n_vars` with these logits.
pub(crate) fn belief(n_vars: u64, existence: &[f64], orientation: &[f64]) -> Vec<u8> {
    [
        uint(1, n_vars),
        doubles(2, existence),
        doubles(3, orientation),
    ]
    .concat()
}
