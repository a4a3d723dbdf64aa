//! What is in the plaintext of a connection: the frames of HTTP/2, and one message of gRPC in each stream.
//! Anything that is not one of those stops the test.

use std::collections::{BTreeMap, BTreeSet};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// One direction of a connection.
#[derive(Default)]
pub struct Direction {
    /// Bodies by stream.
    pub bodies: BTreeMap<u32, Vec<u8>>,
    /// Blocks of headers, compressed as they are.
    pub headers: BTreeSet<Vec<u8>>,
}

impl Direction {
    /// What a site sends begins with words that say so.
    pub fn from_site(bytes: &[u8]) -> Self {
        Self::of(bytes.strip_prefix(PREFACE).expect("it is HTTP/2"))
    }

    /// Of frames alone, each whole, of a kind and a length that the protocol knows, and without padding,
    /// which could hold anything.
    pub fn of(mut bytes: &[u8]) -> Self {
        let mut direction = Self::default();
        while let Some((head, rest)) = bytes.split_first_chunk::<9>() {
            let [l1, l2, l3, kind, flags, stream @ ..] = *head;
            let length = u32::from_be_bytes([0, l1, l2, l3]) as usize;
            let (stream, (content, rest)) = (u32::from_be_bytes(stream), rest.split_at(length));
            bytes = rest;
            match (kind, length) {
                // DATA: flags may say that the stream ends.
                (0, _) => {
                    assert_eq!(flags & !1, 0, "padded data");
                    let body = direction.bodies.entry(stream).or_default();
                    body.extend_from_slice(content);
                }
                // HEADERS, all of them in one frame.
                (1, _) => {
                    assert_eq!(flags & !1, 4, "padded or partial headers");
                    direction.headers.insert(content.to_vec());
                }
                // RST_STREAM, WINDOW_UPDATE, PING, GOAWAY: a number or two, and no text. h2 sends pings of
                // its own, and gives back those of the other side.
                (3 | 8, 4) | (6 | 7, 8) => {}
                // SETTINGS: pairs of numbers.
                (4, n) if n % 6 == 0 => {}
                _ => panic!("a frame of kind {kind} with {length} bytes"),
            }
        }
        assert!(bytes.is_empty(), "a frame that was cut off");
        direction
    }

    /// The message of a stream; none if the stream has no body.
    pub fn message(&self, stream: u32) -> Option<&[u8]> {
        let body = self.bodies.get(&stream)?;
        let (head, message) = body.split_first_chunk::<5>()?;
        let [compressed, length @ ..] = *head;
        assert_eq!(compressed, 0, "compressed");
        assert_eq!(u32::from_be_bytes(length) as usize, message.len());
        Some(message)
    }
}
