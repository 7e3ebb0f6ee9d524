// A private key in a PKCS#11 token, as an external key for signers and decrypters.

public import JOSE
import JOSEBytes
import JOSECrypto

/// A private key that stays in its PKCS#11 token.
///
/// Get it with `PKCS11Token.key(_:keyID:use:timeout:)`, and pass `jwk(options:)` to signers and
/// decrypters. The key keeps its token open. A call costs a few microseconds more than the module's
/// own time.
public final class PKCS11Key: ExternalKey, DeadlineKeepingExternalKey {
    /// The public key, with `x5c` if the token has the key's certificate.
    public let publicKey: JWK
    /// The algorithms that the key allows and the token supports.
    public let capabilities: ExternalKeyCapabilities
    /// The key's identifier in the token, `CKA_ID`.
    public var id: [UInt8] { name.id }
    /// The key's label in the token, `CKA_LABEL`.
    public var label: [UInt8] { name.label }

    let token: PKCS11Token
    let name: KeyName
    private let needsPINEachTime: Bool
    private let mechanisms: Set<KeyMechanism>
    private let curve: TokenCurve?

    init(
        _ outline: KeyOutline, _ token: PKCS11Token, keyID: String?, use: KeyUse?
    ) throws(JOSEError) {
        publicKey = try outline.publicKey(keyID: keyID, use: use)
        self.token = token
        name = KeyName(id: outline.id, label: outline.label)
        needsPINEachTime = outline.needsPINEachTime
        mechanisms = outline.mechanisms
        let curve = publicKey.curve.flatMap(TokenCurve.of)
        self.curve = curve
        let kind = publicKey.prepared.material.kind
        let mechanisms = self.mechanisms
        capabilities = ExternalKeyCapabilities(
            signatures: SignatureAlgorithm.all.filter { algorithm in
                !algorithm.kinds.isDisjoint(with: kind)
                    && PKCS11Key.mechanism(algorithm, curve).map(mechanisms.contains) == true
            },
            keyManagement: KeyManagementAlgorithm.all.filter { algorithm in
                !algorithm.kinds.isDisjoint(with: kind)
                    && PKCS11Key.mechanism(algorithm, mechanisms) != nil
            })
        guard !capabilities.signatures.isEmpty || !capabilities.keyManagement.isEmpty else {
            throw .keyUnusable("the PKCS#11 key supports no algorithm of JOSE")
        }
    }

    private static func mechanism(_ algorithm: SignatureAlgorithm, _ curve: TokenCurve?)
        -> KeyMechanism?
    {
        switch algorithm.family {
        case .rsaPKCS1: .signPKCS1(algorithm.hash)
        case .rsaPSS: .signPSS(algorithm.hash)
        case .ecdsa: .signECDSA
        case .edDSA: curve?.curve == .ed448 ? .signEd448 : .signEd25519
        case .hmac, .mlDSA: nil
        }
    }

    /// OAEP in the token is preferred to the raw RSA operation.
    private static func mechanism(
        _ algorithm: KeyManagementAlgorithm, _ mechanisms: Set<KeyMechanism>
    ) -> KeyMechanism? {
        switch algorithm.family {
        case .rsaOAEP:
            [.decryptOAEP(algorithm.hash), .decryptRaw].first(where: mechanisms.contains)
        case .ecdhES: mechanisms.contains(.agree) ? .agree : nil
        default: nil
        }
    }

    /// Signs in the token.
    public func sign(
        _ request: ExternalSigningRequest
    ) async throws(ExternalKeyError) -> ExternalSignature {
        guard capabilities.signatures.contains(request.algorithm),
            let mechanism = PKCS11Key.mechanism(request.algorithm, curve),
            let operation = try? publicKey.prepared.signature(request.algorithm, signing: false)
        else { throw .failed }
        let input: [UInt8] =
            switch (mechanism, request.input) {
            case (.signPKCS1(let hash), .digest(let digest)): DigestInfo.prefix(hash) + digest
            case (.signEd25519, .message(let message)), (.signEd448, .message(let message)): message
            case (.signEd25519, _), (.signEd448, _), (_, .message): throw .failed
            case (_, .digest(let digest)): digest
            }
        let maxBytes = operation.signatureBytes
        return .plain(
            try await perform(until: request.deadline, request.permit) {
                module, object, session, pin throws(PKCS11Error) in
                try module.sign(mechanism, object, input, maxBytes: maxBytes, pin: pin, in: session)
            })
    }

