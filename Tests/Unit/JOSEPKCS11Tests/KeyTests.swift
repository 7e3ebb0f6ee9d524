// Keys of a token: made, found, read, and every algorithm that they have.

import JOSE
import JOSEBytes
import JOSECrypto
@testable import JOSEPKCS11
import Testing

@Suite("PKCS#11 keys")
struct KeyTests {
    @Test(
        "a signing key makes signatures that its public key verifies, by every algorithm",
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
            // Another's token may lack a curve.
            #expect(!TestToken.isOwn && error.code == .keyUnusable && kind == .curve(.secp256k1))
            return
        }
        #expect(key.publicKey.use == .signature && !key.publicKey.isPrivate)
        #expect(try key.publicKey.keyID == key.publicKey.thumbprint())
        #expect(key.abilities.keyManagement.isEmpty)
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
        #expect(Set(key.abilities.signatures) == Set(wanted))
        for algorithm in key.abilities.signatures {
            for count in [0, 1, 300] {
                let message = [UInt8](repeating: 0x61, count: count)
                let signature = try await key.signature(algorithm, of: message)
                #expect(try key.isRight(signature, algorithm, of: message))
                #expect(try !key.isRight(signature, algorithm, of: message + [0]))
            }
        }
        // The same key, found again by its label, by its id, by both.
        let id = key.id.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            .joined()
        for text in [
            "\(try uri(label))", "pkcs11:id=\(id)", "\(try uri(label));id=\(id);type=private",
        ] {
            let found = try await token.key(PKCS11URI(text), keyID: key.publicKey.keyID)
            #expect(found.publicKey.publicJSON() == key.publicKey.publicJSON())
        }
    }

    @Test(
        "a decrypting key unwraps what was encrypted to its public key, by OAEP or by the raw operation"
    )
    func unwraps() async throws {
        let token = try await TestToken().open()
        let key = try await token.makeKey(.rsa(bits: 2048), use: .encryption, label: freshLabel())
        #expect(key.publicKey.use == .encryption && key.abilities.signatures.isEmpty)
        #expect(
            Set(key.abilities.keyManagement)
                == [.rsaOAEP, .rsaOAEP256, .rsaOAEP384, .rsaOAEP512])
        for algorithm in key.abilities.keyManagement {
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
        #expect(one.abilities.signatures.isEmpty)
        #expect(
            Set(one.abilities.keyManagement)
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

    @Test("a shared secret that begins with zeros keeps them")
    func leadingZeros() async throws {
        let token = try await TestToken().open()
        let key = try await token.makeKey(.curve(.p256), use: .encryption, label: freshLabel())
        var found = false
        // One in 256 begins so.
        for _ in 0..<10_000 where !found {
            let other = try JWK.generate(curve: .p256).publicKey
            let material = try #require(other.prepared.material as? CurveKeyMaterial)
            let secret = try await key.agree(
                CustodianAgreement(
                    curve: .p256, publicKey: material.x + material.y, deadline: .now + ample))
            #expect(secret.bytes.count == 32)
            found = secret.copy[0] == 0
        }
        #expect(found)
    }

    @Test("what a key may not do, it is not asked for")
    func notAllowed() async throws {
        let token = try await TestToken().open()
        let signing = try await token.makeKey(
            .rsa(bits: 2048), use: .signature, label: freshLabel())
        let encryptedKey = [UInt8](repeating: 1, count: 256)
        await #expect(throws: CustodianFault.failed) {
            _ = try await signing.unwrapped(.rsaOAEP, encryptedKey)
        }
        await #expect(throws: CustodianFault.failed) {
            _ = try await signing.signature(.es256, of: [1])
        }
        await #expect(throws: CustodianFault.failed) {
            _ = try await signing.agree(
                CustodianAgreement(curve: .p256, publicKey: encryptedKey, deadline: .now + ample))
        }
        let decrypting = try await token.makeKey(
            .rsa(bits: 2048), use: .encryption, label: freshLabel())
        await #expect(throws: CustodianFault.failed) {
            _ = try await decrypting.signature(.rs256, of: [1])
        }
        for count in [0, 1, 255, 257, 5_000] {
            await #expect(throws: CustodianFault.failed) {
                _ = try await decrypting.unwrapped(.rsaOAEP, [UInt8](repeating: 1, count: count))
            }
        }
        let agreeing = try await token.makeKey(.curve(.p256), use: .encryption, label: freshLabel())
        for (curve, count) in [(JWKCurve.p256, 63), (.p256, 65), (.p384, 96), (.x25519, 32)] {
            await #expect(throws: CustodianFault.failed) {
                _ = try await agreeing.agree(
                    CustodianAgreement(
                        curve: curve, publicKey: [UInt8](repeating: 1, count: count),
                        deadline: .now + ample))
            }
        }
        // No point of the curve.
        await #expect(throws: CustodianFault.failed) {
            _ = try await agreeing.agree(
                CustodianAgreement(
                    curve: .p256, publicKey: [UInt8](repeating: 1, count: 64),
                    deadline: .now + ample))
        }
    }

    @Test("a key that is not there is not found, two that match are refused")
    func matches() async throws {
        let token = try await TestToken().open()
        let label = freshLabel()
        #expect(
            await refusal { _ = try await token.key(try uri(label)) }?.code == .keyNotFound)
        _ = try await token.makeKey(.curve(.p256), use: .signature, label: label)
        let taken = await refusal {
            _ = try await token.makeKey(.curve(.p256), use: .signature, label: label)
        }
        #expect(taken?.code == .keyUnusable)
        let one = try await token.makeKey(.curve(.p256), use: .signature, label: freshLabel())
        let twin = await refusal {
            _ = try await token.makeKey(
                .curve(.p256), use: .signature, label: freshLabel(), id: one.id)
        }
        #expect(twin?.code == .keyUnusable)
        // All private keys of the token match a URI that names none.
        let any = await refusal { _ = try await token.key(PKCS11URI("pkcs11:type=private")) }
        #expect(any?.code == .keyUnusable)
        for text in ["\(try uri(label));type=public", "pkcs11:type=cert"] {
            let other = await refusal { _ = try await token.key(PKCS11URI(text)) }
            #expect(other?.code == .misuse)
        }
        let elsewhere = await refusal {
            _ = try await token.key(PKCS11URI("\(try uri(label));token=another"))
        }
        #expect(elsewhere?.code == .keyUnusable)
    }

    @Test("what cannot be made is refused")
    func impossible() async throws {
        let token = try await TestToken().open()
        let cases: [(PKCS11KeyKind, KeyUse, String)] = [
            (.rsa(bits: 1024), .signature, "a"), (.rsa(bits: 2049), .signature, "a"),
            (.rsa(bits: 16_384), .signature, "a"), (.curve(.x25519), .signature, "a"),
            (.curve(.ed25519), .encryption, "a"), (.curve(.p256), .signature, ""),
            (.curve(.p256), .signature, String(repeating: "a", count: 256)),
        ]
        for (kind, use, label) in cases {
            let error = await refusal { _ = try await token.makeKey(kind, use: use, label: label) }
            #expect(error?.code == .misuse, "\(kind)")
        }
    }

    @Test("certificates of the token stand in x5c, from the key's own to the root")
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
        let again = await refusal {
            _ = try await token.store(certificates: chain.ordered, for: certified)
        }
        #expect(again?.code == .keyUnusable)
        let other = try await token.makeKey(.curve(.p256), use: .signature, label: freshLabel())
        let foreign = await refusal {
            _ = try await token.store(certificates: chain.ordered, for: other)
        }
        #expect(foreign?.code == .keyUnusable)
    }

    @Test(
        "of several certificates of a key the newest that is valid now is shown",
        arguments: [
            // from and until, and which one is shown; nil for none
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
            let refused = await refusal {
                _ = try await token.store(certificates: chain.ordered, for: key)
            }
            guard shown == nil, leaves.count > 1 else {
                #expect(refused == nil)
                continue
            }
            // Nobody could use the key any more: nothing is stored. Another program does it all the same.
            #expect(refused?.code == .keyUnusable)
            #expect(
                try await token.key(uri(label)).publicKey.certificateChain?.first == leaves.first)
            try await token.put(leaf, for: key)
        }
        let error = await refusal {
            let found = try await token.key(try uri(label)).publicKey.certificateChain?.first
            #expect(found == shown.map { leaves[$0] })
        }
        #expect(error?.code == (shown == nil ? .keyUnusable : nil))
        // Without the others the last is shown, whatever its time.
        for leaf in leaves.dropLast() {
            _ = try? await token.remove(certificate: leaf, of: key)
        }
        #expect(try await token.key(uri(label)).publicKey.certificateChain?.first == leaves.last)
        let last = try #require(leaves.last)
        let plain = try await token.remove(certificate: last, of: key)
        #expect(plain.publicKey.certificateChain == nil)
        let again = await refusal { _ = try await token.remove(certificate: last, of: key) }
        #expect(again?.code == .keyNotFound)
    }

    @Test("a key that is removed is gone with its public key and certificate, and no other is")
    func removal() async throws {
        let test = try TestToken()
        let token = try await test.open()
        let label = freshLabel()
        let other = try await token.makeKey(.curve(.p256), use: .signature, label: freshLabel())
        let key = try await token.makeKey(.curve(.p256), use: .signature, label: label)
        let chain = try TestChain(for: key.publicKey)
        let certified = try await token.store(certificates: chain.ordered, for: key)
        let elsewhere = try await test.open()
        #expect(await refusal { try await elsewhere.remove(certified) }?.code == .misuse)
        try await token.remove(certified)
        #expect(await refusal { _ = try await token.key(try uri(label)) }?.code == .keyNotFound)
        #expect(await refusal { try await token.remove(certified) }?.code == .keyNotFound)
        await #expect(throws: CustodianFault.unavailable) { try await key.signs(1) }
        let (id, module) = (key.id, test.module)
        let left = try await token.run(until: .now + ample) { worker, _ throws(TokenFault) in
            try worker.attempt(until: .now + ample) { session throws(TokenFault) in
                try [ObjectKind.privateKey, .publicKey, .certificate].map {
                    kind throws(TokenFault) in
                    try module.find(kind, id: id, label: nil, in: session).count
                }
            }
        }
        #expect(left == [0, 0, 0])
        try await other.signs(1)
        // The name is free again.
        _ = try await token.makeKey(.curve(.p256), use: .signature, label: label, id: id)
    }

    @Test("nothing that a key shows tells a secret")
    func shown() async throws {
        let test = try TestToken()
        let token = try await test.open()
        let key = try await token.makeKey(.curve(.p256), use: .signature, label: freshLabel())
        for text in [
            "\(token)", "\(key)", "\(PKCS11PIN.text(test.pin))", String(reflecting: token),
        ] {
            #expect(!text.contains(test.pin))
        }
    }
}

extension PKCS11Token {
    /// Puts a certificate beside a key without looking at it.
    fileprivate func put(_ certificate: [UInt8], for key: PKCS11Key) async throws {
        let (id, label, module) = (key.id, key.label, self.module)
        try await run(until: .now + ample) { worker, _ throws(TokenFault) in
            try worker.attempt(until: .now + ample) { _ throws(TokenFault) in
                try worker.aside(writes: true) { session throws(TokenFault) in
                    try module.put(
                        certificate: certificate, subject: [0x30, 0], id: id, label: label,
                        in: session)
                }
            }
        }
    }
}
