//! Who is who: an authority for one study, and a certificate for each of its parties.
//!
//! A site is known by the fingerprint of its certificate, which is in the coordinator's roster. To take a
//! site out of a study, its line in the roster is removed.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PublicKeyData,
};
use sha2::{Digest as _, Sha256};
use time::{Duration, OffsetDateTime};

/// What the coordinator's certificate is for, whatever its address.
pub(crate) const COORDINATOR: &str = "coordinator.fedcdi";

/// The authority of one study; its key is forgotten once all certificates are made.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    valid: Validity,
    pub(crate) pem: String,
}

/// A certificate, and its key unless that was made at the site.
pub(crate) struct Identity {
    pub(crate) certificate: String,
    pub(crate) key: Option<String>,
    pub(crate) fingerprint: String,
}

#[derive(Clone, Copy)]
struct Validity {
    begins: OffsetDateTime,
    ends: OffsetDateTime,
}

impl Authority {
    /// For a study that takes at most so many days.
    pub(crate) fn new(study: &str, days: u32) -> Result<Self, rcgen::Error> {
        let now = OffsetDateTime::now_utc();
        let now = now.replace_nanosecond(0).unwrap_or(now);
        let valid = Validity {
            // Clocks of hospitals differ.
            begins: now - Duration::days(1),
            ends: now + Duration::days(days.into()),
        };
        let mut params = valid.of(CertificateParams::new(Vec::new())?);
        params
            .distinguished_name
            .push(DnType::CommonName, format!("fedcdi study {study}"));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate()?;
        let pem = params.self_signed(&key)?.pem();
        Ok(Self {
            issuer: Issuer::new(params, key),
            valid,
            pem,
        })
    }

    /// When all certificates end.
    pub(crate) fn ends(&self) -> OffsetDateTime {
        self.valid.ends
    }

    pub(crate) fn coordinator(&self) -> Result<Identity, rcgen::Error> {
        self.party(COORDINATOR, ExtendedKeyUsagePurpose::ServerAuth)
    }

    pub(crate) fn site(&self, name: &str) -> Result<Identity, rcgen::Error> {
        self.party(name, ExtendedKeyUsagePurpose::ClientAuth)
    }

    /// A site that keeps its own key. Of its request only the public key counts.
    pub(crate) fn site_of(
        &self,
        name: &str,
        key: &impl PublicKeyData,
    ) -> Result<Identity, rcgen::Error> {
        self.certified(name, ExtendedKeyUsagePurpose::ClientAuth, key)
    }

    fn party(&self, name: &str, role: ExtendedKeyUsagePurpose) -> Result<Identity, rcgen::Error> {
        let key = KeyPair::generate()?;
        let identity = self.certified(name, role, &key)?;
        Ok(Identity {
            key: Some(key.serialize_pem()),
            ..identity
        })
    }

    fn certified(
        &self,
        name: &str,
        role: ExtendedKeyUsagePurpose,
        key: &impl PublicKeyData,
    ) -> Result<Identity, rcgen::Error> {
        let params = CertificateParams::new(vec![name.to_owned()])?;
        let mut params = self.valid.of(params);
        params.distinguished_name.push(DnType::CommonName, name);
        params.extended_key_usages = vec![role];
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        let certificate = params.signed_by(key, &self.issuer)?;
        Ok(Identity {
            fingerprint: fingerprint(certificate.der()),
            certificate: certificate.pem(),
            key: None,
        })
    }
}

impl Validity {
    fn of(self, mut params: CertificateParams) -> CertificateParams {
        params.not_before = self.begins;
        params.not_after = self.ends;
        params
    }
}

/// What a certificate is known by.
pub(crate) fn fingerprint(der: &[u8]) -> String {
    let digest = Sha256::digest(der);
    digest
        .iter()
        .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
