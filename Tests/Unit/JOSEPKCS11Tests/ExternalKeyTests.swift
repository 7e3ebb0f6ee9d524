// JWS and JWE with keys that stay in a token: made and opened by the engine, and rejected if the
// module misbehaves.

import JOSE
import JOSEBytes
@testable import JOSEPKCS11
import Synchronization
import Testing

@Suite("Tokens by PKCS#11 keys")
struct ExternalKeyTests {
    private let payload = Array("a payload".utf8)

    @Test(
        "the public key verifies what a token's key signs",
        arguments: [
            .rsa(bits: 2048), .curve(.p256), .curve(.p384), .curve(.p521), .curve(.ed25519),
        ]
            as [PKCS11KeyKind])
    func signs(_ kind: PKCS11KeyKind) async throws {
        let token = try await TestToken().open()
        let key = try await token.makeKey(kind, use: .signature, label: freshLabel())
        let held = try key.jwk(options: ampleRule)
        #expect(held.isPrivate && held.keyID == key.publicKey.keyID)
        for algorithm in key.capabilities.signatures {
            let jws = try await JWSSigner(key: held, algorithm: algorithm).sign(
                payload, timeout: ample)
            let verified = try JWSVerifier(key: key.publicKey, algorithms: [algorithm]).verify(jws)
            #expect(verified.payload == payload)
        }
    }

    private static let contents: [ContentEncryptionAlgorithm] = [.a128CBCHS256, .a256GCM]

    @Test(
        "a token's key decrypts what is encrypted to it, and corruption has one rejection",
        arguments: [.rsa(bits: 2048), .curve(.p256), .curve(.p521)] as [PKCS11KeyKind])
    func decrypts(_ kind: PKCS11KeyKind) async throws {
        let token = try await TestToken().open()
        let key = try await token.makeKey(kind, use: .encryption, label: freshLabel())
        let held = try key.jwk(options: ampleRule)
        for algorithm in key.capabilities.keyManagement {
            for content in ExternalKeyTests.contents {
                let decrypter = try JWEDecrypter(
                    key: held, algorithms: [algorithm], content: [content])
                let jwe = try JWEEncrypter(
                    key: key.publicKey, algorithm: algorithm, content: content
                ).encrypt(payload)
                let opened = try await decrypter.decrypt(jwe, timeout: ample)
                #expect(opened.unauthenticatedPlaintext == payload)
                var parts = jwe.split(separator: ".", omittingEmptySubsequences: false).map(
                    String.init)
                for index in 1...4 where !parts[index].isEmpty {
                    let whole = parts[index]
                    // Its first characters: every value stays below the modulus.
                    parts[index] = (whole.hasPrefix("A") ? "B" : "A") + whole.dropFirst()
                    let damaged = parts.joined(separator: ".")
                    parts[index] = whole
                    let error = await rejection {
                        _ = try await decrypter.decrypt(damaged, timeout: ample)
                    }
                    #expect(error?.code == .decryptionFailed && error?.step == .decryption)
                }
            }
        }
    }

    @Test("an invalid signature of a module is an internal error, and yields no output", .onlyOwn)
    func misbehavingSignatures() async throws {
        let test = try TestToken()
        let token = try await test.open()
        for kind in [PKCS11KeyKind.rsa(bits: 2048), .curve(.p256), .curve(.ed25519)] {
            let key = try await token.makeKey(kind, use: .signature, label: freshLabel())
            let algorithm = try #require(key.capabilities.signatures.first)
            let signer = try JWSSigner(key: key.jwk(options: ampleRule), algorithm: algorithm)
            let misbehaviours: [Misbehaviour] = [
                .signatureWrong, .signatureShort, .signatureLong, .signatureHuge, .signatureDER,
                .otherKey,
            ]
            for misbehaviour in misbehaviours {
                test.misbehave(misbehaviour)
                await expectRejection(.internal, "\(misbehaviour)") {
                    _ = try await signer.sign(payload, timeout: ample)
                }
            }
            test.misbehave(.none)
            _ = try await signer.sign(payload, timeout: ample)
            test.tell("token_remove", 1)
            await expectRejection(.unavailable) {
                _ = try await signer.sign(payload, timeout: ample)
            }
            test.tell("token_remove", 0)
            _ = try await signer.sign(payload, timeout: ample)
        }
    }

