// Certificates and certificate requests for our own keys, written by hand.

import JOSEBytes
import JOSECrypto

extension JWK {
    /// The same key with a certificate that it signed itself, for a sandbox: no chain validation accepts it.
    ///
    /// - Parameters:
    ///   - subject: Whom the certificate names.
    ///   - start: The beginning of its validity.
    ///   - end: The end, inclusive.
    /// - Throws: `keyUnusable` for a public key or one that may not sign, `misuse` for an empty name or a validity that ends
    ///   before it begins.
    ///
    /// keyUsage follows `use`: digitalSignature for sig; for enc keyEncipherment with RSA, keyAgreement with a curve.
    /// Costs one signature.
    public func withSelfSignedCertificate(
        subject: CertificateSubject, from start: NumericDate, until end: NumericDate
    ) throws(JOSEError) -> JWK {
        let draft = try CertificateDraft(selfSigned: self, subject, from: start, until: end)
        return try withCertificates([draft.unsigned(by: self).signed()])
    }

    /// The same key with a certificate that it signed itself and that lets it issue others: a root for a demonstration
    /// or a test. A real authority is not made here.
    package func selfSignedAuthority(
        subject: CertificateSubject, from start: NumericDate, until end: NumericDate
    ) throws(JOSEError) -> JWK {
        let name = try subject.encoded()
        let draft = CertificateDraft(
            key: self, subject: name, issuer: name, authorityID: nil, start: start, end: end,
            isAuthority: true, serial: try DERValue.serial())
        return try withCertificates([draft.unsigned(by: self).signed()])
    }

    /// The same key with a certificate by a local authority, and the authority's chain behind it.
    ///
    /// - Parameters:
    ///   - authority: A private key whose `x5c` begins with its own CA certificate.
    ///   - subject: Whom the certificate names.
    ///   - start: The beginning of its validity.
    ///   - end: The end, inclusive.
    /// - Throws: `keyUnusable` where the authority has no private key or no certificate that lets
    ///   it issue others at `start` (basicConstraints, keyUsage, validity), `misuse` as for
    ///   `withSelfSignedCertificate(subject:from:until:)`.
    public func withCertificate(
        issuedBy authority: JWK, subject: CertificateSubject, from start: NumericDate,
        until end: NumericDate
    ) throws(JOSEError) -> JWK {
        let draft = try CertificateDraft(self, by: authority, subject, from: start, until: end)
        return try withCertificates(
            [draft.unsigned(by: authority).signed()] + (authority.certificateChain ?? []))
    }

    /// A request for a certificate (PKCS#10, RFC 2986), signed by this key.
    ///
    /// - Parameters:
    ///   - subject: Whom the certificate shall name.
    ///   - encoding: DER or PEM.
    /// - Throws: `keyUnusable` for a public key or one that may not sign, `misuse` for an empty name.
    public func certificateRequest(
        subject: CertificateSubject, _ encoding: KeyFileEncoding
    ) throws(JOSEError) -> [UInt8] {
        try encoding.encoded(requestDraft(subject).signed())
    }

    /// The request before it is signed.
    func requestDraft(
        _ subject: CertificateSubject
    ) throws(JOSEError) -> CertificateSignature.Draft {
        try CertificateSignature(self).checkWhetherSigns(self)
        let extensions = DERValue.sequence(try DERValue.keyUsage(self))
        let attribute = DERValue.sequence(
            DERValue.identifier(DERValue.extensionRequest) + DERValue.tagged(0x31, extensions))
        var body: [UInt8] = [0x02, 0x01, 0x00]
        body += try subject.encoded()
        body += try publicKeyFile(.der)
        body += DERValue.tagged(0xa0, attribute)
        return try CertificateSignature.Draft(DERValue.sequence(body), by: self)
    }
}

extension KeyFileEncoding {
    /// A certificate request in this encoding.
    func encoded(_ request: [UInt8]) -> [UInt8] {
        guard self == .pem else { return request }
        return PEM.block(KeyFileFormat.request.label, request.span).withSpan { text in
            [UInt8](capacity: text.count) { $0.append(copying: text) }
        }
    }
}

/// A certificate before it is signed (RFC 5280, 4.1); its serial number is drawn.
struct CertificateDraft {
    let key: JWK
    let subject: [UInt8]
    let issuer: [UInt8]
    /// The issuer's subjectKeyIdentifier, if it has one.
    let authorityID: [UInt8]?
    let start: NumericDate
    let end: NumericDate
    var isAuthority = false
    let serial: [UInt8]

    /// RFC 7093, 2: the left 160 bits of a SHA-256; it is a name, not a proof.
    private static func keyID(_ spki: [UInt8]) throws(JOSEError) -> [UInt8] {
        Array(try CertificateMembers.digest(.sha256, spki).prefix(20))
    }