    /// Decrypts in the token: by OAEP if the token supports that, else by the raw RSA operation.
    public func unwrap(
        _ request: ExternalUnwrappingRequest
    ) async throws(ExternalKeyError) -> ExternalUnwrappedKey {
        let bytes = (publicKey.sizeBits + 7) / 8
        guard capabilities.keyManagement.contains(request.algorithm), publicKey.keyType == .rsa,
            let mechanism = PKCS11Key.mechanism(request.algorithm, mechanisms),
            request.encryptedKey.count == bytes
        else { throw .failed }
        let secret = try await perform(until: request.deadline, request.permit) {
            module, object, session, pin throws(PKCS11Error) in
            try module.decrypt(mechanism, object, request.encryptedKey, pin: pin, in: session)
        }
        guard mechanism == .decryptRaw else { return .contentKey(secret) }
        guard secret.bytes.count == bytes else { throw .failed }
        return .block(secret)
    }

    /// Agrees on a secret in the token, as a session object that is destroyed after it is read.
    public func agree(
        _ request: ExternalAgreementRequest
    ) async throws(ExternalKeyError) -> ExternalKeySecret {
        guard let curve, curve.curve == request.curve, mechanisms.contains(.agree),
            request.publicKey.count == (curve.type == .ec ? 2 : 1) * curve.bytes
        else { throw .failed }
        return try await perform(until: request.deadline, request.permit) {
            module, object, session, _ throws(PKCS11Error) in
            try module.agree(
                object, with: curve.point(request.publicKey), bytes: curve.bytes, in: session)
        }
    }

    nonisolated(nonsending) private func perform<Value: Sendable>(
        until deadline: ContinuousClock.Instant, _ permit: ExternalKeyPermit?,
        _ body:
            @escaping @Sendable (PKCS11Module, UInt64, UInt64, OperationPIN) throws(PKCS11Error) ->
            Value
    ) async throws(ExternalKeyError) -> Value {
        let (module, name, needsPIN) = (token.module, name, needsPINEachTime)
        let token = self.token
        do throws(PKCS11Error) {
            return try await token.pool.run(until: deadline, needsPIN: needsPIN, permit: permit) {
                worker throws(PKCS11Error) in
                try worker.attempt(until: deadline) { session throws(PKCS11Error) in
                    let object = try worker.handle(of: name)
                    guard needsPIN else { return try body(module, object, session, .notRequested) }
                    return try worker.operate(until: deadline) { pin throws(PKCS11Error) in
                        try body(module, object, session, pin)
                    }
                }
            }
        } catch {
            throw error.externalKey
        }
    }
}

extension PKCS11Key {
    /// Checks with one operation that the public key matches the private one, unless each operation
    /// needs a PIN. Throws `keyUnusable` if the keys differ or the token rejects the operation.
    func tryOnce(until deadline: ContinuousClock.Instant) async throws(JOSEError) {
        guard !needsPINEachTime else { return }
        let isMatch: Bool
        do throws(ExternalKeyError) {
            if let algorithm = capabilities.signatures.first {
                isMatch = try await signsTrial(algorithm, until: deadline)
            } else if let curve {
                let secret = try await agree(
                    ExternalAgreementRequest(
                        curve: curve.curve, publicKey: curve.generatorCoordinates,
                        deadline: deadline))
                // The private key times the generator is the public key.
                let x = (publicKey.prepared.material as? CurveKeyMaterial)?.x ?? []
                isMatch = secret.bytes.withSpan { equal($0, x.span) }
            } else {
                isMatch = try await decryptsTrial(until: deadline)
            }
        } catch {
            switch error {
            case .unavailable:
                throw .unavailable(.key, "the PKCS#11 token does not respond")
            case .failed:
                throw .keyUnusable(
                    "the PKCS#11 token rejects a test operation, or the public key does not match")
            }
        }
        guard isMatch else { throw KeyOutline.otherKey }
    }

