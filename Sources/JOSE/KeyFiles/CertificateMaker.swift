// Makes certificates and certificate requests with local keys.

import JOSEBytes
import JOSECrypto

extension JWK {
    /// Returns the same key with a self-signed certificate, for a sandbox: no chain validation
    /// accepts it.
    ///
    /// - Parameters:
    ///   - subject: The name in the certificate.
    ///   - start: The first second of the validity.
    ///   - end: The last second of the validity.
    /// - Throws: `keyUnusable` for a public key, a kind of key that signs no certificates, a `use`
    ///   that the kind does not permit, or an external key that cannot sign. `misuse` for any
    ///   other external key, an invalid name or a validity that does not end after it begins.
    ///
    /// keyUsage follows `use`: digitalSignature for `sig`; keyEncipherment (RSA) or keyAgreement (a
    /// curve) for `enc`; without `use` everything that the kind can do. Even a key for `enc` signs
    /// its own certificate. Costs one signature.
    public func withSelfSignedCertificate(
        subject: CertificateSubject, from start: NumericDate, until end: NumericDate
    ) throws(JOSEError) -> JWK {
        let draft = try CertificateDraft(selfSigned: self, subject, from: start, until: end)
        return try withCertificates([draft.unsigned(by: self).signed()])
    }

    /// A root for demonstrations and tests; do not use it as a real authority.
    package func selfSignedAuthority(
        subject: CertificateSubject, from start: NumericDate, until end: NumericDate
    ) throws(JOSEError) -> JWK {
        let name = try subject.encoded()
        let draft = CertificateDraft(
            key: self, subject: name, issuer: name, authorityID: nil, start: start, end: end,
            isAuthority: true, serial: try DERValue.serial())
        return try withCertificates([draft.unsigned(by: self).signed()])
    }

    /// Returns the same key with a certificate that a local authority signs, followed by the
    /// authority's chain. The key itself may be public.
    ///
    /// - Parameters:
    ///   - authority: A private key whose `x5c` begins with its own CA certificate.
    ///   - subject: The name in the certificate.
    ///   - start: The first second of the validity.
    ///   - end: The last second of the validity.
    /// - Throws: `keyUnusable` if the authority cannot sign, or has no certificate that permits
    ///   issuing at `start` (basicConstraints, keyUsage, validity). `misuse` for any other external
    ///   authority. Errors of `withSelfSignedCertificate` for subject, validity and `use`.
    public func withCertificate(
        issuedBy authority: JWK, subject: CertificateSubject, from start: NumericDate,
        until end: NumericDate
    ) throws(JOSEError) -> JWK {
        let draft = try CertificateDraft(self, by: authority, subject, from: start, until: end)
        return try withCertificates(
            [draft.unsigned(by: authority).signed()] + (authority.certificateChain ?? []))
    }

    /// Returns a certificate request (PKCS#10, RFC 2986), signed by this key.
    ///
    /// - Parameters:
    ///   - subject: The name to certify.
    ///   - encoding: DER or PEM.
    /// - Throws: As `withSelfSignedCertificate(subject:from:until:)`.
    public func certificateRequest(
        subject: CertificateSubject, _ encoding: JWK.FileEncoding
    ) throws(JOSEError) -> [UInt8] {
        try encoding.encoded(requestDraft(subject).signed())
    }

    func requestDraft(
        _ subject: CertificateSubject
    ) throws(JOSEError) -> CertificateSignature.Draft {
        try CertificateSignature(self).checkWhetherSigns(self)
        let extensions = DER.value(DER.sequence, try DERValue.keyUsage(self))
        let attribute = DER.value(
            DER.sequence,
            DER.value(DER.identifier, DERValue.extensionRequest) + DER.value(DER.set, extensions))
        var body: [UInt8] = [DER.integer, 1, 0]
        body += try subject.encoded()
        body += try publicKeyFile(.der)
        body += DER.value(0xa0, attribute)
        return try CertificateSignature.Draft(DER.value(DER.sequence, body), by: self)
    }
}

extension JWK.FileEncoding {
    func encoded(_ request: [UInt8]) -> [UInt8] {
        guard self == .pem else { return request }
        return PEM.block(KeyFileContents.Format.request.label, request.span).withSpan {
            [UInt8](copying: $0)
        }
    }
}

struct CertificateDraft {
    let key: JWK
    let subject: [UInt8]
    let issuer: [UInt8]
    /// The issuer's subjectKeyIdentifier, if its certificate has one.
    let authorityID: [UInt8]?
    let start: NumericDate
    let end: NumericDate
    var isAuthority = false
    let serial: [UInt8]

    /// The left 160 bits of the SHA-256 of the SubjectPublicKeyInfo (RFC 7093, 2).
    private static func keyID(_ spki: [UInt8]) throws(JOSEError) -> [UInt8] {
        Array(try CertificateMembers.digest(.sha256, spki).prefix(20))
    }

    func unsigned(by authority: JWK) throws(JOSEError) -> CertificateSignature.Draft {
        guard start < end else { throw .misuse("the validity must end after it begins") }
        let spki = try key.publicKeyFile(.der)
        let keyID = try CertificateDraft.keyID(spki)
        var extensions = isAuthority ? DERValue.authority : DERValue.basicConstraints
        if !isAuthority { extensions += try DERValue.keyUsage(key) }
        // 14 is subjectKeyIdentifier. 35 is authorityKeyIdentifier: the issuer's
        // subjectKeyIdentifier, else computed from the issuer's key (RFC 5280, 4.2.1.1).
        extensions += DERValue.extension(14, DER.value(DER.octetString, keyID))
        var issuerID = try CertificateDraft.keyID(authority.publicKeyFile(.der))
        if let authorityID { issuerID = authorityID }
        extensions += DERValue.extension(
            35, DER.value(DER.sequence, DER.value(0x80, issuerID)))
        // The fields of RFC 5280, 4.1, in order, beginning with version 3.
        var body: [UInt8] = [0xa0, 0x03, 0x02, 0x01, 0x02]
        body += serial
        body += try CertificateSignature(authority).identifier
        body += issuer
        body += DER.value(DER.sequence, DERValue.time(start) + DERValue.time(end))
        body += subject
        body += spki
        body += DER.value(0xa3, DER.value(DER.sequence, extensions))
        return try CertificateSignature.Draft(DER.value(DER.sequence, body), by: authority)
    }
}