    /// The certificate with everything but the authority's signature.
    func unsigned(by authority: JWK) throws(JOSEError) -> CertificateSignature.Draft {
        guard start < end else { throw .misuse("the validity ends before it begins") }
        let spki = try key.publicKeyFile(.der)
        let keyID = try CertificateDraft.keyID(spki)
        var extensions = isAuthority ? DERValue.authority : DERValue.basicConstraints
        if !isAuthority { extensions += try DERValue.keyUsage(key) }
        extensions += DERValue.extension(14, DERValue.tagged(DER.octetString, keyID))
        // An issuer without one is named as it would name itself (RFC 5280, 4.2.1.1: derived from the signing key).
        var issuerID = try CertificateDraft.keyID(authority.publicKeyFile(.der))
        if let authorityID { issuerID = authorityID }
        extensions += DERValue.extension(
            35, DERValue.sequence(DERValue.tagged(0x80, issuerID)))
        // Version 3, then the fields in the order of RFC 5280, 4.1.
        var body: [UInt8] = [0xa0, 0x03, 0x02, 0x01, 0x02]
        body += serial
        body += try CertificateSignature(authority).identifier
        body += issuer
        body += DERValue.sequence(DERValue.time(start) + DERValue.time(end))
        body += subject
        body += spki
        body += DERValue.tagged(0xa3, DERValue.sequence(extensions))
        return try CertificateSignature.Draft(DERValue.sequence(body), by: authority)
    }
}

extension CertificateDraft {
    /// One that a key signs itself.
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

    /// One that an authority signs.
    init(
        _ key: JWK, by authority: JWK, _ subject: CertificateSubject, from start: NumericDate,
        until end: NumericDate
    ) throws(JOSEError) {
        guard let own = authority.certificateChain?.first else {
            throw .keyUnusable("the authority has no certificate")
        }
        let facts = try IssuerFacts(own.span, at: start)
        self.init(
            key: key, subject: try subject.encoded(), issuer: facts.subject,
            authorityID: facts.keyID, start: start, end: end, serial: try DERValue.serial())
    }
}

/// What a certificate takes from its issuer's.
private struct IssuerFacts {
    /// The whole Name.
    let subject: [UInt8]
    /// subjectKeyIdentifier, if there is one.
    let keyID: [UInt8]?

    /// Throws `keyUnusable` where the certificate does not let its key issue others at that time.
    init(_ bytes: Span<UInt8>, at start: NumericDate) throws(JOSEError) {
        let outline = try CertificateOutline(bytes)
        guard try outline.isAuthority(bytes) else {
            throw .keyUnusable(
                "the authority's certificate does not allow to issue certificates")
        }
        guard start >= outline.notBefore, start.seconds <= outline.notAfter.seconds else {
            throw .keyUnusable("the authority's certificate is not valid at that time")
        }
        subject = outline.subject.map { bytes[$0] }
        keyID = try outline.keyID(bytes)
    }
}

/// The values of certificates, each as its whole encoding.
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

    static func tagged(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [UInt8](capacity: DER.size(contents.count)) { out in
            DER.append(tag, contents.count, to: &out)
            out.append(copying: contents.span)
        }
    }

    static func sequence(_ contents: [UInt8]) -> [UInt8] {
        tagged(DER.sequence, contents)
    }

    static func identifier(_ contents: [UInt8]) -> [UInt8] { tagged(DER.identifier, contents) }

    /// An extension of RFC 5280, 4.2.1, that is not critical.
    static func `extension`(_ last: UInt8, _ value: [UInt8]) -> [UInt8] {
        sequence(identifier([0x55, 0x1d, last]) + tagged(DER.octetString, value))
    }

    /// Critical; all that the kind can do where the key does not say what it is for.
    static func keyUsage(_ key: JWK) throws(JOSEError) -> [UInt8] {
        var usages = KeyKindEntry.row(key.prepared.material.kind)?.usages ?? []
        switch key.use {
        case nil: break
        case KeyUse.signature?: usages.formIntersection(.digitalSignature)
        case KeyUse.encryption?: usages.subtract(.digitalSignature)
        default: usages = []
        }
        let bits = usages.rawValue
        guard bits != 0 else {
            throw .keyUnusable("a key of this kind cannot do what its use says")
        }
        let value = tagged(DER.bitString, [UInt8(bits.trailingZeroBitCount), bits])
        let head: [UInt8] = [0x06, 0x03, 0x55, 0x1d, 15, 0x01, 0x01, 0xff]
        return sequence(head + tagged(DER.octetString, value))
    }

    /// 127 random bits, never zero.
    static func serial() throws(JOSEError) -> [UInt8] {
        do throws(CryptoError) {
            var bytes = try Random.bytes(16)
            bytes[0] = bytes[0] & 0x7f | 0x40
            return tagged(DER.integer, bytes)
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }

    /// UTCTime to 2049, GeneralizedTime from 2050 (RFC 5280, 4.1.2.5).
    static func time(_ date: NumericDate) -> [UInt8] {
        let seconds = Int(date.seconds)
        // Years that begin in March have the leap day at their end.
        let days = seconds / 86_400 + 719_468
        let (era, dayOfEra) = (days / 146_097, days % 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shifted + 2) / 5 + 1
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let rest = seconds % 86_400
        var text: [UInt8] = []
        for number in [month, day, rest / 3_600, rest / 60 % 60, rest % 60] {
            text += [UInt8(0x30 + number / 10), UInt8(0x30 + number % 10)]
        }
        let digits = Array(String(year).utf8)
        text.append(UInt8(ascii: "Z"))
        return year < 2050
            ? tagged(0x17, digits.suffix(2) + text) : tagged(0x18, digits + text)
    }
}
