// Keys and certificates that are removed from a token, for good.

public import JOSE

extension PKCS11Token {
    /// Removes a key from the token for good: its certificates, its public key, and then the private one.
    ///
    /// Certificates of those that issued its own stay, and what has the key's id and holds another
    /// key. Where this ends early the private key is still there, and it can be done again; whoever
    /// holds the key gets `unavailable` afterwards.
    ///
    /// - Parameters:
    ///   - key: A key of this token.
    ///   - timeout: How long to wait; what the module has begun by then it may end.
    /// - Throws: `misuse` for a key of another token, `keyNotFound` where it is not there any more, `keyUnusable` where two
    ///   have its name or the token rejects, `unavailable` as for `open`.
    public func remove(
        _ key: PKCS11Key, timeout: Duration = .seconds(30)
    ) async throws(JOSEError) {
        let publicKey = key.publicKey
        try await write(key, until: .end(of: timeout)) { worker, module, session throws(PKCS11Error) in
            let name = key.name
            let own = try worker.privateKey(id: name.id, label: name.label, in: session)
            // What lies beside it is found by the id, which another key may have too.
            if !name.id.isEmpty {
                for object in try module.find(.certificate, id: name.id, label: nil, in: session) {
                    guard let der = try module.read(.value, of: object, in: session),
                        publicKey.isKey(ofCertificate: der)
                    else { continue }
                    try module.destroy(object, in: session)
                }
                for object in try module.find(.publicKey, id: name.id, label: nil, in: session)
                where try KeyNumbers.read(object, module, in: session)?.isKey(publicKey) == true {
                    try module.destroy(object, in: session)
                }
            }
            try module.destroy(own, in: session)
        }
    }

    /// Removes a certificate of a key from the token for good, as the old one after a renewal.
    ///
    /// - Parameters:
    ///   - certificate: The key's own certificate in DER.
    ///   - key: A key of this token.
    ///   - timeout: How long to wait; what the module has begun by then it may end.
    /// - Throws: As `remove(_:timeout:)`, and `keyNotFound` where the token has no such certificate of the key.
    /// - Returns: The key as it is read now.
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

    /// Runs work in a session that writes.
    private func write(
        _ key: PKCS11Key, until deadline: ContinuousClock.Instant,
        _ work:
            @escaping @Sendable (Worker, PKCS11Module, UInt64) throws(PKCS11Error) -> Void
    ) async throws(JOSEError) {
        guard key.token === self else { throw .misuse("the key is of another PKCS#11 token") }
        let module = self.module
        try await run(until: deadline) { worker, deadline throws(PKCS11Error) in
            try worker.attempt(until: deadline) { _ throws(PKCS11Error) in
                try worker.aside(writes: true) { session throws(PKCS11Error) in
                    try work(worker, module, session)
                }
            }
        }
    }
}
