// Keys that are made in a token, and certificates that are put beside them.

public import JOSE
import JOSEBytes
import JOSECrypto

/// A kind of key that a token makes.
public enum PKCS11KeyKind: Sendable, Hashable {
    /// RSA with so many bits, 2048 to 8192, and the exponent 65537.
    case rsa(bits: Int)
    /// A key on a curve.
    case curve(JWKCurve)
}

extension PKCS11Token {
    /// Makes a key pair in the token: private, sensitive, not extractable, there for good.
    ///
    /// One key is made at a time in a token. Where another program makes one of the same name
    /// meanwhile, this one is removed.
    ///
    /// - Parameters:
    ///   - kind: What key.
    ///   - use: Whether it signs, or decrypts and agrees; never both.
    ///   - label: Its label, 1 to 255 bytes; no other private key has it.
    ///   - id: Its identifier, 1 to 255 bytes, which no other private key has; 16 random bytes where none is given.
    ///   - keyID: Its `kid`; the thumbprint (RFC 7638) where none is given.
    ///   - timeout: How long to wait; a device may take a minute for an RSA key, and may make it after that.
    /// - Throws: `misuse` for a size, curve or name that cannot be, `keyUnusable` for a name that is taken or a key that the
    ///   token does not make, `unavailable` as for `open`.
    public func makeKey(
        _ kind: PKCS11KeyKind, use: KeyUse, label: String, id: [UInt8]? = nil,
        keyID: String? = nil, timeout: Duration = .seconds(120)
    ) async throws(JOSEError) -> PKCS11Key {
        let form = try PKCS11Token.form(kind, use)
        var id = id ?? []
        if id.isEmpty { id = try PKCS11Token.randomID() }
        let (made, label) = (id, Array(label.utf8))
        guard 1...255 ~= label.count, id.count <= 255 else {
            throw .misuse("a label or id of a PKCS#11 key has 1 to 255 bytes")
        }
        let (module, deadline) = (self.module, ContinuousClock.Instant.end(of: timeout))
        let turn = try await takeMakingTurn(until: deadline)
        try await run(until: deadline) { worker, deadline throws(PKCS11Error) in
            // Not where the wait ends: the module may go on making the key after that.
            defer { turn.end() }
            try worker.attempt(until: deadline) { session throws(PKCS11Error) in
                for (id, label) in [(made, nil), (nil, label)] as [([UInt8]?, [UInt8]?)] {
                    guard try module.find(.privateKey, id: id, label: label, in: session).isEmpty
                    else { throw .rejected("the PKCS#11 token has a key of that name") }
                }
                try worker.aside(writes: true) { session throws(PKCS11Error) in
                    let pair = try form.make(
                        module, signs: use == .signature, made, label, in: session)
                    try PKCS11Token.keepOnly(pair, module, made, label, in: session)
                }
            }
        }
        return try await key(
            PKCS11URI(id: made, label: label), keyID: keyID, use: use, until: deadline)
    }

