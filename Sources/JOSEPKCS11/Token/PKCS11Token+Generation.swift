// Generates keys in a token, and stores certificates.

public import JOSE
import JOSEBytes
import JOSECrypto

/// The type and size of a key to generate.
public enum PKCS11KeyKind: Sendable, Hashable {
    /// RSA with 2048 to 8192 bits, a multiple of 8, and the exponent 65537.
    case rsa(bits: Int)
    /// A key on a curve.
    case curve(JWKCurve)
}

extension PKCS11Token {
    /// Generates a key pair in the token. The private key is sensitive and not extractable.
    ///
    /// A process generates one key at a time in a token. If another program generates a key with
    /// the same label or id meanwhile, this call removes its own key.
    ///
    /// - Parameters:
    ///   - kind: The type and size.
    ///   - use: `.signature`, or `.encryption` for decryption and key agreement.
    ///   - label: A label of 1 to 255 bytes that no other private key has.
    ///   - id: An id of 1 to 255 bytes that no other private key has; nil or an empty id takes 16
    ///     random bytes.
    ///   - keyID: The `kid`; nil takes the thumbprint (RFC 7638).
    ///   - timeout: The maximum time to wait. A device may take a minute for an RSA key, and may
    ///     finish it after the timeout.
    /// - Throws: `misuse` for an invalid size, curve, use, label or id; `keyUnusable` if the label
    ///   or id is taken or the token cannot generate such a key; `unavailable` as `open`.
    public func makeKey(
        _ kind: PKCS11KeyKind, use: KeyUse, label: String, id: [UInt8]? = nil,
        keyID: String? = nil, timeout: Duration = .seconds(120)
    ) async throws(JOSEError) -> PKCS11Key {
        let template = try PKCS11Token.template(kind, use)
        var id = id ?? []
        if id.isEmpty { id = try PKCS11Token.randomID() }
        let (newID, label) = (id, Array(label.utf8))
        guard 1...255 ~= label.count, id.count <= 255 else {
            throw .misuse("the label of a PKCS#11 key needs 1 to 255 bytes, its id at most 255")
        }
        let (module, deadline) = (self.module, ContinuousClock.Instant.end(of: timeout))
        let hold = try await lockKeyGeneration(until: deadline)
        try await run(until: deadline) { worker, deadline throws(PKCS11Error) in
            // Released here: after a timeout the module may still be generating the key.
            defer { hold.end() }
            try worker.attempt(until: deadline) { session throws(PKCS11Error) in
                for (id, label) in [(newID, nil), (nil, label)] as [([UInt8]?, [UInt8]?)] {
                    guard try module.find(.privateKey, id: id, label: label, in: session).isEmpty
                    else { throw .rejected("the PKCS#11 token has a key with this label or id") }
                }
                try worker.inSeparateSession(writes: true) { session throws(PKCS11Error) in
                    let pair = try template.make(
                        module, signs: use == .signature, newID, label, in: session)
                    try PKCS11Token.keepOnly(pair, module, newID, label, in: session)
                }
            }
        }
        return try await key(
            PKCS11URI(id: newID, label: label), keyID: keyID, use: use, until: deadline)
    }

    /// Stores the certificates of a key in the token: the key's own under its id, and the issuers'.
    /// After a renewal, remove the old certificate: `key(_:keyID:use:timeout:)` publishes only one.
    ///
    /// - Parameters:
    ///   - certificates: DER, in any order. One must have the key; all must belong to its chain.
    ///   - key: A key of this token.
    ///   - timeout: The maximum time to wait.
    /// - Throws: `misuse` for a key of another token; `malformed`, `limitExceeded`, `keyUnusable`
    ///   for certificates as `JWK.withCertificates(_:limits:)` does; `keyUnusable` if the token
    ///   already has the key's certificate or rejects the call, or if afterwards no certificate of
    ///   the key could be published; `unavailable` as `open`.
    /// - Returns: The key, read again, with `x5c`.
    public func store(
        certificates: [[UInt8]], for key: PKCS11Key, timeout: Duration = .seconds(30)
    ) async throws(JOSEError) -> PKCS11Key {
        try checkOwner(of: key)
        let chain = try key.publicKey.withCertificates(certificates).certificateChain ?? []
        var objects: [(der: [UInt8], subject: [UInt8])] = []
        for der in chain {
            objects.append((der, Array(der[try CertificateOutline(der.span).subject])))
        }
        let (chainObjects, name, publicKey, module) = (
            objects, key.name, key.publicKey, self.module
        )
        let deadline = ContinuousClock.Instant.end(of: timeout)
        try await run(until: deadline) { worker, deadline throws(PKCS11Error) in
            try worker.attempt(until: deadline) { session throws(PKCS11Error) in
                var own = Set(chainObjects.prefix(1).map(\.der))
                for object in try module.find(.certificate, id: name.id, label: nil, in: session) {
                    // Another key may have the id too.
                    guard let der = try module.read(.value, of: object, in: session),
                        publicKey.isKey(ofCertificate: der)
                    else { continue }
                    guard own.insert(der).inserted else {
                        throw .rejected("the PKCS#11 token already has this certificate")
                    }
                }
                // One certificate must remain selectable, or the key would become unusable.
                do throws(JOSEError) {
                    _ = try KeyOutline.current(own, .now)
                } catch {
                    throw .rejected(
                        "no certificate would be valid now, or two would have the same validity"
                    )
                }
                var stored: [[UInt8]] = []
                for object in try module.find(.certificate, id: nil, label: nil, in: session) {
                    if let der = try module.read(.value, of: object, in: session) {
                        stored.append(der)
                    }
                }
                try worker.inSeparateSession(writes: true) { session throws(PKCS11Error) in
                    // The key's own certificate is last, so that a failed call can be repeated.
                    for (index, new) in chainObjects.enumerated().reversed()
                    where !stored.contains(new.der) {
                        let isOwn = index == 0
                        try module.put(
                            certificate: new.der, subject: new.subject,
                            id: isOwn ? name.id : [], label: isOwn ? name.label : [], in: session)
                    }
                }
            }
        }
        return try await self.key(
            PKCS11URI(id: name.id, label: name.label), keyID: key.publicKey.keyID,
            use: key.publicKey.use, until: deadline)
    }

