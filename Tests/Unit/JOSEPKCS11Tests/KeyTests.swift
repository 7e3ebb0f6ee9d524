// Keys of a token: creating, finding and reading them, and each of their algorithms.

import JOSE
import JOSEBytes
import JOSECrypto
@testable import JOSEPKCS11
import Testing

@Suite("PKCS#11 keys")
struct KeyTests {
    @Test(
        "a signing key's signatures verify with its public key, for every algorithm",
        arguments: [
            .rsa(bits: 2048), .rsa(bits: 3072), .curve(.p256), .curve(.p384), .curve(.p521),
            .curve(.secp256k1), .curve(.ed25519), .curve(.ed448),
        ] as [PKCS11KeyKind])
    func signs(_ kind: PKCS11KeyKind) async throws {
        let token = try await TestToken().open()
        let label = freshLabel()
        let key: PKCS11Key
        do {
            key = try await token.makeKey(
                kind, use: .signature, label: label, id: [1, 2, 3] + label.utf8)
        } catch {
            // A token other than the test module's may lack a curve.
            #expect(!TestToken.isOwn && error.code == .keyUnusable && kind == .curve(.secp256k1))
            return
        }
        #expect(key.publicKey.use == .signature && !key.publicKey.isPrivate)
        #expect(try key.publicKey.keyID == key.publicKey.thumbprint())
        #expect(key.capabilities.keyManagement.isEmpty)
        let wanted: [SignatureAlgorithm] =
            switch kind {
            case .rsa: [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
            case .curve(.p256): [.es256]
            case .curve(.p384): [.es384]
            case .curve(.p521): [.es512]
            case .curve(.secp256k1): [.es256K]
            case .curve(.ed25519): [.edDSA, .ed25519]
            default: [.edDSA, .ed448]
            }
        #expect(Set(key.capabilities.signatures) == Set(wanted))
        for algorithm in key.capabilities.signatures {
            for count in [0, 1, 300] {
                let message = [UInt8](repeating: 0x61, count: count)
                let signature = try await key.signature(algorithm, of: message)
                #expect(try key.isRight(signature, algorithm, of: message))
                #expect(try !key.isRight(signature, algorithm, of: message + [0]))
            }
        }
        // The same key, found by its label, by its id, and by both.
        let id = key.id.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            .joined()
        for text in [
            "\(try uri(label))", "pkcs11:id=\(id)", "\(try uri(label));id=\(id);type=private",
        ] {
            let found = try await token.key(PKCS11URI(text), keyID: key.publicKey.keyID)
            #expect(try found.publicKey.publicJSON() == key.publicKey.publicJSON())
        }
    }

    @Test("a decrypting key unwraps with OAEP and with the raw RSA operation")
    func unwraps() async throws {
        let token = try await TestToken().open()
        let key = try await token.decrypting()
        #expect(key.publicKey.use == .encryption && key.capabilities.signatures.isEmpty)
        #expect(
            Set(key.capabilities.keyManagement)
                == [.rsaOAEP, .rsaOAEP256, .rsaOAEP384, .rsaOAEP512])
        for algorithm in key.capabilities.keyManagement {
            let encryptedKey = try key.encryptedKey(algorithm)
            switch try await key.unwrapped(algorithm, encryptedKey) {
            case .contentKey(let secret): #expect(secret.bytes.count == 32)
            case .block(let block):
                #expect(block.bytes.count == 256)
                #expect(block.copy[0] == 0)
            }
        }
        let first = try key.encryptedKey(.rsaOAEP)
        if case .contentKey(let a) = try await key.unwrapped(.rsaOAEP, first),
            case .contentKey(let b) = try await key.unwrapped(.rsaOAEP, first)
        {
            #expect(a.copy == b.copy)
        } else {
            Issue.record("OAEP with SHA-1 is the token's work")
        }
    }

