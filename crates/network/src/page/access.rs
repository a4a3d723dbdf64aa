//! Who may read a page.
//!
//! A page is read with a token, which is in the address that the program prints. It is kept beside the
//! state, so that the address stays the same when the program is started again. On loopback, requests that
//! call this machine by another name are refused too: a page of somebody else, open in the same browser,
//! could ask under a name that it turned to this machine (DNS rebinding).

use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use axum::http::{HeaderMap, Uri, header};
use fedcdi_data::file_error::FileError;
use subtle::ConstantTimeEq as _;

use crate::error::NetworkError;
use crate::request::write_secret;

/// The file with the token, in the folder of the state.
const TOKEN: &str = "page-token";
/// A shorter one could be guessed.
const SHORTEST: usize = 16;

/// Who may read a page.
pub(super) struct Access {
    token: String,
    loopback: bool,
}

impl Access {
    /// With the token of a folder; a new one is made if there is none.
    pub(super) fn of(state: &Path, address: SocketAddr) -> Result<Self, NetworkError> {
        Ok(Self {
            token: token(state)?,
            loopback: address.ip().is_loopback(),
        })
    }

    /// The address with which the page can be read.
    pub(super) fn url(&self, address: SocketAddr) -> String {
        format!("http://{address}/?token={}", self.token)
    }

    /// Whether a request calls this machine by a name that it has.
    pub(super) fn knows_host(&self, headers: &HeaderMap) -> bool {
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        !self.loopback || host.is_some_and(is_loopback)
    }

    /// Whether a request has the token, in its address or as a bearer.
    pub(super) fn has_token(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let mut asked = uri.query().unwrap_or_default().split('&');
        let in_address = asked.find_map(|part| part.strip_prefix("token="));
        let bearer = headers.get(header::AUTHORIZATION);
        let bearer = bearer.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let given = in_address.or(bearer).unwrap_or_default();
        given.as_bytes().ct_eq(self.token.as_bytes()).into()
    }

    /// Whether a request may read the counters.
    pub(super) fn may_count(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        self.loopback || self.has_token(uri, headers)
    }
}

/// Whether this is `localhost` or a loopback address, with a port or without.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or(rest, |(name, _)| name),
        None => host.split_once(':').map_or(host, |(name, _)| name),
    };
    let is_loopback = name
        .parse()
        .is_ok_and(|address: IpAddr| address.is_loopback());
    is_loopback || name.eq_ignore_ascii_case("localhost")
}

fn token(state: &Path) -> Result<String, NetworkError> {
    let path = state.join(TOKEN);
    match fs::read_to_string(&path) {
        Ok(text) => {
            let token = text.trim();
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if token.len() >= SHORTEST && token.chars().all(is_plain) {
                return Ok(token.to_owned());
            }
            let problem = format!(
                "a token has at least {SHORTEST} characters, and only letters, digits, - and _"
            );
            let remedy = "delete the file; a new one is made";
            Err(FileError::whole(&path, problem, remedy).into())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let [a, b]: [u128; 2] = rand::random();
            let token = format!("{a:032x}{b:032x}");
            let written = write_secret(&path, &format!("{token}\n"));
            written.map_err(|error| FileError::io(&path, error))?;
            Ok(token)
        }
        Err(error) => Err(FileError::text(&path, error).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(address: &str) -> (tempfile::TempDir, Access) {
        let folder = tempfile::tempdir().unwrap();
        let access = Access::of(folder.path(), address.parse().unwrap()).unwrap();
        (folder, access)
    }

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn the_token_stays_and_only_it_opens_the_page() {
        let (folder, access) = access("127.0.0.1:1");
        let again = Access::of(folder.path(), "127.0.0.1:1".parse().unwrap()).unwrap();
        assert_eq!(access.token, again.token);
        assert_eq!(access.token.len(), 64);
        let none = HeaderMap::new();
        let has = |query: &str| access.has_token(&format!("/{query}").parse().unwrap(), &none);
        assert!(has(&format!("?token={}", access.token)));
        assert!(has(&format!("?a=b&token={}", access.token)));
        for wrong in ["", "?", "?token=", "?token=x", "?token"] {
            assert!(!has(wrong), "{wrong}");
        }
        assert!(!has(&format!("?token={}", &access.token[1..])));
        let bearer = headers(header::AUTHORIZATION, &format!("Bearer {}", access.token));
        assert!(access.has_token(&"/".parse().unwrap(), &bearer));
    }

    #[test]
    #[cfg(unix)]
    fn the_token_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let (folder, _) = access("127.0.0.1:1");
        let mode = fs::metadata(folder.path().join(TOKEN))
            .unwrap()
            .permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
    }

    #[test]
    fn a_weak_token_is_refused() {
        let (folder, _) = access("127.0.0.1:1");
        for weak in ["", "short", "not for addresses: ?&="] {
            fs::write(folder.path().join(TOKEN), weak).unwrap();
            let refused = Access::of(folder.path(), "127.0.0.1:1".parse().unwrap());
            assert!(refused.err().unwrap().is_bad_input(), "{weak}");
        }
    }

    #[test]
    fn on_loopback_other_names_are_refused() {
        let (_folder, local) = access("127.0.0.1:1");
        let knows = |host: &str| local.knows_host(&headers(header::HOST, host));
        for own in [
            "127.0.0.1:7480",
            "localhost",
            "LOCALHOST:1",
            "[::1]:80",
            "127.0.0.1",
        ] {
            assert!(knows(own), "{own}");
        }
        for other in [
            "evil.example",
            "localhost.evil.example:7480",
            "10.0.0.1",
            "",
            "[::2]:1",
        ] {
            assert!(!knows(other), "{other}");
        }
        assert!(!local.knows_host(&HeaderMap::new()));
        let (_folder, open) = access("10.0.0.1:1");
        assert!(open.knows_host(&headers(header::HOST, "coordinator.example")));
    }

    #[test]
    fn counters_are_free_on_loopback_alone() {
        let (_folder, local) = access("[::1]:1");
        let (_other, open) = access("0.0.0.0:1");
        let (uri, none) = ("/metrics".parse().unwrap(), HeaderMap::new());
        assert!(local.may_count(&uri, &none) && !open.may_count(&uri, &none));
    }
}