    func checkOwner(of key: PKCS11Key) throws(JOSEError) {
        guard key.token === self else { throw .misuse("the key is of another PKCS#11 token") }
    }

    private func lockKeyGeneration(
        until deadline: ContinuousClock.Instant
    ) async throws(JOSEError) -> KeyGenerationLock.Hold {
        // A lock that was taken at the fork is never released in the child.
        guard module.isSameProcess else { throw PKCS11Error.forked.error }
        do throws(PKCS11Error) {
            return try await pool.binding.keyGenerationLock.take(until: deadline)
        } catch {
            throw error.error
        }
    }

    /// Removes the new pair if another private key has its label or id: another program may have
    /// generated one meanwhile. Both programs may remove their pairs.
    private static func keepOnly(
        _ pair: (publicKey: UInt64, privateKey: UInt64), _ module: PKCS11Module, _ id: [UInt8],
        _ label: [UInt8], in session: UInt64
    ) throws(PKCS11Error) {
        for (id, label) in [(id, nil), (nil, label)] as [([UInt8]?, [UInt8]?)] {
            // If the search fails, the pair stays. Reading the key then fails if there are two.
            let found = try? module.find(.privateKey, id: id, label: label, in: session)
            guard let found, found.count > 1 else { continue }
            try module.destroy(pair.privateKey, in: session)
            try module.destroy(pair.publicKey, in: session)
            throw .rejected(
                "another program generated a key with this label or id meanwhile: use another label"
            )
        }
    }

    private static func template(
        _ kind: PKCS11KeyKind, _ use: KeyUse
    ) throws(JOSEError) -> NewKeyTemplate {
        guard use == .signature || use == .encryption else {
            throw .misuse("a PKCS#11 key is generated for the use sig or enc")
        }
        switch kind {
        case .rsa(let bits):
            guard 2048...8192 ~= bits, bits % 8 == 0 else {
                throw .misuse("RSA keys in PKCS#11 tokens need 2048 to 8192 bits, a multiple of 8")
            }
            return NewKeyTemplate(type: .rsa, bits: bits, parameters: [])
        case .curve(let curve):
            guard let entry = TokenCurve.of(curve) else {
                throw .misuse("the curve is not supported in PKCS#11 tokens")
            }
            guard use == .signature ? entry.type != .montgomery : entry.type != .edwards else {
                throw .misuse("a key on this curve cannot have this use")
            }
            let names = [entry.parameters] + (entry.name.isEmpty ? [] : [entry.name])
            return NewKeyTemplate(type: entry.type, bits: 0, parameters: names)
        }
    }

    private static func randomID() throws(JOSEError) -> [UInt8] {
        do {
            return try Random.bytes(16)
        } catch {
            throw .internalFailure
        }
    }
}

private struct NewKeyTemplate: Sendable {
    let type: TokenKeyType
    let bits: Int
    /// Encodings of the curve's name: the token may support only one of them.
    let parameters: [[UInt8]]

    func make(
        _ module: PKCS11Module, signs: Bool, _ id: [UInt8], _ label: [UInt8], in session: UInt64
    ) throws(PKCS11Error) -> (publicKey: UInt64, privateKey: UInt64) {
        var names = parameters
        while true {
            let name = names.isEmpty ? [] : names.removeFirst()
            do throws(PKCS11Error) {
                return try type.makePair(
                    module, in: session, rsaBits: bits, parameters: name, signs: signs, id: id,
                    label: label)
            } catch {
                switch error {
                case .absent, .failed: if names.isEmpty { throw error }
                default: throw error
                }
            }
        }
    }
}