    @Test(
        "every module error for an encrypted key is the same rejection, except a loss",
        .onlyOwn)
    func responses() async throws {
        let test = try TestToken()
        let token = try await test.open()
        let kinds: [(PKCS11KeyKind, KeyManagementAlgorithm)] = [
            (.rsa(bits: 2048), .rsaOAEP), (.rsa(bits: 2048), .rsaOAEP384), (.curve(.p256), .ecdhES),
            (.curve(.p256), .ecdhESA128KW),
        ]
        for (kind, algorithm) in kinds {
            let key = try await token.makeKey(kind, use: .encryption, label: freshLabel())
            let decrypter = try JWEDecrypter(
                key: key.jwk(options: ampleRule), algorithms: [algorithm], content: [.a128CBCHS256]
            )
            let jwe = try JWEEncrypter(
                key: key.publicKey, algorithm: algorithm, content: .a128CBCHS256
            ).encrypt(payload)
            var errors: Set<JOSEError> = []
            for response in [
                0x05, 0x06, 0x20, 0x21, 0x30, 0x31, 0x40, 0x41, 0x68, 0x91, 0x150, 0x8000_0001,
            ] {
                test.tell("token_end_response", 1 << 32 | response)
                let error = await rejection { _ = try await decrypter.decrypt(jwe, timeout: ample) }
                #expect(error?.code == .decryptionFailed, "\(response)")
                if let error { errors.insert(error) }
            }
            for misbehaviour in [
                Misbehaviour.plaintextLong, .plaintextShort, .otherKey, .secretShort, .secretLong,
            ] {
                test.misbehave(misbehaviour)
                if let error = await rejection({
                    _ = try await decrypter.decrypt(jwe, timeout: ample)
                }
                ) {
                    errors.insert(error)
                } else {
                    // A misbehaviour that concerns the other kind of key.
                    #expect(
                        (misbehaviour.rawValue >= Misbehaviour.secretShort.rawValue)
                            == (key.publicKey.keyType == .rsa))
                }
                test.misbehave(.none)
            }
            #expect(errors.count == 1)
            test.tell("token_remove", 1)
            await expectRejection(.unavailable) {
                _ = try await decrypter.decrypt(jwe, timeout: ample)
            }
            test.tell("token_remove", 0)
            _ = try await decrypter.decrypt(jwe, timeout: ample)
        }
    }

    @Test(
        "the operator learns whether it was a timeout, a cancellation or an absent token",
        .onlyOwn)
    func outages() async throws {
        let test = try TestToken()
        let kinds = Lock<[ExternalKeyEvent.Kind]>([])
        let key = try await test.open(sessions: 1).signing()
        let held = try key.jwk(
            options: ExternalKeyOptions(maxConcurrent: 1, timeout: ample) { event in
                kinds.withLock { $0 += [event].compactMap { ($0 as? ExternalKeyEvent)?.kind } }
            })
        let signer = try JWSSigner(key: held, algorithm: .es256)
        test.tell("token_delay", 500_000)
        let late = await rejection {
            _ = try await signer.sign(Array("a payload".utf8), timeout: .milliseconds(50))
        }
        #expect(late?.code == .unavailable && kinds.withLock { $0 } == [.timedOut])
        let before = test.ask("token_operations")
        let task = Task {
            await rejection { _ = try await signer.sign(Array("a payload".utf8), timeout: ample) }
        }
        while test.ask("token_operations") == before { await Task.yield() }
        task.cancel()
        #expect(await task.value?.code == .unavailable)
        #expect(kinds.withLock { $0 } == [.timedOut, .cancelled])
        test.tell("token_delay", 0)
        test.tell("token_remove", 1)
        await expectRejection(.unavailable) {
            _ = try await signer.sign(Array("a payload".utf8), timeout: ample)
        }
        #expect(kinds.withLock { $0 } == [.timedOut, .cancelled, .unavailable])
        // Each operation freed its slot.
        test.tell("token_remove", 0)
        _ = try await signer.sign(Array("a payload".utf8), timeout: ample)
    }
}