    @Test(
        "two keys of a curve agree, each with the other's public key",
        arguments: [JWKCurve.p256, .p384, .p521])
    func agrees(_ curve: JWKCurve) async throws {
        let token = try await TestToken().open()
        let one = try await token.makeKey(.curve(curve), use: .encryption, label: freshLabel())
        #expect(one.capabilities.signatures.isEmpty)
        #expect(
            Set(one.capabilities.keyManagement)
                == [.ecdhES, .ecdhESA128KW, .ecdhESA192KW, .ecdhESA256KW])
        for _ in 0..<3 {
            let other = try await token.makeKey(
                .curve(curve), use: .encryption, label: freshLabel())
            let secret = try await one.agreed(with: other)
            #expect(secret.count == (curve.sizeBits + 7) / 8)
            #expect(try await other.agreed(with: one) == secret)
        }
    }

    @Test("keys of X25519 agree", .enabled(if: TestToken.isOwn, "SoftHSM 2.6 makes none"))
    func agreesX25519() async throws {
        let token = try await TestToken().open()
        let one = try await token.makeKey(.curve(.x25519), use: .encryption, label: freshLabel())
        let other = try await token.makeKey(.curve(.x25519), use: .encryption, label: freshLabel())
        #expect(try await one.agreed(with: other) == other.agreed(with: one))
    }

    @Test("a shared secret keeps its leading zeros")
    func leadingZeros() async throws {
        let token = try await TestToken().open()
        let key = try await token.agreeing()
        var found = false
        // One shared secret in 256 begins with a zero.
        for _ in 0..<10_000 where !found {
            let other = try JWK.generate(.curve(.p256)).publicKey
            let material = try #require(other.prepared.material as? CurveKeyMaterial)
            let secret = try await key.agree(
                ExternalAgreementRequest(
                    curve: .p256, publicKey: material.x + material.y, deadline: .now + ample))
            #expect(secret.bytes.count == 32)
            found = secret.copy[0] == 0
        }
        #expect(found)
    }

    @Test("a key is not used for operations that its attributes forbid")
    func notAllowed() async throws {
        let token = try await TestToken().open()
        let signing = try await token.makeKey(
            .rsa(bits: 2048), use: .signature, label: freshLabel())
        let encryptedKey = [UInt8](repeating: 1, count: 256)
        await expectError(.failed) { _ = try await signing.unwrapped(.rsaOAEP, encryptedKey) }
        await expectError(.failed) { _ = try await signing.signature(.es256, of: [1]) }
        await expectError(.failed) {
            _ = try await signing.agree(
                ExternalAgreementRequest(
                    curve: .p256, publicKey: encryptedKey, deadline: .now + ample))
        }
        let decrypting = try await token.decrypting()
        await expectError(.failed) { _ = try await decrypting.signature(.rs256, of: [1]) }
        for count in [0, 1, 255, 257, 5_000] {
            await expectError(.failed) {
                _ = try await decrypting.unwrapped(.rsaOAEP, [UInt8](repeating: 1, count: count))
            }
        }
        let agreeing = try await token.agreeing()
        for (curve, count) in [(JWKCurve.p256, 63), (.p256, 65), (.p384, 96), (.x25519, 32)] {
            await expectError(.failed) {
                _ = try await agreeing.agree(
                    ExternalAgreementRequest(
                        curve: curve, publicKey: [UInt8](repeating: 1, count: count),
                        deadline: .now + ample))
            }
        }
        // Not a point of the curve.
        await expectError(.failed) {
            _ = try await agreeing.agree(
                ExternalAgreementRequest(
                    curve: .p256, publicKey: [UInt8](repeating: 1, count: 64),
                    deadline: .now + ample))
        }
    }

    @Test("a missing key is not found, and two matching keys are rejected")
    func matches() async throws {
        let token = try await TestToken().open()
        let label = freshLabel()
        await expectRejection(.keyNotFound) { _ = try await token.key(try uri(label)) }
        _ = try await token.makeKey(.curve(.p256), use: .signature, label: label)
        await expectRejection(.keyUnusable) {
            _ = try await token.makeKey(.curve(.p256), use: .signature, label: label)
        }
        let one = try await token.signing()
        await expectRejection(.keyUnusable) {
            _ = try await token.makeKey(
                .curve(.p256), use: .signature, label: freshLabel(), id: one.id)
        }
        // A URI without key attributes matches all private keys of the token.
        await expectRejection(.keyUnusable) {
            _ = try await token.key(PKCS11URI("pkcs11:type=private"))
        }
        for text in ["\(try uri(label));type=public", "pkcs11:type=cert"] {
            await expectRejection(.misuse) { _ = try await token.key(PKCS11URI(text)) }
        }
        await expectRejection(.keyUnusable) {
            _ = try await token.key(PKCS11URI("\(try uri(label));token=another"))
        }
    }

    @Test("invalid key parameters are rejected at creation")
    func impossible() async throws {
        let token = try await TestToken().open()
        let cases: [(PKCS11KeyKind, KeyUse, String)] = [
            (.rsa(bits: 1024), .signature, "a"), (.rsa(bits: 2049), .signature, "a"),
            (.rsa(bits: 16_384), .signature, "a"), (.curve(.x25519), .signature, "a"),
            (.curve(.ed25519), .encryption, "a"), (.curve(.p256), .signature, ""),
            (.curve(.p256), .signature, String(repeating: "a", count: 256)),
        ]
        for (kind, use, label) in cases {
            await expectRejection(.misuse, "\(kind)") {
                _ = try await token.makeKey(kind, use: use, label: label)
            }
        }
    }

    @Test("x5c has the token's certificates, from the key's own to the root")
    func certificates() async throws {
        let token = try await TestToken().open()
        let label = freshLabel()
        let key = try await token.makeKey(.curve(.p256), use: .signature, label: label)
        #expect(key.publicKey.certificateChain == nil)
        let chain = try TestChain(for: key.publicKey)
        let certified = try await token.store(certificates: chain.shuffled, for: key)
        #expect(certified.publicKey.certificateChain == chain.ordered)
        #expect(try await token.key(uri(label)).publicKey.certificateChain == chain.ordered)
        let set = try PublicJWKSet(keys: [certified.publicKey])
        try set.checkCertificates(.completeChain)
        #expect(set.json().contains("x5c"))
        await expectRejection(.keyUnusable) {
            _ = try await token.store(certificates: chain.ordered, for: certified)
        }
        let other = try await token.signing()
        await expectRejection(.keyUnusable) {
            _ = try await token.store(certificates: chain.ordered, for: other)
        }
    }

    @Test("certificates of another token's key are not stored")
    func storeElsewhere() async throws {
        let test = try TestToken()
        let token = try await test.open()
        let key = try await token.signing()
        let chain = try TestChain(for: key.publicKey)
        let elsewhere = try await test.open()
        await expectRejection(.misuse) {
            _ = try await elsewhere.store(certificates: chain.ordered, for: key)
        }
        #expect(try await token.certificates(key.id).isEmpty)
    }

    @Test(
        "of several certificates of a key the newest currently valid one is used",
        arguments: [
            // Validity of each certificate, and the index of the one used. Nil for none.
            ([(1_700_000_000, 4_000_000_000), (1_710_000_000, 4_000_000_000)], 1),
            ([(1_710_000_000, 3_900_000_000), (1_700_000_000, 4_000_000_000)], 0),
            ([(1_700_000_000, 3_900_000_000), (1_700_000_000, 4_000_000_000)], 1),
            ([(1_600_000_000, 1_700_000_000), (1_500_000_000, 4_000_000_000)], 1),
            ([(1_700_000_000, 4_000_000_000), (3_900_000_000, 4_000_000_000)], 0),
            ([(1_600_000_000, 1_700_000_000)], 0),
            ([(1_600_000_000, 1_700_000_000), (1_600_000_000, 1_650_000_000)], nil),
            ([(1_700_000_000, 4_000_000_000), (1_700_000_000, 4_000_000_000)], nil),
        ] as [([(Int64, Int64)], Int?)])
    func renewal(_ times: [(Int64, Int64)], _ shown: Int?) async throws {
        let token = try await TestToken().open()
        let label = freshLabel()
        let key = try await token.makeKey(.curve(.p256), use: .signature, label: label)
        var leaves: [[UInt8]] = []
        for (from, until) in times {
            let chain = try TestChain(for: key.publicKey, from: from, until: until)
            let leaf = try #require(chain.ordered.first)
            leaves.append(leaf)
            let rejected = await rejection {
                _ = try await token.store(certificates: chain.ordered, for: key)
            }
            guard shown == nil, leaves.count > 1 else {
                #expect(rejected == nil)
                continue
            }
            // The key would be unusable, so nothing is stored. Another program stores it anyway.
            #expect(rejected?.code == .keyUnusable)
            #expect(
                try await token.key(uri(label)).publicKey.certificateChain?.first == leaves.first)
            try await token.put(leaf, for: key)
        }
        let error = await rejection {
            let found = try await token.key(try uri(label)).publicKey.certificateChain?.first
            #expect(found == shown.map { leaves[$0] })
        }
        #expect(error?.code == (shown == nil ? .keyUnusable : nil))
        // Without the others the last is used, whatever its validity.
        for leaf in leaves.dropLast() {
            _ = try? await token.remove(certificate: leaf, of: key)
        }
        #expect(try await token.key(uri(label)).publicKey.certificateChain?.first == leaves.last)
        let last = try #require(leaves.last)
        let plain = try await token.remove(certificate: last, of: key)
        #expect(plain.publicKey.certificateChain == nil)
        await expectRejection(.keyNotFound) {
            _ = try await token.remove(certificate: last, of: key)
        }
    }

    @Test("removing a key removes its public key and certificate, and no other")
    func removal() async throws {
        let test = try TestToken()
        let token = try await test.open()
        let label = freshLabel()
        let other = try await token.signing()
        let key = try await token.makeKey(.curve(.p256), use: .signature, label: label)
        let chain = try TestChain(for: key.publicKey)
        let certified = try await token.store(certificates: chain.ordered, for: key)
        let elsewhere = try await test.open()
        await expectRejection(.misuse) { try await elsewhere.remove(certified) }
        try await token.remove(certified)
        await expectRejection(.keyNotFound) { _ = try await token.key(try uri(label)) }
        await expectRejection(.keyNotFound) { try await token.remove(certified) }
        await expectError(.unavailable) { try await key.signs(1) }
        #expect(try await token.count(key.id) == [0, 0, 0])
        try await other.signs(1)
        // The label is free again.
        _ = try await token.makeKey(.curve(.p256), use: .signature, label: label, id: key.id)
    }

    @Test(
        "removing a key keeps objects of another key with the same id",
        arguments: [.curve(.p256), .rsa(bits: 2048), .curve(.ed25519)] as [PKCS11KeyKind])
    func removalBesideSameID(_ kind: PKCS11KeyKind) async throws {
        let test = try TestToken()
        let token = try await test.open()
        let (label, other) = (freshLabel(), freshLabel())
        // The label distinguishes two keys of one id, whose public keys another program keeps
        // elsewhere.
        let key = try await token.makeKey(kind, use: .signature, label: label)
        let beside = try await token.makeKey(
            .curve(.p256), use: .signature, label: other, id: Array("id \(other)".utf8))
        let certified = try await token.store(
            certificates: TestChain(for: key.publicKey).ordered, for: key)
        let chain = try TestChain(for: beside.publicKey)
        _ = try await token.store(certificates: chain.ordered, for: beside)
        let leaf = try #require(chain.ordered.first)
        // Another program stores a certificate and a public key of the other key under this key's
        // id, and also such a private key.
        try await token.put(leaf, for: key)
        try await token.makePair(Array("made \(label)".utf8), id: key.id)
        let before = try await token.count(key.id)
        #expect(before == [2, 2, 2])
        await expectRejection(.keyNotFound) {
            _ = try await token.remove(certificate: leaf, of: key)
        }
        try await token.remove(certified)
        #expect(try await token.count(key.id) == [1, 1, 1])
        #expect(try await token.certificates(key.id) == [leaf])
        let found = try await token.key(uri(other))
        #expect(found.publicKey.certificateChain == chain.ordered)
        try await found.signs(1)
        await expectRejection(.keyNotFound) { _ = try await token.key(uri(label)) }
    }

    @Test("a certificate is stored next to one of another key with the same id")
    func storedBesideSameID() async throws {
        let token = try await TestToken().open()
        let key = try await token.signing()
        let other = try await token.signing()
        let foreign = try TestChain(for: other.publicKey)
        let chain = try TestChain(for: key.publicKey)
        try await token.put(try #require(foreign.ordered.first), for: key)
        let certified = try await token.store(certificates: chain.ordered, for: key)
        #expect(certified.publicKey.certificateChain == chain.ordered)
        try await token.remove(certified)
        #expect(try await token.certificates(key.id) == [foreign.ordered[0]])
    }

    @Test(
        "of concurrent creations with one label or id exactly one succeeds",
        arguments: [true, false])
    func makersAtOnce(_ isLabel: Bool) async throws {
        let test = try TestToken()
        // Several values may be open for one token.
        let tokens = [try await test.open(), try await test.open()]
        let (label, id) = (freshLabel(), Array("id \(freshLabel())".utf8))
        let results = await withTaskGroup(of: JOSEError?.self) { group in
            for number in 0..<8 {
                group.addTask {
                    await rejection {
                        _ = try await tokens[number % 2].makeKey(
                            .rsa(bits: 2048), use: .signature,
                            label: isLabel ? label : "\(label) \(number)", id: isLabel ? nil : id,
                            timeout: ample)
                    }
                }
            }
            return await group.reduce(into: [JOSEError?]()) { $0.append($1) }
        }
        #expect(results.count { $0 == nil } == 1)
        #expect(results.count { $0?.code == .keyUnusable } == 7)
        if isLabel {
            let found = try await tokens[0].key(uri(label))
            _ = try await found.signature(.rs256, of: [1])
        } else {
            #expect(try await tokens[0].count(id) == [1, 1, 0])
        }
    }

    @Test(
        "if another program takes the name meanwhile, our key is removed and the other stays",
        .onlyOwn, arguments: [1, 2])
    func nameTakenMeanwhile(_ twin: Int) async throws {
        let test = try TestToken()
        let token = try await test.open()
        let (label, id) = ("k \(freshLabel())", Array("id \(freshLabel())".utf8))
        test.tell("token_twin_next", twin)
        let error = await rejection {
            _ = try await token.makeKey(.curve(.p256), use: .signature, label: label, id: id)
        }
        #expect(error?.code == .keyUnusable)
        #expect(error?.message.contains("another program") == true)
        var other = twin == 1 ? id : Array(label.utf8)
        other[0] ^= 1
        #expect(try await token.count(twin == 1 ? other : id) == [1, 0, 0])
        #expect(try await token.count(twin == 1 ? id : other) == [0, 0, 0])
        // When nothing is waiting, the next creation succeeds.
        _ = try await token.signing()
    }

    @Test(
        "a creation that waits for another times out, and does not block others",
        .onlyOwn)
    func makerGivesUp() async throws {
        let turn = KeyGenerationLock()
        let first = try await turn.take(until: .now + ample)
        await #expect(throws: PKCS11Error.self) {
            _ = try await turn.take(until: .now + .milliseconds(20))
        }
        let cancelled = Task { _ = try await turn.take(until: .now + ample) }
        cancelled.cancel()
        await #expect(throws: PKCS11Error.self) { try await cancelled.value }
        func next() async throws -> KeyGenerationLock.Hold {
            async let next = turn.take(until: .now + ample)
            for _ in 0..<100 { await Task.yield() }
            first.end()
            first.end()
            return try await next
        }
        var held: KeyGenerationLock.Hold? = try await next()
        await #expect(throws: PKCS11Error.self) {
            _ = try await turn.take(until: .now + .milliseconds(20))
        }
        // Releasing the value also releases its turn.
        withExtendedLifetime(held) {}
        held = nil
        try await turn.take(until: .now + ample).end()
    }

    @Test("no description of a key shows a secret")
    func shown() async throws {
        let (test, token, key) = try await TestToken.signing()
        for text in [
            "\(token)", "\(key)", "\(PKCS11PIN.text(test.pin))", String(reflecting: token),
        ] {
            #expect(!text.contains(test.pin))
        }
    }
}

