// Keys and a whole process with a FIPS provider. Without one, that nothing falls back.
//
// `tools/run fips-check` sets JOSE_TEST_FIPS to the configuration of a provider, and runs these
// tests with it.

import Foundation
import JOSE
import JOSECrypto
import Testing

private enum Machine {
    /// The configuration of the provider to test with; nil without one.
    static var configuration: String? { ProcessInfo.processInfo.environment["JOSE_TEST_FIPS"] }

    static func provider() throws -> FIPSProvider {
        try FIPSProvider.load(configuration: configuration)
    }

    /// Writes a file for this process.
    static func write(_ text: String) throws -> String {
        let path = NSTemporaryDirectory() + "jose-fips-\(ProcessInfo.processInfo.processIdentifier)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }
}

private func code(_ body: () throws -> Void) -> JOSEError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? JOSEError)?.code
    }
}

@Suite("Without a FIPS provider", .enabled(if: Machine.configuration == nil))
struct AbsentFIPSProviderTests {
    @Test("a missing configuration, directory or device is `misuse`")
    func noConfiguration() async {
        await #expect(processExitsWith: .success) {
            for path in ["/absent/fipsmodule.cnf", "/", "/dev/null", "/dev/zero", ""] {
                #expect(
                    code { _ = try FIPSProvider.load(configuration: path) } == .misuse, "\(path)")
            }
        }
    }

    @Test("a path with a zero byte is not read up to it")
    func zeroByte() {
        #expect(FIPSLibrary.read("/proc/self/stat", maxBytes: 65_536) != nil)
        #expect(FIPSLibrary.read("/proc/self/stat\0.cnf", maxBytes: 65_536) == nil)
    }

    @Test("a missing module is `unsupported`, another module `internal`; neither is used")
    func noModule() async {
        await #expect(processExitsWith: .success) {
            let section = "[fips_sect]\nactivate = 1\nmodule-mac = AA:BB\n"
            let absent = try Machine.write(section + "module = /absent/fips.so\n")
            #expect(code { _ = try FIPSProvider.load(configuration: absent) } == .unsupported)
            let other = try Machine.write(section + "module = /proc/self/exe\n")
            #expect(code { _ = try FIPSProvider.load(configuration: other) } == .internal)
            #expect(FIPSProvider.ofProcess == nil)
            // The default provider works as before.
            let token = try JWSSigner(key: TestKeys.signing, algorithm: .rs256).sign("text")
            _ = try JWSVerifier(key: TestKeys.verifying, algorithms: [.rs256]).verify(token)
        }
    }
}

