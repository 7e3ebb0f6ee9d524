// Writes key files, and adds issued certificates to a key.

import JOSEBytes
import JOSECrypto

extension JWK {
    /// How a key file is written: DER or PEM.
    public enum FileEncoding: Sendable, Hashable {
        /// Binary DER.
        case der
        /// PEM, text with BEGIN and END lines.
        case pem
    }
}

extension JWK {
    /// Returns the public key as SubjectPublicKeyInfo (RFC 5280, 4.1).
    ///
    /// - Throws: `keyUnusable` for a symmetric key.
    public func publicKeyFile(_ encoding: JWK.FileEncoding) throws(JOSEError) -> [UInt8] {
        let der = try prepared.material.publicDER()
        guard encoding == .pem else { return der }
        return PEM.block(KeyFileContents.Format.spki.label, der.span).withSpan {
            [UInt8](copying: $0)
        }
    }

    /// Passes the private key as PKCS#8 (RFC 5958) to `body` and wipes the bytes afterwards.
    ///
    /// - Parameters:
    ///   - encoding: DER or PEM.
    ///   - password: The password in UTF-8: 1 to 1,024 bytes without a NUL; nil writes the key
    ///     unencrypted.
    ///   - body: Receives the bytes, which are valid during the call.
    /// - Throws: `keyUnusable` for a public or a symmetric key, `misuse` for an invalid password or
    ///   an external key.
    ///
    /// A password costs 600,000 iterations of PBKDF2, a few tenths of a second (RFC 8018, 6.2).
    public func withPrivateKeyFile<Result>(
        _ encoding: JWK.FileEncoding, password: [UInt8]? = nil,
        _ body: (Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        var format = KeyFileContents.Format.pkcs8
        var der = try prepared.privateDER()
        if let password {
            format = .encryptedPKCS8
            let encrypted = try EncryptedPKCS8.encrypt(der, password: JWK.filePassword(password))
            der = SecretBytes(copying: encrypted.span)
        }
        guard encoding == .pem else { return try der.withSpan(body) }
        return try der.withSpan { PEM.block(format.label, $0) }.withSpan(body)
    }

    /// Returns the private key with its certificates as a PKCS#12 file (RFC 7292), named by `kid`.
    ///
    /// - Parameter password: The password in UTF-8: 1 to 1,024 bytes without a NUL.
    /// - Throws: As `withPrivateKeyFile(_:password:_:)`.
    ///
    /// The file is encrypted with PBES2 (HMAC-SHA-256, AES-256-CBC) and has a MAC of SHA-256, with
    /// 600,000 iterations each: less than a second.
    public func pkcs12File(password: [UInt8]) throws(JOSEError) -> [UInt8] {
        let key = try prepared.privateDER()
        // Other programs end the name at a NUL.
        let name = keyID.flatMap { $0.utf8.contains(0) ? nil : $0 }
        let secret = try JWK.filePassword(password)
        do {
            return try PKCS12Contents.write(
                key: key, certificates: certificateChain ?? [], name: name, password: secret,
                iterations: EncryptedPKCS8.iterationsWritten)
        } catch {
            throw JOSEError(error, ifRejected: JWK.noFilePassword)
        }
    }

    private static let noFilePassword = JOSEError.misuse(
        "the password of an encrypted key file must have 1 to 1,024 bytes and no NUL")

    /// An empty password protects nothing, and other programs end a password at a NUL.
    private static func filePassword(_ password: [UInt8]) throws(JOSEError) -> SecretBytes {
        guard 1...1_024 ~= password.count, !password.contains(0) else { throw noFilePassword }
        return SecretBytes(copying: password.span)
    }

    /// Returns the certificates of `x5c` as a PEM bundle, leaf first, or the leaf alone as DER.
    ///
    /// - Throws: `keyUnusable` if there are none.
    public func certificateFile(_ encoding: JWK.FileEncoding) throws(JOSEError) -> [UInt8] {
        guard let chain = certificateChain, let leaf = chain.first else {
            throw .keyUnusable("the key has no certificates (x5c)")
        }
        guard encoding == .pem else { return leaf }
        return chain.flatMap { der in
            PEM.block(KeyFileContents.Format.certificate.label, der.span).withSpan {
                [UInt8](copying: $0)
            }
        }
    }
}

extension JWK {
    /// Returns the same key with an issued chain as `x5c`, leaf first, and its `x5t#S256` (RFC
    /// 7517, 4.7 to 4.9).
    ///
    /// - Parameters:
    ///   - certificates: DER certificates in any order: one for this key, its issuer, the issuer's
    ///     issuer, and so on, by name and signature. An issuer's certificate may contain the same
    ///     key.
    ///   - limits: Limits on the chain.
    /// - Throws: `malformed` for a certificate that is not strict DER, `limitExceeded` for too
    ///   many, `keyUnusable` if none or several may be the leaf, or one is not of the chain.
    ///
    /// The certificates are not validated: see `validated(by:purpose:at:)`. Costs a signature check
    /// for each certificate; a signature whose algorithm libcrypto does not support passes.
    public func withCertificates(
        _ certificates: [some Collection<UInt8>], limits: JOSELimits = .standard
    ) throws(JOSEError) -> JWK {
        let certificates = try CertificateMembers.checked(certificates, limits)
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

    /// The chain must be leaf first and not empty, which is not checked.
    func certified(byChain chain: [[UInt8]]) throws(JOSEError) -> JWK {
        var key = self
        key.certificates = CertificateMembers(
            chain: chain, sha256Thumbprint: try CertificateMembers.digest(.sha256, chain[0]))
        key.validatedChain = nil
        return key
    }
}
