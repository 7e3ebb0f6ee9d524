// Key files from keys, and the certificates that were issued for a key.

import JOSEBytes
import JOSECrypto

/// The outer form of a key file that is written.
public enum KeyFileEncoding: Sendable, Hashable {
    /// The bytes themselves.
    case der
    /// Text with BEGIN and END lines.
    case pem
}

extension JWK {
    /// The public key as SubjectPublicKeyInfo (RFC 5280, 4.1).
    ///
    /// - Throws: `keyUnusable` for a symmetric key.
    public func publicKeyFile(_ encoding: KeyFileEncoding) throws(JOSEError) -> [UInt8] {
        let der = try prepared.material.publicDER()
        guard encoding == .pem else { return der }
        return PEM.block(KeyFileFormat.spki.label, der.span).withSpan(JWK.copied)
    }

    /// Lends the private key as PKCS#8, encrypted where there is a password; wiped afterwards.
    ///
    /// - Parameters:
    ///   - encoding: DER or PEM.
    ///   - password: The password in UTF-8: 1 to 1,024 bytes without a NUL; nil writes the key in the clear.
    ///   - body: Takes the bytes, which live as long as the call.
    /// - Throws: `keyUnusable` for a public or a symmetric key, `misuse` for another password or a key that is held
    ///   elsewhere.
    ///
    /// A password costs 600,000 iterations of PBKDF2, a few tenths of a second. Source: RFC 5958; RFC 8018, 6.2.
    public func withPrivateKeyFile<Result>(
        _ encoding: KeyFileEncoding, password: [UInt8]? = nil,
        _ body: (Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        var form = KeyFileFormat.pkcs8
        var der = try prepared.privateDER()
        if let password {
            form = .encryptedPKCS8
            let sealed = try EncryptedPKCS8.seal(der, password: JWK.filePassword(password))
            der = SecretBytes(copying: sealed.span)
        }
        guard encoding == .pem else { return try der.withSpan(body) }
        return try der.withSpan { PEM.block(form.label, $0) }.withSpan(body)
    }

    /// The private key with its certificates as a PKCS#12 file (RFC 7292), named by `kid`.
    ///
    /// - Parameter password: The password in UTF-8: 1 to 1,024 bytes without a NUL.
    /// - Throws: `keyUnusable` for a public or a symmetric key, `misuse` for another password or a key that is held
    ///   elsewhere.
    ///
    /// Encrypted by PBES2 with HMAC-SHA-256 and AES-256-CBC, with a MAC of SHA-256, 600,000 iterations each: less than
    /// a second.
    public func pkcs12File(password: [UInt8]) throws(JOSEError) -> [UInt8] {
        let key = try prepared.privateDER()
        // A NUL would end the name early.
        let name = keyID.flatMap { $0.utf8.contains(0) ? nil : $0 }
        let secret = try JWK.filePassword(password)
        do {
            return try PKCS12Contents.write(
                key: key, certificates: certificateChain ?? [], name: name, password: secret,
                iterations: EncryptedPKCS8.iterationsWritten)
        } catch {
            throw JOSEError(error, rejected: JWK.noFilePassword)
        }
    }

    private static let noFilePassword = JOSEError.misuse(
        "the password of an encrypted key file has 1 to 1,024 bytes, no NUL")

    /// A password to write a file with: none at all protects nothing, and at a NUL other programs end it.
    private static func filePassword(_ password: [UInt8]) throws(JOSEError) -> SecretBytes {
        guard 1...1_024 ~= password.count, !password.contains(0) else { throw noFilePassword }
        return SecretBytes(copying: password.span)
    }

    /// The certificates of `x5c` as a PEM bundle, leaf first; the leaf alone as DER.
    ///
    /// - Throws: `keyUnusable` where there are none.
    public func certificateFile(_ encoding: KeyFileEncoding) throws(JOSEError) -> [UInt8] {
        guard let chain = certificateChain, let leaf = chain.first else {
            throw .keyUnusable("the key carries no certificates")
        }
        guard encoding == .pem else { return leaf }
        return chain.flatMap { der in
            PEM.block(KeyFileFormat.certificate.label, der.span).withSpan(JWK.copied)
        }
    }

    private static func copied(_ bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](capacity: bytes.count) { $0.append(copying: bytes) }
    }
}

extension JWK {
    /// The same key with an issued chain as `x5c`, leaf first, and its `x5t#S256`.
    ///
    /// - Parameters:
    ///   - certificates: DER certificates in any order; exactly one must hold this key, and each
    ///     other one must have issued another of them, by its name and by the signature.
    ///   - limits: Bounds on the chain.
    /// - Throws: `malformed` if one is no strict DER certificate, `limitExceeded` for too many, `keyUnusable` where none
    ///   holds this key, several do, or one does not belong to the chain.
    ///
    /// Nothing is trusted by this: see `validated(by:purpose:at:)`. Costs a check of a signature
    /// for each certificate; one whose algorithm libcrypto does not know counts as right. Source:
    /// RFC 7517, 4.7 to 4.9.
    public func withCertificates(
        _ certificates: [some Collection<UInt8>], limits: JOSELimits = .standard
    ) throws(JOSEError) -> JWK {
        guard certificates.count <= limits.chainCount else {
            throw .limitExceeded(
                .certificate, "the chain has too many certificates (JOSELimits.chainCount)")
        }
        let certificates = certificates.map { [UInt8]($0) }
        for der in certificates where !StrictDER.isOneValue(der.span) {
            throw .malformed(.certificate, "the chain has an entry that is not a certificate")
        }
        var pool = try CertificatePool(certificates)
        if let failure = pool.firstFailure { throw failure }
        guard let leaf = try pool.leaf(of: pool.holders(of: prepared.material)) else {
            throw .keyUnusable("no certificate holds this key")
        }
        let chain = try pool.chain(from: leaf, limits)
        if let stranger = certificates.indices.first(where: { !chain.contains($0) }) {
            throw .keyUnusable(
                "certificate {} does not belong to the key's chain", .number(stranger + 1))
        }
        return try certified(byChain: chain.map { certificates[$0] })
    }

    /// The same key with a chain that is known to be its own, leaf first.
    func certified(byChain chain: [[UInt8]]) throws(JOSEError) -> JWK {
        var key = self
        key.certificates = CertificateMembers(
            chain: chain, sha256Thumbprint: try CertificateMembers.digest(.sha256, chain[0]))
        key.validatedChain = nil
        return key
    }
}
