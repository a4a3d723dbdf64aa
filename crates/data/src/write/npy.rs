//! One NumPy array as bytes, format version 1.

/// Small unsigned numbers, in one byte each or, if `wide`, in two.
pub(crate) fn codes(shape: &[usize], wide: bool, values: impl Iterator<Item = u16>) -> Vec<u8> {
    if wide {
        return numbers("<u2", shape, values.map(u16::to_le_bytes));
    }
    numbers("|u1", shape, values.map(|value| [value as u8]))
}

pub(crate) fn reals(shape: &[usize], values: impl Iterator<Item = f64>) -> Vec<u8> {
    numbers("<f8", shape, values.map(f64::to_le_bytes))
}

pub(crate) fn integers(shape: &[usize], values: impl Iterator<Item = i64>) -> Vec<u8> {
    numbers("<i8", shape, values.map(i64::to_le_bytes))
}

fn numbers<const WIDTH: usize>(
    descr: &str,
    shape: &[usize],
    values: impl Iterator<Item = [u8; WIDTH]>,
) -> Vec<u8> {
    let mut bytes = header(descr, shape);
    values.for_each(|value| bytes.extend(value));
    bytes
}

/// Texts, filled up with zeros to the longest.
pub(crate) fn texts(shape: &[usize], texts: &[&str]) -> Vec<u8> {
    let longest = texts.iter().map(|text| text.chars().count()).max();
    let width = longest.unwrap_or(0).max(1);
    let mut bytes = header(&format!("<U{width}"), shape);
    for text in texts {
        let end = bytes.len() + 4 * width;
        bytes.extend(text.chars().flat_map(|c| u32::from(c).to_le_bytes()));
        bytes.resize(end, 0);
    }
    bytes
}

/// Magic, version and a header that makes the data start at a multiple of 64.
fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let dims: Vec<String> = shape.iter().map(ToString::to_string).collect();
    // A tuple of one needs its comma.
    let dims = dims.join(", ") + if shape.len() == 1 { "," } else { "" };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}), }}");
    let unpadded = 10 + text.len() + 1;
    text.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The layout of a short one-dimensional array as NumPy saves it: 118 bytes of header, so that
    /// the data start at 128.
    #[test]
    fn data_start_where_numpy_puts_them() {
        let array = texts(&[2], &["a", "bc"]);
        let text = "{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }";
        let mut expected = b"\x93NUMPY\x01\x00v\x00".to_vec();
        expected.extend(format!("{text:<117}\n").as_bytes());
        expected.extend([97, 0, 0, 0, 0, 0, 0, 0, 98, 0, 0, 0, 99, 0, 0, 0]);
        assert_eq!(array, expected);
        assert_eq!(codes(&[2, 3], false, 0..6).len(), 128 + 6);
    }
}
