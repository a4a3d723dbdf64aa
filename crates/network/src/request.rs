//! Keys that are made at a site: it sends a certificate request, and its private key never travels.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use fedcdi_core::first_few;
use fedcdi_core::nearest::nearest;
use fedcdi_data::file_error::FileError;
use fedcdi_study::kit::is_site_name;
use rcgen::{
    CertificateParams, CertificateSigningRequestParams, DnType, DnValue, KeyPair, PublicKey,
    PublicKeyData as _,
};

use crate::error::NetworkError;

/// What follows the site's name in the name of its request, and of its key.
const REQUEST: &str = ".request.pem";
const KEY: &str = ".key.pem";
const FEW: usize = 5;
const AGAIN: &str = "have the site make a new one";

/// The files that a site makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requested {
    /// The key, which stays at the site.
    pub key: PathBuf,
    /// The request, which goes to whoever makes the kits.
    pub request: PathBuf,
}

/// Makes a key and a certificate request for the site of this name, in this folder.
///
/// # Errors
/// [`NetworkError`] if the name is none, a key is there already, or the folder cannot be written.
pub fn request(name: &str, folder: &Path) -> Result<Requested, NetworkError> {
    let file = |end: &str| folder.join(format!("{name}{end}"));
    let made = Requested {
        key: file(KEY),
        request: file(REQUEST),
    };
    if !is_site_name(name) {
        let problem = format!("{name:?} cannot be the name of a site");
        let remedy = "use letters, digits, - and _, as in the study's list of sites";
        return Err(FileError::whole(folder, problem, remedy).into());
    }
    if let Some(path) = [&made.key, &made.request].into_iter().find(|p| p.exists()) {
        let remedy = "use it, or name another folder: a key that was replaced cannot be had back";
        return Err(FileError::whole(path, "this file is there already", remedy).into());
    }
    let wrong = |error: rcgen::Error| NetworkError::Certificate(error.to_string());
    let key = KeyPair::generate().map_err(wrong)?;
    let mut params = CertificateParams::new(vec![name.to_owned()]).map_err(wrong)?;
    params.distinguished_name.push(DnType::CommonName, name);
    let request = params.serialize_request(&key).map_err(wrong)?;
    let request = request.pem().map_err(wrong)?;
    fs::create_dir_all(folder).map_err(|error| FileError::io(folder, error))?;
    let written = write_secret(&made.key, &key.serialize_pem());
    written.map_err(|error| FileError::io(&made.key, error))?;
    fs::write(&made.request, request).map_err(|error| FileError::io(&made.request, error))?;
    Ok(made)
}

/// A file that only its owner can read, from the first moment on.
pub(crate) fn write_secret(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}

/// Requests of sites by their names.
pub(crate) type Requests = BTreeMap<String, PublicKey>;

/// Reads the requests of these sites in a folder; other files there do not matter.
pub(crate) fn read_requests(folder: &Path, sites: &[String]) -> Result<Requests, NetworkError> {
    let io = |error| FileError::io(folder, error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        if let Some(site) = name.as_deref().and_then(|name| name.strip_suffix(REQUEST)) {
            files.push((site.to_owned(), path));
        }
    }
    files.sort_unstable();
    if files.is_empty() {
        let problem = format!("the folder has no request: no file that ends in {REQUEST}");
        let remedy = "put the requests of the sites there";
        return Err(FileError::whole(folder, problem, remedy).into());
    }
    let mut found = Requests::new();
    for (site, path) in files {
        if !sites.contains(&site) {
            let near = nearest(&site, sites.iter().map(String::as_str));
            let remedy = match near {
                Some(near) => format!("name it after {near:?} if that is the site"),
                None => format!(
                    "the sites are {}; correct the list, or remove the file",
                    first_few(sites, FEW)
                ),
            };
            let problem = format!("the study has no site {site:?}");
            return Err(FileError::whole(&path, problem, remedy).into());
        }
        let key = read_request(&path, &site)?;
        let mut others = found.iter();
        if let Some((other, _)) = others.find(|(_, known)| known.der_bytes() == key.der_bytes()) {
            let problem = format!("it has the same key as the request of {other:?}");
            return Err(
                FileError::whole(&path, problem, "every site makes a key of its own").into(),
            );
        }
        found.insert(site, key);
    }
    Ok(found)
}

fn read_request(path: &Path, site: &str) -> Result<PublicKey, FileError> {
    let text = fs::read_to_string(path).map_err(|error| FileError::text(path, error))?;
    if text.contains("PRIVATE KEY") {
        let problem = "it holds a private key, which should have stayed at the site";
        let remedy = "delete it, and have the site make a new key and request";
        return Err(FileError::whole(path, problem, remedy));
    }
    let request = CertificateSigningRequestParams::from_pem(&text);
    let request = request.map_err(|error| {
        let problem = format!("it is not a certificate request, or was changed: {error}");
        FileError::whole(path, problem, AGAIN)
    })?;
    let name = request.params.distinguished_name.get(&DnType::CommonName);
    let name = match name {
        Some(DnValue::Utf8String(name)) => Some(name.as_str()),
        Some(DnValue::PrintableString(name)) => Some(name.as_str()),
        _ => None,
    };
    if name != Some(site) {
        let problem = format!(
            "it is the request of {:?}, and its file is named after {site:?}",
            name.unwrap_or("nobody")
        );
        return Err(FileError::whole(
            path,
            problem,
            "name the file after the site that made it",
        ));
    }
    Ok(request.public_key)
}