    /// Puts the certificates of a key into the token: its own under the key's id, and those that issued it.
    ///
    /// After a renewal the token has two certificates of the key until the old one is removed; `key(_:keyID:use:timeout:)`
    /// says which one is shown.
    ///
    /// - Parameters:
    ///   - certificates: DER, in any order; one must hold the key, and all must belong to its chain.
    ///   - key: A key of this token.
    ///   - timeout: How long to wait.
    /// - Throws: `malformed`, `limitExceeded`, `keyUnusable` for certificates as
    ///   `JWK.withCertificates(_:limits:)` does; `keyUnusable` where the token has this one;
    ///   `unavailable` as for `open`.
    /// - Returns: The key as it is read now, with `x5c`.
    public func store(
        certificates: [[UInt8]], for key: PKCS11Key, timeout: Duration = .seconds(30)
    ) async throws(JOSEError) -> PKCS11Key {
        let chain = try key.publicKey.withCertificates(certificates).certificateChain ?? []
        var objects: [(der: [UInt8], subject: [UInt8])] = []
        for der in chain {
            objects.append((der, Array(der[try CertificateOutline(der.span).subject])))
        }
        let (made, name, publicKey, module) = (objects, key.name, key.publicKey, self.module)
        let deadline = ContinuousClock.Instant.end(of: timeout)
        try await run(until: deadline) { worker, deadline throws(PKCS11Error) in
            try worker.attempt(until: deadline) { session throws(PKCS11Error) in
                var own = Set(made.prefix(1).map(\.der))
                for object in try module.find(.certificate, id: name.id, label: nil, in: session) {
                    // Another key may have the id too.
                    guard let der = try module.read(.value, of: object, in: session),
                        publicKey.isKey(ofCertificate: der)
                    else { continue }
                    guard own.insert(der).inserted else {
                        throw .rejected("the PKCS#11 token has the certificate of the key")
                    }
                }
                // Of what lies there afterwards one must be the one to show, or nobody could use the key any more.
                do throws(JOSEError) {
                    _ = try KeyOutline.current(own, .now)
                } catch {
                    throw .rejected(
                        "with the certificates that the PKCS#11 token has of the key none could be shown: two for the same time, or none valid now"
                    )
                }
                var known: [[UInt8]] = []
                for object in try module.find(.certificate, id: nil, label: nil, in: session) {
                    if let der = try module.read(.value, of: object, in: session) {
                        known.append(der)
                    }
                }
                try worker.aside(writes: true) { session throws(PKCS11Error) in
                    // The key's own comes last: where this ends early, it can be done again.
                    for (index, one) in made.enumerated().reversed() where !known.contains(one.der)
                    {
                        let isOwn = index == 0
                        try module.put(
                            certificate: one.der, subject: one.subject,
                            id: isOwn ? name.id : [], label: isOwn ? name.label : [], in: session)
                    }
                }
            }
        }
        return try await self.key(
            PKCS11URI(id: name.id, label: name.label), keyID: key.publicKey.keyID,
            use: key.publicKey.use, until: deadline)
    }

    private func takeMakingTurn(
        until deadline: ContinuousClock.Instant
    ) async throws(JOSEError) -> KeyGenerationLock.Hold {
        // A turn that was taken at the fork is never passed on in the child.
        guard module.isHere else { throw PKCS11Error.forked.error }
        do throws(PKCS11Error) {
            return try await pool.seat.makingTurn.take(until: deadline)
        } catch {
            throw error.error
        }
    }

    /// Checks again that no other private key has the name of a pair that was made: another program
    /// may have looked for it at the same time. The pair is removed then; both programs may do so.
    private static func keepOnly(
        _ pair: (publicKey: UInt64, privateKey: UInt64), _ module: PKCS11Module, _ id: [UInt8],
        _ label: [UInt8], in session: UInt64
    ) throws(PKCS11Error) {
        for (id, label) in [(id, nil), (nil, label)] as [([UInt8]?, [UInt8]?)] {
            // Where it cannot be checked the key is there, and reading it finds the other.
            let found = try? module.find(.privateKey, id: id, label: label, in: session)
            guard let found, found.count > 1 else { continue }
            try module.destroy(pair.privateKey, in: session)
            try module.destroy(pair.publicKey, in: session)
            throw .rejected(
                "another program made a PKCS#11 key of that name meanwhile; use another label"
            )
        }
    }

    private static func form(
        _ kind: PKCS11KeyKind, _ use: KeyUse
    ) throws(JOSEError) -> NewKeyForm {
        guard use == .signature || use == .encryption else {
            throw .misuse("a PKCS#11 key is made for sig or for enc")
        }
        switch kind {
        case .rsa(let bits):
            guard 2048...8192 ~= bits, bits % 8 == 0 else {
                throw .misuse("RSA keys have 2048 to 8192 bits, a multiple of 8")
            }
            return NewKeyForm(type: .rsa, bits: bits, parameters: [])
        case .curve(let curve):
            guard let row = TokenCurve.of(curve) else {
                throw .misuse("no PKCS#11 token has the curve")
            }
            guard use == .signature ? row.type != .montgomery : row.type != .edwards else {
                throw .misuse("a key on that curve is not for that use")
            }
            let names = [row.parameters] + (row.name.isEmpty ? [] : [row.name])
            return NewKeyForm(type: row.type, bits: 0, parameters: names)
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

/// What a token is told of a key that it shall make.
private struct NewKeyForm: Sendable {
    let type: TokenKeyType
    let bits: Int
    /// The curve's names, one of which the token knows.
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
