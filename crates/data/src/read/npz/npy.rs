//! One NumPy array: header, element type, elements.
//!
//! Ours rather than a crate's, because the crates at hand trust the header (they allocate what it
//! asks for and multiply its shape unchecked), and a data file from elsewhere must not.

use std::io::Read;

/// NumPy itself refuses longer headers unless told otherwise; ours are a tenth of this.
const MAX_HEADER: usize = 1 << 16;

/// Element types that can be categories or names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
    Unicode,
    Bytes,
}

#[derive(Debug)]
pub(super) struct NpyArray {
    shape: Vec<usize>,
    strides: Vec<usize>,
    kind: Kind,
    big_endian: bool,
    /// Bytes per element.
    width: usize,
    bytes: Vec<u8>,
}

impl NpyArray {
    /// Reads an array of format version 1, 2 or 3; the error says what is wrong with it.
    pub(super) fn read(mut source: impl Read) -> Result<Self, String> {
        let header = read_header(&mut source)?;
        let descr = header.text_after("'descr':")?;
        let fortran = match header.value("'fortran_order':")? {
            text if text.starts_with("True") => true,
            text if text.starts_with("False") => false,
            _ => return Err("the header has no fortran_order".to_owned()),
        };
        let shape = header.shape()?;
        let (kind, big_endian, width) = element_type(descr)?;
        let n_elements = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
        let n_bytes = n_elements.and_then(|n| n.checked_mul(width));
        let n_bytes = n_bytes.ok_or_else(|| format!("the shape {shape:?} is absurdly large"))?;
        let mut bytes = Vec::new();
        let read = source.take(n_bytes as u64).read_to_end(&mut bytes);
        let found = read.map_err(|e| e.to_string())?;
        if found < n_bytes {
            let text = "the array is cut off";
            return Err(format!("{text}: {found} of {n_bytes} bytes are there"));
        }
        Ok(Self {
            strides: strides(&shape, fortran),
            shape,
            kind,
            big_endian,
            width,
            bytes,
        })
    }

    pub(super) fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn element(&self, at: &[usize]) -> &[u8] {
        let index: usize = at.iter().zip(&self.strides).map(|(i, s)| i * s).sum();
        &self.bytes[index * self.width..][..self.width]
    }

    /// The element bytes, least significant first, filled up to 8.
    fn little_endian(&self, at: &[usize]) -> [u8; 8] {
        let mut out = [0; 8];
        out[..self.width].copy_from_slice(self.element(at));
        if self.big_endian {
            out[..self.width].reverse();
        }
        out
    }

    /// A whole number; the error is the offending value in words.
    pub(super) fn integer(&self, at: &[usize]) -> Result<i64, String> {
        match self.kind {
            Kind::Unsigned | Kind::Bool if self.width == 1 => Ok(i64::from(self.element(at)[0])),
            Kind::Unsigned | Kind::Bool => {
                let value = u64::from_le_bytes(self.little_endian(at));
                i64::try_from(value).map_err(|_| value.to_string())
            }
            Kind::Signed => {
                let unused = 64 - 8 * self.width as u32;
                Ok(i64::from_le_bytes(self.little_endian(at)) << unused >> unused)
            }
            Kind::Float => {
                let value = self.float(at);
                let whole = value.fract() == 0.0 && value.abs() < 1e15;
                whole.then_some(value as i64).ok_or(value.to_string())
            }
            Kind::Unicode | Kind::Bytes => Err("text".to_owned()),
        }
    }

    pub(super) fn is_float(&self) -> bool {
        self.kind == Kind::Float
    }

    /// A finite number; the error is the offending value in words.
    pub(super) fn number(&self, at: &[usize]) -> Result<f64, String> {
        match self.kind {
            Kind::Float => {
                let value = self.float(at);
                value.is_finite().then_some(value).ok_or(value.to_string())
            }
            _ => self.integer(at).map(|value| value as f64),
        }
    }

    fn float(&self, at: &[usize]) -> f64 {
        let bytes = self.little_endian(at);
        if self.width == 4 {
            let [a, b, c, d, ..] = bytes;
            f64::from(f32::from_le_bytes([a, b, c, d]))
        } else {
            f64::from_le_bytes(bytes)
        }
    }