extension CertificateDraft {
    init(
        selfSigned key: JWK, _ subject: CertificateSubject, from start: NumericDate,
        until end: NumericDate
    ) throws(JOSEError) {
        try CertificateSignature(key).checkWhetherSigns(key)
        let name = try subject.encoded()
        self.init(
            key: key, subject: name, issuer: name, authorityID: nil, start: start, end: end,
            serial: try DERValue.serial())
    }

    init(
        _ key: JWK, by authority: JWK, _ subject: CertificateSubject, from start: NumericDate,
        until end: NumericDate
    ) throws(JOSEError) {
        guard let own = authority.certificateChain?.first else {
            throw .keyUnusable("the authority has no certificate (x5c)")
        }
        let facts = try IssuerFacts(own.span, at: start)
        self.init(
            key: key, subject: try subject.encoded(), issuer: facts.subject,
            authorityID: facts.keyID, start: start, end: end, serial: try DERValue.serial())
    }
}

private struct IssuerFacts {
    let subject: [UInt8]
    let keyID: [UInt8]?

    /// Throws `keyUnusable` unless the certificate lets its key issue others at this time.
    init(_ bytes: Span<UInt8>, at start: NumericDate) throws(JOSEError) {
        let outline = try CertificateOutline(bytes)
        guard try outline.isAuthority(bytes) else {
            throw .keyUnusable(
                "the authority's certificate does not allow issuing certificates")
        }
        guard start >= outline.notBefore, start.seconds <= outline.notAfter.seconds else {
            throw .keyUnusable("the authority's certificate is not valid at that time")
        }
        subject = outline.subject.map { bytes[$0] }
        keyID = try outline.keyID(bytes)
    }
}

private enum DERValue {
    static let extensionRequest: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x0e]
    /// Critical, and cA false.
    static let basicConstraints: [UInt8] = [
        0x30, 0x0c, 0x06, 0x03, 0x55, 0x1d, 19, 0x01, 0x01, 0xff, 0x04, 0x02, 0x30, 0x00,
    ]

    /// Critical: cA true, then keyUsage with keyCertSign and cRLSign.
    static let authority: [UInt8] = [
        0x30, 0x0f, 0x06, 0x03, 0x55, 0x1d, 19, 0x01, 0x01, 0xff, 0x04, 0x05, 0x30, 0x03, 0x01,
        0x01, 0xff, 0x30, 0x0e, 0x06, 0x03, 0x55, 0x1d, 15, 0x01, 0x01, 0xff, 0x04, 0x04, 0x03,
        0x02, 0x01, 0x06,
    ]

    /// An extension of RFC 5280, 4.2.1, by the last arc of its identifier; not critical.
    static func `extension`(_ last: UInt8, _ value: [UInt8]) -> [UInt8] {
        DER.value(
            DER.sequence,
            DER.value(DER.identifier, [0x55, 0x1d, last]) + DER.value(DER.octetString, value))
    }

    /// Critical keyUsage: all that the kind can do, or only what `use` permits.
    static func keyUsage(_ key: JWK) throws(JOSEError) -> [UInt8] {
        var usages = KeyKindEntry.entry(key.prepared.material.kind)?.usages ?? []
        switch key.use {
        case nil: break
        case KeyUse.signature?: usages.formIntersection(.digitalSignature)
        case KeyUse.encryption?: usages.subtract(.digitalSignature)
        default: usages = []
        }
        let bits = usages.rawValue
        guard bits != 0 else {
            throw .keyUnusable("the kind of key does not permit the key's use")
        }
        let value = DER.value(DER.bitString, [UInt8(bits.trailingZeroBitCount), bits])
        let head: [UInt8] = [0x06, 0x03, 0x55, 0x1d, 15, 0x01, 0x01, 0xff]
        return DER.value(DER.sequence, head + DER.value(DER.octetString, value))
    }

    /// A random serial number with bit 126 set: 126 random bits, positive, never zero.
    static func serial() throws(JOSEError) -> [UInt8] {
        do throws(CryptoError) {
            var bytes = try Random.bytes(16)
            bytes[0] = bytes[0] & 0x7f | 0x40
            return DER.value(DER.integer, bytes)
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }

    /// UTCTime to 2049, GeneralizedTime from 2050 (RFC 5280, 4.1.2.5).
    static func time(_ date: NumericDate) -> [UInt8] {
        let seconds = Int(date.seconds)
        let day = CivilDate(daysSince1970: seconds / 86_400)
        let rest = seconds % 86_400
        var text: [UInt8] = []
        for number in [day.month, day.day, rest / 3_600, rest / 60 % 60, rest % 60] {
            text += [UInt8(0x30 + number / 10), UInt8(0x30 + number % 10)]
        }
        let digits = Array(String(day.year).utf8)
        text.append(UInt8(ascii: "Z"))
        return day.year < 2050
            ? DER.value(DER.utcTime, digits.suffix(2) + text)
            : DER.value(DER.generalizedTime, digits + text)
    }
}
