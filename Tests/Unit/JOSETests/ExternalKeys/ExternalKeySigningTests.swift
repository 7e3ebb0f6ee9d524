// Signing with external keys: every algorithm, and external keys that return wrong results.

import JOSE
import JOSEBytes
import JOSECrypto
import Synchronization
import Testing

@Suite("External keys: signatures")
struct ExternalKeySigningTests {
    static let algorithms = SignatureAlgorithm.all.filter { !$0.keyTypes.contains(.oct) }

    @Test(
        "Every algorithm's signature by an external key verifies like a local one",
        arguments: algorithms)
    func everyAlgorithm(_ algorithm: SignatureAlgorithm) async throws {
        let key = TestKeys.named(try TestKeys.signer(for: algorithm), "held")
        let externalKey = try TestExternalKey(key)
        let signer = try JWSSigner(
            key: key.publicKey.withExternalKey(externalKey), algorithm: algorithm)
        let here = try JWSSigner(key: key, algorithm: algorithm)
        let verifier = try JWSVerifier(key: key.publicKey, algorithms: [algorithm])
        for payload in ["", "payload", String(repeating: "x", count: 10_000)] {
            let token = try await signer.sign(Array(payload.utf8), timeout: ample)
            #expect(try verifier.verify(token).payload == Array(payload.utf8))
            #expect(
                token.split(separator: ".")[0] == (try here.sign(payload)).split(separator: ".")[0])
            // The same call with the key in memory.
            #expect(
                try verifier.verify(await here.sign(Array(payload.utf8), timeout: ample)).payload
                    == Array(payload.utf8))
        }
        #expect(externalKey.callCount == 3)
        expectRejection("misuse") { _ = try signer.sign("payload") }
        expectRejection("misuse") { _ = try signer.signDetached([1]) }
        #expect(externalKey.callCount == 3)
    }

    @Test("A token over the limit is rejected before an external key signs")
    func tooLarge() async throws {
        let externalKey = try TestExternalKey(TestKeys.signing)
        let held = try TestKeys.signing.publicKey.withExternalKey(externalKey)
        let limits = JOSELimits.with { $0.tokenBytes = 420 }
        let signer = try JWSSigner(key: held, algorithm: .rs256, limits: limits)
        let all = try JWSJSONSigner(signatories: [.init(signer: signer)], limits: limits)
        let text = String(repeating: "x", count: 200)
        await expectRejection("limit-exceeded") {
            _ = try await signer.sign(Array(text.utf8), timeout: ample)
        }
        await expectRejection("limit-exceeded") {
            _ = try await signer.signUnencoded(text, timeout: ample)
        }
        await expectRejection("limit-exceeded") {
            _ = try await all.sign(Array(text.utf8), timeout: ample)
        }
        #expect(externalKey.callCount == 0)
        // The signature alone has 342 characters.
        _ = try await signer.signDetached(Array(text.utf8), timeout: ample)
        _ = try await signer.signUnencoded("x", timeout: ample)
        #expect(externalKey.callCount == 2)
    }

    @Test("Detached, unencoded and JSON serialisations with local and external keys together")
    func forms() async throws {
        let key = TestKeys.named(TestKeys.signing, "held")
        let curve = try JWK.generate(.curve(.p256), keyID: "curve")
        let held = try key.publicKey.withExternalKey(TestExternalKey(key))
        let externalCurve = try curve.publicKey.withExternalKey(TestExternalKey(curve))
        let signer = try JWSSigner(key: held, algorithm: .rs256)
        let verifier = try JWSVerifier.rs256(key.publicKey)
        let detached = try await signer.signDetached([1, 2], timeout: ample)
        #expect(throws: Never.self) { try verifier.verifyDetached(detached, payload: [1, 2]) }
        let header = HeaderParameters(type: "text")
        #expect(
            try verifier.verify(await signer.sign([3], header: header, timeout: ample)).payload == [
                3
            ])
        let unencoded = try await signer.signUnencoded("plain", timeout: ample)
        #expect(unencoded.split(separator: ".")[1] == "plain")
        let all = try JWSJSONSigner(signatories: [
            .init(signer: signer),
            .init(signer: JWSSigner(key: TestKeys.client, algorithm: .rs256)),
            .init(signer: JWSSigner(key: externalCurve, algorithm: .es256)),
        ])
        let token = try await all.sign([4], timeout: ample)
        for (key, algorithm) in [
            (key, SignatureAlgorithm.rs256), (TestKeys.client, .rs256), (curve, .es256),
        ] {
            let verifier = try JWSVerifier(key: key.publicKey, algorithms: [algorithm])
            #expect(try verifier.verifyJSON(token, requiring: .any).payload == [4])
        }
        #expect(throws: JOSEError.self) { try all.sign([4]) }
    }

    @Test("Concurrent calls with one key each get the signature of their own payload")
    func concurrent() async throws {
        let key = TestKeys.named(TestKeys.signing, "held")
        let device = try SoftDevice(key)
        let (asked, free) = (Gauge(), Gauge())
        let externalKey = TestExternalKey(sign: { request in
            asked.rise()
            await free.reach(1)
            return device.sign(request).map { .plain($0) }
        })
        let signer = try JWSSigner(
            key: key.publicKey.withExternalKey(externalKey), algorithm: .rs256)
        let verifier = try JWSVerifier.rs256(key.publicKey)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let payload = Array("payload \(number)".utf8)
                    return try await verifier.verify(signer.sign(payload, timeout: ample)).payload
                        == payload
                }
            }
            await asked.reach(8)
            free.rise()
            for try await isOwn in group { #expect(isOwn) }
        }
        #expect(externalKey.callCount == 8)
    }

    @Test("A provider that changes keys during signing sends the first key's signature")
    func rotation() async throws {
        let (old, new) = (
            TestKeys.named(TestKeys.signing, "old"), TestKeys.named(TestKeys.client, "new")
        )
        let (asked, replaced) = (Gauge(), Gauge())
        let device = try SoftDevice(old)
        let first = TestExternalKey(sign: { request in
            asked.rise()
            await replaced.reach(1)
            return device.sign(request).map { .plain($0) }
        })
        let second = try TestExternalKey(new)
        let current = Mutex(
            try JWTIssuer(
                key: old.publicKey.withExternalKey(first), algorithm: .rs256, lifetime: .seconds(60)
            ))
        let early = Task {
            try await current.withLock { $0 }.issue(
                ["iss": "us", "aud": "you"] as JSONValue, timeout: ample)
        }
        await asked.reach(1)
        let next = try JWTIssuer(
            key: new.publicKey.withExternalKey(second), algorithm: .rs256, lifetime: .seconds(60))
        current.withLock { $0 = next }
        replaced.rise()
        let late = try await current.withLock { $0 }.issue(
            ["iss": "us", "aud": "you"] as JSONValue, timeout: ample)
        for (token, key, other) in [(try await early.value, old, new), (late, new, old)] {
            #expect(
                try JWSVerifier.rs256(key.publicKey).verify(token).keyID
                    == key.keyID)
            expectRejection("signature-invalid") {
                var wrong = try other.publicKey
                wrong.keyID = key.keyID
                _ = try JWSVerifier.rs256(wrong).verify(token)
            }
        }
        #expect((first.callCount, second.callCount) == (1, 1))
    }

    @Test("An issuer signs, or signs and encrypts, with an external key")
    func issuer() async throws {
        let key = TestKeys.named(TestKeys.signing, "held")
        let externalKey = try TestExternalKey(key)
        let issuer = try JWTIssuer(
            key: key.publicKey.withExternalKey(externalKey), algorithm: .ps256,
            lifetime: .seconds(3_600))
        let claims: JSONValue = ["iss": "us", "aud": "you"]
        let verifier = try JWTVerifier.checking(
            ClaimsPolicy(issuer: "us", audience: "you"),
            signature: .required(key: key.publicKey, algorithms: [.ps256]))
        let token = try await issuer.issue(claims, timeout: ample)
        #expect(try verifier.verify(token).issuer == "us")
        let recipient = try JWTRecipient.rsa()
        let nested = try JWTVerifier(
            issuer: "us", audience: "you", encryption: .rsa(),
            signature: .required(key: key.publicKey, algorithms: [.ps256]))
        #expect(
            try nested.verify(await issuer.issue(claims, encryptedFor: recipient, timeout: ample))
                .issuer == "us")
        let json = Array(#"{"iss":"us","aud":"you","exp":4000000000}"#.utf8)
        #expect(try verifier.verify(await issuer.issue(json: json, timeout: ample)).issuer == "us")
        #expect(externalKey.callCount == 3)
        expectRejection("misuse") { _ = try issuer.issue(claims) }
        expectRejection("misuse") { _ = try issuer.issue(claims, encryptedFor: recipient) }
        await expectRejection("malformed") {
            _ = try await issuer.issue(json: [0x5b], timeout: ample)
        }
    }

    /// Results that are no ES256 signature: 12 variants of DER, and plain ones.
    static let nonsense: [(String, @Sendable (_ r: [UInt8], _ s: [UInt8]) -> ExternalSignature)] =
        {
            @Sendable func integer(_ bytes: [UInt8]) -> [UInt8] {
                [0x02, UInt8(bytes.count)] + bytes
            }
            @Sendable func positive(_ bytes: [UInt8]) -> [UInt8] {
                let bytes = Array(bytes.drop { $0 == 0 })
                return integer((bytes.first ?? 0x80) >= 0x80 ? [0] + bytes : bytes)
            }
            @Sendable func pair(_ bytes: [UInt8]) -> [UInt8] { [0x30, UInt8(bytes.count)] + bytes }
            return [
                ("nothing", { _, _ in .der([]) }),
                ("a byte behind", { r, s in .der(pair(positive(r) + positive(s)) + [0]) }),
                ("a byte within", { r, s in .der(pair(positive(r) + positive(s) + [0])) }),
                ("cut short", { r, s in .der(pair(positive(r) + positive(s)).dropLast()) }),
                ("a third number", { r, s in .der(pair(positive(r) + positive(s) + positive(s))) }),
                ("one number", { r, _ in .der(pair(positive(r))) }),
                ("a needless zero", { r, s in .der(pair(integer([0, 0] + r) + positive(s))) }),
                (
                    "a negative number",
                    { r, s in .der(pair(integer([0xff] + r.dropFirst()) + positive(s))) }
                ),
                ("zero", { r, _ in .der(pair(positive(r) + integer([0]))) }),
                ("an empty number", { r, _ in .der(pair(positive(r) + integer([]))) }),
                ("too long a number", { r, s in .der(pair(integer([1] + r) + positive(s))) }),
                (
                    "a long length",
                    { r, s in
                        let both = positive(r) + positive(s)
                        return .der([0x30, 0x81, UInt8(both.count)] + both)
                    }
                ),
                (
                    "an indefinite length",
                    { r, s in .der([0x30, 0x80] + positive(r) + positive(s) + [0, 0]) }
                ),
                ("a set", { r, s in .der([0x31] + pair(positive(r) + positive(s)).dropFirst()) }),
                ("octets", { r, s in .der(pair([0x04, UInt8(r.count)] + r + positive(s))) }),
                ("the other order", { r, s in .plain(s + r) }),
                ("empty", { _, _ in .plain([]) }),
                ("too short", { r, s in .plain((r + s).dropLast()) }),
                ("too long", { r, s in .plain(r + s + [0]) }),
                ("DER as plain bytes", { r, s in .plain(pair(positive(r) + positive(s))) }),
                ("zeros", { r, s in .plain([UInt8](repeating: 0, count: 64)) }),
                ("the order", { r, s in .plain([UInt8](repeating: 0xff, count: 64)) }),
            ]
        }()

    @Test(
        "An invalid signature is an internal error for the operator and is never returned")
    func lies() async throws {
        let key = try JWK.generate(.curve(.p256))
        let device = try SoftDevice(key)
        // A valid signature of this very digest, in another encoding.
        func answering(
            _ encoded: @escaping @Sendable ([UInt8], [UInt8]) -> ExternalSignature
        ) -> TestExternalKey {
            TestExternalKey(sign: { request in
                guard let der = device.sign(request), let plain = plainSignature(der) else {
                    return nil
                }
                return encoded(Array(plain[..<32]), Array(plain[32...]))
            })
        }
        for (name, response) in Self.nonsense {
            let events = OperatorEvents()
            let held = try key.publicKey.withExternalKey(
                answering(response), options: events.rule())
            let signer = try JWSSigner(key: held, algorithm: .es256)
            let error = await expectRejection("internal", name) {
                _ = try await signer.sign(Array("payload".utf8), timeout: ample)
            }
            #expect(error?.step == .signature)
            #expect(events.all == ["sign invalid"], "\(name)")
        }
        // The same variants with the right encoding are accepted.
        let signer = try JWSSigner(
            key: key.publicKey.withExternalKey(answering { .plain($0 + $1) }), algorithm: .es256)
        let token = try await signer.sign(Array("payload".utf8), timeout: ample)
        let verifier = try JWSVerifier(key: key.publicKey, algorithms: [.es256])
        #expect(try verifier.verify(token).payload == Array("payload".utf8))
    }

    @Test(
        "A signature of another key, message or algorithm is never returned",
        arguments: [
            SignatureAlgorithm.rs256, .ps256, .es256, .edDSA, .es512,
        ])
    func others(_ algorithm: SignatureAlgorithm) async throws {
        let key = try TestKeys.signer(for: algorithm)
        let device = try SoftDevice(key)
        let other = try SoftDevice(
            key.keyType == .rsa ? TestKeys.stranger : JWK.generate(.curve(try need(key.curve))))
        let isDER = key.keyType == .ec
        let liars: [TestExternalKey.Signing] = [
            { request in other.sign(request).map { isDER ? .der($0) : .plain($0) } },
            { request in
                var input = request.input
                switch input {
                case .digest(var bytes):
                    bytes[0] ^= 1
                    input = .digest(bytes)
                case .message(let bytes): input = .message(bytes + [0])
                }
                let changed = ExternalSigningRequest(
                    algorithm: request.algorithm, input: input, deadline: request.deadline)
                return device.sign(changed).map { isDER ? .der($0) : .plain($0) }
            },
            { request in
                guard var bytes = device.sign(request) else { return nil }
                bytes[bytes.count - 1] ^= 1
                return isDER ? .der(bytes) : .plain(bytes)
            },
            { request in device.sign(request).map { isDER ? .plain($0) : .der($0) } },
            { _ in nil },
        ]
        for (number, liar) in liars.enumerated() {
            let events = OperatorEvents()
            let held = try key.publicKey.withExternalKey(
                TestExternalKey(sign: liar), options: events.rule())
            let signer = try JWSSigner(key: held, algorithm: algorithm)
            await expectRejection("internal", "\(number)") {
                _ = try await signer.sign(Array("payload".utf8), timeout: ample)
            }
            #expect(events.all == [number == 4 ? "sign failed" : "sign invalid"], "\(number)")
        }
    }

    @Test(
        "Unsupported algorithms are rejected early, and long messages before the key is called"
    )
    func capabilities() async throws {
        let key = try JWK.generate(.curve(.ed25519))
        let device = try SoftDevice(key)
        let externalKey = TestExternalKey(
            capabilities: ExternalKeyCapabilities(signatures: [.edDSA], maxMessageBytes: 200),
            sign: { request in .plain(device.sign(request) ?? []) })
        let held = try key.publicKey.withExternalKey(externalKey)
        expectRejection("key-unusable") { _ = try JWSSigner(key: held, algorithm: .ed25519) }
        let signer = try JWSSigner(key: held, algorithm: .edDSA)
        _ = try await signer.sign([UInt8](repeating: 1, count: 40), timeout: ample)
        #expect(externalKey.callCount == 1)
        await expectRejection("limit-exceeded") {
            _ = try await signer.sign([UInt8](repeating: 1, count: 200), timeout: ample)
        }
        #expect(externalKey.callCount == 1)
    }
}