@Suite("With a FIPS provider", .enabled(if: Machine.configuration != nil))
struct FIPSProviderTests {
    /// Signs and encrypts with keys, and reads it again with the others.
    private static func exchange(_ own: (JWK) -> JWK, _ other: (JWK) -> JWK) throws {
        for (key, algorithm) in try signingKeys() {
            for (one, two) in [(own(key), other(key)), (other(key), own(key))] {
                let token = try JWSSigner(key: one, algorithm: algorithm).sign("text")
                let reader = two.keyType == .oct ? two : try two.publicKey
                let verifier = try JWSVerifier(key: reader, algorithms: [algorithm])
                #expect(try verifier.verify(token).payload == Array("text".utf8))
                let changed = String(token.dropLast(8)) + "AAAAAAAA"
                #expect(code { _ = try verifier.verify(changed) } == .signatureInvalid)
            }
        }
        for (key, algorithm) in try decryptionKeys() {
            for content in [ContentEncryptionAlgorithm.a128CBCHS256, .a256GCM] {
                for (one, two) in [(own(key), other(key)), (other(key), own(key))] {
                    let recipient = one.keyType == .oct ? one : try one.publicKey
                    let token = try JWEEncrypter(
                        key: recipient, algorithm: algorithm, content: content
                    ).encrypt("text")
                    let decrypter = try JWEDecrypter(
                        key: two, algorithms: [algorithm], content: [content])
                    #expect(
                        try decrypter.decrypt(token).unauthenticatedPlaintext
                            == Array("text".utf8), "\(algorithm)")
                    let changed = String(token.dropLast(4)) + "AAAA"
                    #expect(code { _ = try decrypter.decrypt(changed) } == .decryptionFailed)
                }
            }
        }
    }

    private static func signingKeys() throws -> [(JWK, SignatureAlgorithm)] {
        try [
            (JWK.generate(.rsa), .rs256), (JWK.generate(.rsa), .ps256),
            (JWK.generate(.curve(.p256)), .es256), (JWK.generate(.curve(.p384)), .es384),
            (JWK.generate(.curve(.p521)), .es512), (JWK.generate(.symmetric(bits: 256)), .hs256),
        ]
    }

    private static func decryptionKeys() throws -> [(JWK, KeyManagementAlgorithm)] {
        try [
            (JWK.generate(.rsa), .rsaOAEP256), (JWK.generate(.rsa), .rsaOAEP),
            (JWK.generate(.curve(.p256)), .ecdhES), (JWK.generate(.curve(.p384)), .ecdhESA128KW),
            (JWK.generate(.symmetric(bits: 256)), .a256KW),
            (JWK.generate(.symmetric(bits: 128)), .a128GCMKW),
        ]
    }

    @Test("tokens of a FIPS key work with the default provider, and the reverse")
    func keys() async {
        await #expect(processExitsWith: .success) {
            let provider = try Machine.provider()
            #expect(provider.isRunning && provider.name.contains("FIPS"))
            #expect(!provider.version.isEmpty && !provider.build.isEmpty)
            try Self.exchange({ $0.withAcceleration(.fips(provider)) }, { $0 })
            #expect(FIPSProvider.ofProcess == nil)
            #expect(code { try provider.useForProcess() } == .misuse)
            #expect(try FIPSProvider.load(configuration: Machine.configuration) == provider)
        }
    }

    @Test("an algorithm that the provider lacks is `unsupported` when the key is used")
    func rejected() async {
        await #expect(processExitsWith: .success) {
            let provider = try Machine.provider()
            let k1 = try JWK.generate(.curve(.secp256k1)).withAcceleration(.fips(provider))
            #expect(code { _ = try JWSSigner(key: k1, algorithm: .es256K) } == .unsupported)
            let plain = try JWK.generate(.curve(.x25519))
            let token = try JWEEncrypter(
                key: plain.publicKey, algorithm: .ecdhES, content: .a128GCM
            ).encrypt("text")
            let x = plain.withAcceleration(.fips(provider))
            #expect(
                code {
                    _ = try JWEDecrypter(key: x, algorithms: [.ecdhES], content: [.a128GCM])
                        .decrypt(token)
                } == .unsupported)
            #expect(
                code {
                    _ = try JWEEncrypter(
                        key: x.publicKey, algorithm: .ecdhES, content: .a128GCM)
                } == .unsupported)
            #expect(
                code {
                    _ = try JWK.generate(
                        JWK.Specification.curve(.x25519).withAcceleration(.fips(provider)))
                } == .unsupported)
        }
    }

    @Test("a set's keys and generated keys are the provider's; recipients may not mix providers")
    func sets() async {
        await #expect(processExitsWith: .success) {
            let provider = try Machine.provider()
            let key = try JWK.generate(
                JWK.Specification.curve(.p256).withAcceleration(.fips(provider)),
                algorithm: .es256)
            let set = try PublicJWKSet(json: PublicJWKSet(keys: [key]).json())
                .withAcceleration(.fips(provider))
            let token = try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(60))
                .issue(["iss": "a", "aud": "b"])
            let verifier = try JWTVerifier(
                issuer: "a", audience: "b", signature: .required(keys: set, algorithms: [.es256]))
            _ = try verifier.verify(token)
            let rsa = try JWK.generate(.rsa)
            let recipients = try [rsa, rsa.withAcceleration(.fips(provider))].map {
                try JWERecipient(key: $0.publicKey, algorithm: .rsaOAEP256)
            }
            #expect(
                code {
                    _ = try JWEJSONEncrypter(recipients: recipients, content: .a128GCM)
                } == .misuse)
        }
    }

    @Test("the whole process uses the provider, also where no key is")
    func process() async {
        await #expect(processExitsWith: .success) {
            let provider = try Machine.provider()
            try provider.useForProcess()
            try provider.useForProcess()
            #expect(FIPSProvider.ofProcess == provider)
            try Self.exchange({ $0 }, { $0.withAcceleration(.openSSLOnly) })
            // RFC 7638, 3.1.
            #expect(try TestKeys.bare(TestKeys.verifying).thumbprint().utf8.count == 43)
            for curve in [JWKCurve.x25519, .x448, .secp256k1] {
                #expect(code { _ = try JWK.generate(.curve(curve)) } == .unsupported)
            }
            #expect(KeyAcceleration.kernelsInUse.isEmpty)
            #expect(SignatureAlgorithm.es256K.isAvailable == false)
            #expect(SignatureAlgorithm.es256.isAvailable)
            #expect(KeyManagementAlgorithm.rsaOAEP256.isAvailable)
        }
    }

    @Test("certificates are the provider's")
    func certificates() async {
        await #expect(processExitsWith: .success) {
            try Machine.provider().useForProcess()
            let root = try TestAuthority(TestKeys.bare(TestKeys.signing))
            let stranger = try TestAuthority(TestKeys.bare(TestKeys.stranger))
            let now = try TestChains.date(TestChains.now)
            for key in try [TestKeys.bare(TestKeys.client), JWK.generate(.curve(.p256))] {
                let leaf = try root.leaf(key)
                let list = try root.revocationList(
                    from: TestChains.now - 10, until: TestChains.now + 100)
                let trust = try TrustStore(anchors: [root.certificate], revocationLists: [list])
                #expect(try trust.report([leaf], purpose: .signature, at: now).error == nil)
                let other = try TrustStore(anchors: [stranger.certificate])
                #expect(try other.report([leaf], purpose: .signature, at: now).error != nil)
            }
        }
    }

    @Test("a process that used the default provider cannot change it")
    func late() async {
        await #expect(processExitsWith: .success) {
            _ = try JWK.generate(.symmetric(bits: 128))
            #expect(code { try Machine.provider().useForProcess() } == .misuse)
            #expect(FIPSProvider.ofProcess == nil)
        }
    }

    @Test("a module with a wrong MAC does not start, and stays stopped; the default provider works")
    func wrongMAC() async {
        await #expect(processExitsWith: .success) {
            let right = try String(contentsOfFile: #require(Machine.configuration), encoding: .utf8)
            let lines = right.split(separator: "\n").map {
                $0.hasPrefix("module-mac") ? "module-mac = 00:11:22" : $0
            }
            let wrong = try Machine.write(lines.joined(separator: "\n"))
            #expect(code { _ = try FIPSProvider.load(configuration: wrong) } == .internal)
            #expect(code { _ = try Machine.provider() } == .internal)
            #expect(FIPSProvider.ofProcess == nil)
            _ = try JWSSigner(key: TestKeys.signing, algorithm: .rs256).sign("text")
        }
    }

    @Test("a half configuration and another configuration are one clear error each")
    func wrongConfigurations() async {
        await #expect(processExitsWith: .success) {
            let right = try String(contentsOfFile: #require(Machine.configuration), encoding: .utf8)
            let lines = right.split(separator: "\n").map(String.init)
            let half = lines.filter { !$0.hasPrefix("module-mac") }.joined(separator: "\n")
            let without = try Machine.write(half)
            #expect(code { _ = try FIPSProvider.load(configuration: without) } == .misuse)
            _ = try Machine.provider()
            let more = try Machine.write(right + "\ndrbg-other-setting = 1\n")
            #expect(code { _ = try FIPSProvider.load(configuration: more) } == .misuse)
        }
    }
}
