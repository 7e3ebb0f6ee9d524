// Removes keys and certificates from a token.

public import JOSE

extension PKCS11Token {
    /// Permanently removes a key from the token: its certificates, public key, then private key.
    ///
    /// Certificates of issuers stay, and so do objects of another key with the same id. If the call
    /// fails, you can repeat it. Later operations with the key are `unavailable`.
    ///
    /// - Parameters:
    ///   - key: A key of this token.
    ///   - timeout: The maximum time to wait. The module may finish its current call later.
    /// - Throws: `misuse` for a key of another token; `keyNotFound` if it is already removed;
    ///   `keyUnusable` if two keys have its id and label, or if the token rejects the call;
    ///   `unavailable` as `open`.
    public func remove(
        _ key: PKCS11Key, timeout: Duration = .seconds(30)
    ) async throws(JOSEError) {
        let publicKey = key.publicKey
        try await write(key, until: .end(of: timeout)) {
            worker, module, session throws(PKCS11Error) in
            let name = key.name
            let privateKey = try worker.privateKey(id: name.id, label: name.label, in: session)
            // The key's other objects are found by the id, which another key may have too.
            if !name.id.isEmpty {
                for object in try module.find(.certificate, id: name.id, label: nil, in: session) {
                    guard let der = try module.read(.value, of: object, in: session),
                        publicKey.isKey(ofCertificate: der)
                    else { continue }
                    try module.destroy(object, in: session)
                }
                for object in try module.find(.publicKey, id: name.id, label: nil, in: session)
                where try PublicKeyParameters.read(object, module, in: session)?.isKey(publicKey)
                    == true
                {
                    try module.destroy(object, in: session)
                }
            }
            try module.destroy(privateKey, in: session)
        }
    }

    /// Permanently removes a key's certificate from the token, such as the old one after a renewal.
    ///
    /// - Parameters:
    ///   - certificate: The key's own certificate in DER.
    ///   - key: A key of this token.
    ///   - timeout: The maximum time to wait. The module may finish its current call later.
    /// - Throws: As `remove(_:timeout:)`, and `keyNotFound` if the token has no such certificate.
    /// - Returns: The key, read again.
    public func remove(
        certificate: [UInt8], of key: PKCS11Key, timeout: Duration = .seconds(30)
    ) async throws(JOSEError) -> PKCS11Key {
        let deadline = ContinuousClock.Instant.end(of: timeout)
        let (name, publicKey) = (key.name, key.publicKey)
        try await write(key, until: deadline) { _, module, session throws(PKCS11Error) in
            let all =
                name.id.isEmpty || !publicKey.isKey(ofCertificate: certificate)
                ? [] : try module.find(.certificate, id: name.id, label: nil, in: session)
            var isFound = false
            for object in all
            where try module.read(.value, of: object, in: session) == certificate {
                try module.destroy(object, in: session)
                isFound = true
            }
            guard isFound else {
                throw .notFound("the PKCS#11 token has no such certificate of the key")
            }
        }
        return try await self.key(
            PKCS11URI(id: name.id, label: name.label), keyID: key.publicKey.keyID,
            use: key.publicKey.use, until: deadline)
    }

    private func write(
        _ key: PKCS11Key, until deadline: ContinuousClock.Instant,
        _ work:
            @escaping @Sendable (Worker, PKCS11Module, UInt64) throws(PKCS11Error) -> Void
    ) async throws(JOSEError) {
        try checkOwner(of: key)
        let module = self.module
        try await run(until: deadline) { worker, deadline throws(PKCS11Error) in
            try worker.attempt(until: deadline) { _ throws(PKCS11Error) in
                try worker.inSeparateSession(writes: true) { session throws(PKCS11Error) in
                    try work(worker, module, session)
                }
            }
        }
    }
}