    /// A text, without the zeros that fill it up; the error says what it is instead.
    pub(super) fn text(&self, at: &[usize]) -> Result<String, String> {
        let element = self.element(at);
        let text = match self.kind {
            Kind::Unicode => {
                let chars = element.chunks_exact(4).map(|unit| {
                    let unit = unit.try_into().expect("chunks of four");
                    let code = if self.big_endian {
                        u32::from_be_bytes(unit)
                    } else {
                        u32::from_le_bytes(unit)
                    };
                    char::from_u32(code).ok_or_else(|| format!("no character {code:#x}"))
                });
                chars.collect::<Result<String, String>>()?
            }
            Kind::Bytes => std::str::from_utf8(element)
                .map_err(|_| "bytes that are not UTF-8".to_owned())?
                .to_owned(),
            _ => return Err("a number".to_owned()),
        };
        Ok(text.trim_end_matches('\0').to_owned())
    }
}

fn strides(shape: &[usize], fortran: bool) -> Vec<usize> {
    let mut strides = vec![1usize; shape.len()];
    // Elements exist only if no dimension is 0, and then the checked product bounds every stride.
    if fortran {
        for axis in 1..shape.len() {
            strides[axis] = strides[axis - 1].wrapping_mul(shape[axis - 1]);
        }
    } else {
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis].wrapping_mul(shape[axis]);
        }
    }
    strides
}

struct Header(String);

fn read_header(source: &mut impl Read) -> Result<Header, String> {
    let mut start = [0; 8];
    let cut_off = |_| "the array is cut off in its header".to_owned();
    source.read_exact(&mut start).map_err(cut_off)?;
    if &start[..6] != b"\x93NUMPY" {
        return Err("this is not a NumPy array".to_owned());
    }
    let n_bytes = match start[6] {
        1 => 2,
        2 | 3 => 4,
        version => return Err(format!("unknown array format version {version}")),
    };
    let mut length = [0; 4];
    source.read_exact(&mut length[..n_bytes]).map_err(cut_off)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_HEADER {
        return Err(format!("the header claims to be {length} bytes long"));
    }
    let mut text = vec![0; length];
    source.read_exact(&mut text).map_err(cut_off)?;
    let text = String::from_utf8(text).map_err(|_| "the header is not text".to_owned())?;
    Ok(Header(text))
}

impl Header {
    /// What follows a key of the header's dictionary.
    fn value(&self, key: &str) -> Result<&str, String> {
        let (_, rest) = self
            .0
            .split_once(key)
            .ok_or_else(|| format!("the header has no {}", key.trim_end_matches(':')))?;
        Ok(rest.trim_start())
    }

    fn text_after(&self, key: &str) -> Result<&str, String> {
        let rest = self.value(key)?.strip_prefix('\'');
        let text = rest.and_then(|rest| rest.split_once('\''));
        let (text, _) = text.ok_or("arrays of records are not supported")?;
        Ok(text)
    }

    fn shape(&self) -> Result<Vec<usize>, String> {
        let rest = self.value("'shape':")?.strip_prefix('(');
        let inner = rest.and_then(|rest| rest.split_once(')'));
        let (inner, _) = inner.ok_or("the header has no shape")?;
        let parts = inner.split(',').map(str::trim).filter(|d| !d.is_empty());
        parts
            .map(|d| d.parse().map_err(|_| format!("the shape holds {d:?}")))
            .collect()
    }
}

