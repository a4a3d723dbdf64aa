//! Who is who: an authority for one study, and a certificate for each of its parties.
//!
//! A site is known by the fingerprint of its certificate, which is in the coordinator's roster. To take a
//! site out of a study, its line in the roster is removed.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use sha2::{Digest as _, Sha256};
use time::{Duration, OffsetDateTime};

/// What the coordinator's certificate is for, whatever its address.
pub(crate) const COORDINATOR: &str = "coordinator.fedcdi";
/// How long certificates are valid.
const DAYS: i64 = 365;

/// The authority of one study; its key is forgotten once all certificates are made.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub(crate) pem: String,
}

/// A certificate and its key.
pub(crate) struct Identity {
    pub(crate) certificate: String,
    pub(crate) key: String,
    pub(crate) fingerprint: String,
}

impl Authority {
    pub(crate) fn new(study: &str) -> Result<Self, rcgen::Error> {
        let mut params = valid(CertificateParams::new(Vec::new())?);
        params
            .distinguished_name
            .push(DnType::CommonName, format!("fedcdi study {study}"));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate()?;
        let pem = params.self_signed(&key)?.pem();
        Ok(Self {
            issuer: Issuer::new(params, key),
            pem,
        })
    }

    pub(crate) fn coordinator(&self) -> Result<Identity, rcgen::Error> {
        self.party(COORDINATOR, ExtendedKeyUsagePurpose::ServerAuth)
    }

    pub(crate) fn site(&self, name: &str) -> Result<Identity, rcgen::Error> {
        self.party(name, ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn party(&self, name: &str, role: ExtendedKeyUsagePurpose) -> Result<Identity, rcgen::Error> {
        let mut params = valid(CertificateParams::new(vec![name.to_owned()])?);
        params.distinguished_name.push(DnType::CommonName, name);
        params.extended_key_usages = vec![role];
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?;
        Ok(Identity {
            fingerprint: fingerprint(certificate.der()),
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        })
    }
}

fn valid(mut params: CertificateParams) -> CertificateParams {
    let now = OffsetDateTime::now_utc();
    // Clocks of hospitals differ.
    params.not_before = now - Duration::days(1);
    params.not_after = now + Duration::days(DAYS);
    params
}

/// What a certificate is known by.
pub(crate) fn fingerprint(der: &[u8]) -> String {
    let digest = Sha256::digest(der);
    digest
        .iter()
        .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