extension PKCS11Token {
    /// Direct calls in a session of the token, as another program makes them, without any check.
    private func inSession<Value: Sendable>(
        writes: Bool,
        _ work: @escaping @Sendable (PKCS11Module, UInt64) throws(PKCS11Error) -> Value
    ) async throws -> Value {
        let module = self.module
        return try await run(until: .now + ample) { worker, _ throws(PKCS11Error) in
            try worker.attempt(until: .now + ample) { session throws(PKCS11Error) in
                guard writes else { return try work(module, session) }
                return try worker.inSeparateSession(writes: true) { session throws(PKCS11Error) in
                    try work(module, session)
                }
            }
        }
    }

    /// The numbers of private keys, public keys and certificates with an id.
    fileprivate func count(_ id: [UInt8]) async throws -> [Int] {
        try await inSession(writes: false) { module, session throws(PKCS11Error) in
            try [ObjectKind.privateKey, .publicKey, .certificate].map { kind throws(PKCS11Error) in
                try module.find(kind, id: id, label: nil, in: session).count
            }
        }
    }

    fileprivate func certificates(_ id: [UInt8]) async throws -> [[UInt8]] {
        try await inSession(writes: false) { module, session throws(PKCS11Error) in
            try module.find(.certificate, id: id, label: nil, in: session).map {
                object throws(PKCS11Error) in
                try module.read(.value, of: object, in: session) ?? []
            }
        }
    }

    fileprivate func makePair(_ label: [UInt8], id: [UInt8]) async throws {
        let parameters = try #require(TokenCurve.of(.p256)).parameters
        try await inSession(writes: true) { module, session throws(PKCS11Error) in
            _ = try TokenKeyType.ec.makePair(
                module, in: session, rsaBits: 0, parameters: parameters, signs: true, id: id,
                label: label)
        }
    }

    fileprivate func put(_ certificate: [UInt8], for key: PKCS11Key) async throws {
        let (id, label) = (key.id, key.label)
        try await inSession(writes: true) { module, session throws(PKCS11Error) in
            try module.put(
                certificate: certificate, subject: [0x30, 0], id: id, label: label, in: session)
        }
    }
}