/// Kind, byte order and width of a type such as `<i8` or `|U12`.
fn element_type(descr: &str) -> Result<(Kind, bool, usize), String> {
    let unsupported = || format!("elements of type {descr:?} are neither integers nor text");
    let mut chars = descr.chars();
    let (order, kind) = (chars.next(), chars.next());
    let big_endian = match order {
        Some('>') => true,
        Some('<' | '|' | '=') => false,
        _ => return Err(unsupported()),
    };
    let size: usize = chars.as_str().parse().map_err(|_| unsupported())?;
    let (kind, width) = match (kind, size) {
        (Some('b'), 1) => (Kind::Bool, 1),
        (Some('i'), 1 | 2 | 4 | 8) => (Kind::Signed, size),
        (Some('u'), 1 | 2 | 4 | 8) => (Kind::Unsigned, size),
        (Some('f'), 4 | 8) => (Kind::Float, size),
        (Some('U'), _) => (Kind::Unicode, size.checked_mul(4).ok_or_else(unsupported)?),
        (Some('S'), _) => (Kind::Bytes, size),
        _ => return Err(unsupported()),
    };
    Ok((kind, big_endian, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npy(version: u8, descr: &str, order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        match version {
            1 => bytes.extend((header.len() as u16).to_le_bytes()),
            _ => bytes.extend((header.len() as u32).to_le_bytes()),
        }
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn read(bytes: &[u8]) -> Result<NpyArray, String> {
        NpyArray::read(bytes)
    }

    #[test]
    fn every_integer_type_in_both_byte_orders_is_read() {
        for version in 1..=3 {
            for (descr, data, value) in [
                ("|b1", &[1][..], 1),
                ("|i1", &[0xff], -1),
                ("|u1", &[0xff], 255),
                ("<i2", &[0xfe, 0xff], -2),
                (">i2", &[0xff, 0xfe], -2),
                (">u4", &[0, 0, 1, 0], 256),
                ("<i8", &[5, 0, 0, 0, 0, 0, 0, 0], 5),
                (">f4", &[0x40, 0, 0, 0], 2),
                ("<f8", &[0, 0, 0, 0, 0, 0, 0x08, 0x40], 3),
            ] {
                let array = read(&npy(version, descr, "False", "(1,)", data)).unwrap();
                assert_eq!(array.integer(&[0]), Ok(value), "{descr}");
            }
        }
        let huge = read(&npy(1, "<u8", "False", "(1,)", &[0xff; 8])).unwrap();
        assert_eq!(huge.integer(&[0]), Err(u64::MAX.to_string()));
        let half = read(&npy(1, ">f4", "False", "(1,)", &[0x3f, 0, 0, 0])).unwrap();
        assert_eq!(half.integer(&[0]), Err("0.5".to_owned()));
    }

    #[test]
    fn fortran_order_only_changes_the_layout() {
        let c = read(&npy(1, "|u1", "False", "(2, 3)", &[0, 1, 2, 3, 4, 5])).unwrap();
        let f = read(&npy(1, "|u1", "True", "(2, 3)", &[0, 3, 1, 4, 2, 5])).unwrap();
        for (i, j) in [(0, 0), (0, 2), (1, 1), (1, 2)] {
            assert_eq!(c.integer(&[i, j]), f.integer(&[i, j]));
        }
    }

    #[test]
    fn texts_lose_their_padding() {
        let array = read(&npy(
            1,
            ">U2",
            "False",
            "(1,)",
            &[0, 0, 0, 0xe9, 0, 0, 0, 0],
        ))
        .unwrap();
        assert_eq!(array.text(&[0]).unwrap(), "é");
        let array = read(&npy(1, "|S3", "False", "(1,)", b"ab\0")).unwrap();
        assert_eq!(array.text(&[0]).unwrap(), "ab");
        let array = read(&npy(1, "<U1", "False", "(1,)", &[0, 0xd8, 0, 0])).unwrap();
        assert!(array.text(&[0]).is_err());
    }

    #[test]
    fn lying_headers_are_refused_without_allocating() {
        let absurd = format!("({}, {})", usize::MAX, 2);
        assert!(
            read(&npy(1, "|u1", "False", &absurd, &[]))
                .unwrap_err()
                .contains("absurdly")
        );
        let cut = read(&npy(1, "|u1", "False", "(999999999999,)", &[0]));
        assert!(cut.unwrap_err().contains("cut off: 1 of"));
        let long = b"\x93NUMPY\x02\x00\xff\xff\xff\xff";
        assert!(
            read(long)
                .unwrap_err()
                .contains("claims to be 4294967295 bytes")
        );
        assert!(read(b"\x93NUM").unwrap_err().contains("cut off"));
        assert!(read(&npy(1, "|O", "False", "(1,)", &[0])).is_err());
    }
}
