// A misbehaving module never produces a signature, a key or a crash.

import JOSE
import JOSECrypto
@testable import JOSEPKCS11
import Testing

@Suite("PKCS#11 modules that misbehave", .onlyOwn)
struct MisbehaviourTests {
    @Test(
        "an invalid signature fails, or the engine's verification rejects it",
        arguments: [PKCS11KeyKind.rsa(bits: 2048), .curve(.p256), .curve(.p521), .curve(.ed25519)])
    func signatures(_ kind: PKCS11KeyKind) async throws {
        let test = try TestToken()
        let label = freshLabel()
        let token = try await test.open()
        let key = try await token.makeKey(kind, use: .signature, label: label)
        let algorithm = try #require(key.capabilities.signatures.first)
        let misbehaviours: [Misbehaviour] = [
            .signatureWrong, .signatureShort, .signatureLong, .signatureHuge, .signatureDER,
            .otherKey,
        ]
        for misbehaviour in misbehaviours {
            test.misbehave(misbehaviour)
            do {
                let signature = try await key.signature(algorithm, of: [1, 2])
                #expect(try !key.isRight(signature, algorithm, of: [1, 2]), "\(misbehaviour)")
            } catch {
                #expect(error as? ExternalKeyError == .failed, "\(misbehaviour)")
            }
            // Such a token's key is not opened.
            #expect(
                await rejection { _ = try await token.key(try uri(label)) }?.code == .keyUnusable,
                "\(misbehaviour)")
        }
        test.misbehave(.none)
        let signature = try await key.signature(algorithm, of: [1, 2])
        #expect(try key.isRight(signature, algorithm, of: [1, 2]))
    }

    @Test(
        "a public part of another key is detected when the key is opened",
        arguments: [Misbehaviour.otherPublic, .otherPublicObject, .otherKey, .point])
    func publicParts(_ misbehaviour: Misbehaviour) async throws {
        let test = try TestToken()
        let token = try await test.open()
        let kinds: [(PKCS11KeyKind, KeyUse)] = [
            (.rsa(bits: 2048), .signature), (.rsa(bits: 2048), .encryption),
            (.curve(.p256), .signature), (.curve(.p256), .encryption), (.curve(.p384), .encryption),
            (.curve(.ed25519), .signature), (.curve(.x25519), .encryption),
        ]
        for (kind, use) in kinds {
            let label = freshLabel()
            _ = try await token.makeKey(kind, use: use, label: label)
            test.misbehave(misbehaviour)
            let error = await rejection { _ = try await token.key(try uri(label)) }
            if misbehaviour == .point, case .rsa = kind {
                #expect(error == nil)
            } else {
                #expect(error?.code == .keyUnusable, "\(kind) \(use)")
            }
            test.misbehave(.none)
            _ = try await token.key(uri(label))
        }
    }

    @Test("without CKA_EC_PARAMS the public key comes from the key's certificate")
    func noCurve() async throws {
        let test = try TestToken()
        let token = try await test.open()
        let label = freshLabel()
        let key = try await token.makeKey(.curve(.p256), use: .signature, label: label)
        test.misbehave(.noCurve)
        await expectRejection(.keyUnusable) { _ = try await token.key(uri(label)) }
        test.misbehave(.none)
        let chain = try TestChain(for: key.publicKey)
        _ = try await token.store(certificates: chain.ordered, for: key)
        test.misbehave(.noCurve)
        let read = try await token.key(uri(label))
        #expect(try read.publicKey.thumbprint() == key.publicKey.thumbprint())
    }

    @Test(
        "impossible lengths and numbers are rejected",
        arguments: [
            Misbehaviour.attributeHuge, .attributeLong, .attributeAbsent, .attributeWide,
            .findEndless,
            .findMore,
        ])
    func attributes(_ misbehaviour: Misbehaviour) async throws {
        let test = try TestToken()
        let token = try await test.open()
        let label = freshLabel()
        let key = try await token.makeKey(.rsa(bits: 2048), use: .encryption, label: label)
        test.misbehave(misbehaviour)
        await expectRejection(.keyUnusable, "\(misbehaviour)") {
            _ = try await token.key(try uri(label))
        }
        await expectRejection(.keyUnusable, "\(misbehaviour)") {
            _ = try await token.signing()
        }
        test.misbehave(.none)
        #expect(try await token.key(uri(label)).id == key.id)
    }

    @Test("an endless slot list is rejected")
    func slots() async throws {
        let test = try TestToken()
        test.misbehave(.slots)
        await expectRejection(.keyUnusable) { _ = try await test.open() }
        test.misbehave(.none)
        _ = try await test.open()
    }

    @Test("a plaintext of impossible length is a failed unwrap")
    func plaintexts() async throws {
        let (test, _, key) = try await TestToken.decrypting()
        for algorithm in [KeyManagementAlgorithm.rsaOAEP, .rsaOAEP384] {
            let encryptedKey = try key.encryptedKey(algorithm)
            test.misbehave(.plaintextLong)
            await expectError(.failed) { _ = try await key.unwrapped(algorithm, encryptedKey) }
            test.misbehave(.plaintextShort)
            do {
                // The engine rejects a content key of another length, the block length is checked
                // here.
                guard
                    case .contentKey(let secret) = try await key.unwrapped(algorithm, encryptedKey)
                else { throw ExternalKeyError.unavailable }
                #expect(secret.bytes.count == 31 && algorithm == .rsaOAEP)
            } catch {
                #expect(error as? ExternalKeyError == .failed && algorithm == .rsaOAEP384)
            }
            test.misbehave(.none)
            _ = try await key.unwrapped(algorithm, encryptedKey)
        }
    }

    @Test(
        "a shared secret of another length is a failed agreement",
        arguments: [Misbehaviour.secretShort, .secretLong])
    func secrets(_ misbehaviour: Misbehaviour) async throws {
        let test = try TestToken()
        let token = try await test.open()
        let one = try await token.agreeing()
        let other = try await token.agreeing()
        test.misbehave(misbehaviour)
        await expectError(.failed) { _ = try await one.agreed(with: other) }
        test.misbehave(.none)
        #expect(try await one.agreed(with: other).count == 32)
    }
}