/// r and s of 32 bytes each, from a signature in DER.
func plainSignature(_ der: [UInt8]) -> [UInt8]? {
    var out = [UInt8](repeating: 0, count: 64)
    var span = out.mutableSpan
    return ECDSAValue.read(der.span, into: &span) ? out : nil
}

@Suite("External keys: certificates")
struct ExternalKeyCertificateTests {
    @Test(
        "External keys issue certificates, authority certificates and requests",
        arguments: [
            JWKCurve.p256, .ed25519,
        ])
    func certificates(_ curve: JWKCurve) async throws {
        let (start, end) = (
            try NumericDate(seconds: 1_700_000_000), try NumericDate(seconds: 4_000_000_000)
        )
        let subject = CertificateSubject(commonName: "held")
        let key = try JWK.generate(.curve(curve), use: .signature)
        let held = try key.publicKey.withExternalKey(TestExternalKey(key))
        let certified = try await held.withSelfSignedCertificate(
            subject: subject, from: start, until: end, timeout: ample)
        #expect(certified.isPrivate)
        #expect(throws: Never.self) {
            try certified.publicKey.checkPublished(.completeChainOrSelfSigned, at: start)
        }
        expectRejection("misuse") {
            _ = try held.withSelfSignedCertificate(subject: subject, from: start, until: end)
        }
        let root = try key.selfSignedAuthority(subject: subject, from: start, until: end)
        let authority = try root.publicKey.withExternalKey(TestExternalKey(key))
        let leaf = try await JWK.generate(.curve(.p256)).withCertificate(
            issuedBy: authority, subject: CertificateSubject(commonName: "leaf"), from: start,
            until: end,
            timeout: ample)
        let store = try TrustStore(anchors: [need(root.certificateChain?.first)])
        #expect(throws: Never.self) { try store.validate(leaf, purpose: .signature, at: start) }
        let request = try await held.certificateRequest(subject: subject, .der, timeout: ample)
        // ECDSA is randomised: the signed input is the same.
        let here = try key.certificateRequest(subject: subject, .der)
        let inputs = try [request, here].map { try DERValue.all($0)[0].inside()[0].contents }
        #expect(inputs[0] == inputs[1])
        #expect(throws: JOSEError.self) { try held.certificateRequest(subject: subject, .der) }
    }
}