    private static let trialMessage = Array("swift-jose: whether a public key fits".utf8)

    private func signsTrial(
        _ algorithm: SignatureAlgorithm, until deadline: ContinuousClock.Instant
    ) async throws(ExternalKeyError) -> Bool {
        let message = PKCS11Key.trialMessage
        guard let digest = try? Hash.digest(algorithm.hash, message.span) else { throw .failed }
        let input: ExternalSigningRequest.Input =
            algorithm.family == .edDSA ? .message(message) : .digest(digest)
        let response = try await sign(
            ExternalSigningRequest(algorithm: algorithm, input: input, deadline: deadline))
        guard case .plain(let signature) = response else { return false }
        return isSignature(signature, algorithm, of: message)
    }

    /// Decrypts a content key, or makes an RS256 signature if the token has the raw RSA operation.
    private func decryptsTrial(
        until deadline: ContinuousClock.Instant
    ) async throws(ExternalKeyError) -> Bool {
        guard mechanisms.contains(.decryptRaw) else {
            guard let algorithm = capabilities.keyManagement.first,
                let token = try? JWEEncrypter(
                    key: publicKey.trialKey.withAcceleration(.noKernels), algorithm: algorithm,
                    content: .a128GCM
                ).encrypt(PKCS11Key.trialMessage)
            else { throw .failed }
            let part = Array(token.utf8).split(separator: UInt8(ascii: "."))[1]
            guard let encryptedKey = Base64URL.decode(Array(part).span) else { throw .failed }
            let response = try await unwrap(
                ExternalUnwrappingRequest(
                    algorithm: algorithm, encryptedKey: encryptedKey, deadline: deadline))
            guard case .contentKey(let secret) = response else { return false }
            return secret.bytes.count == 16
        }
        let bytes = (publicKey.sizeBits + 7) / 8
        guard let digest = try? Hash.digest(.sha256, PKCS11Key.trialMessage.span) else {
            throw .failed
        }
        let info = DigestInfo.prefix(.sha256) + digest
        let padding = [UInt8](repeating: 0xff, count: bytes - 3 - info.count)
        let encoded = [0x00, 0x01] + padding + [0x00] + info
        let secret = try await perform(until: deadline, nil) {
            module, object, session, pin throws(PKCS11Error) in
            try module.decrypt(.decryptRaw, object, encoded, pin: pin, in: session)
        }
        let signature = secret.bytes.withSpan { span in
            [UInt8](capacity: span.count) { $0.append(copying: span) }
        }
        return isSignature(signature, .rs256, of: PKCS11Key.trialMessage)
    }

    private func isSignature(
        _ signature: [UInt8], _ algorithm: SignatureAlgorithm, of message: [UInt8]
    ) -> Bool {
        guard
            let operation = try? publicKey.trialKey.prepared.signature(algorithm, signing: false),
            signature.count == operation.signatureBytes
        else { return false }
        return (try? operation.verify(message.span, signature: signature.span)) != nil
    }
}

extension JWK {
    /// The key without `use`, `key_ops` and `alg`. It verifies by EVP, since the caller has not
    /// chosen an acceleration yet. To encrypt, use it with `.noKernels`: with `.openSSLOnly`,
    /// encryption fails if the program replaced OpenSSL's random generator.
    fileprivate var trialKey: JWK { JWK(prepared.material).withAcceleration(.openSSLOnly) }
}

extension PKCS11Key: RedactedDescription {
    package var shownAs: String { "PKCS11Key, \(publicKey)" }
}

extension PKCS11Key {
    /// Returns a private JWK whose operations run in the token. Use it with the asynchronous calls,
    /// those with `timeout:`.
    ///
    /// - Parameter options: The limits on requests to the token, shared by all copies of this JWK.
    /// - Throws: `misuse` for options that allow no request.
    public func jwk(options: ExternalKeyOptions = .standard) throws(JOSEError) -> JWK {
        try publicKey.withExternalKey(self, options: options)
    }
}
