// Every acceleration setting gives the same results, for a key and for a set.

import JOSECrypto
import Testing

@testable import JOSE

@Suite("Acceleration: a key's setting changes the implementation, not the result")
struct AccelerationTests {
    private static let settings: [KeyAcceleration] = [
        .automatic, .withEncryption, .withPrivateKeys, .withPrivateKeysAndFloatingPoint,
        .noKernels, .openSSLOnly,
    ]

    @Test("verification with a key, a set and a published set", arguments: settings)
    func verifying(_ setting: KeyAcceleration) throws {
        let key = TestKeys.signing
        let token = try JWSSigner(key: key.withAcceleration(setting), algorithm: .rs256).sign(
            "payload")
        let published = try JWKSet(keys: [key]).withAcceleration(setting).publicKeys
        let verifiers = [
            try JWSVerifier.rs256(key.publicKey.withAcceleration(setting)),
            try JWSVerifier.rs256(keys: published),
        ]
        for verifier in verifiers {
            #expect(try verifier.verify(token).payload == Array("payload".utf8))
            let other = try JWSSigner(key: key, algorithm: .rs256).sign("another")
            let parts = token.split(separator: ".").map(String.init)
            let wrong = TestToken.replacing(2, of: other, by: parts[2])
            expectRejection("signature-invalid") { _ = try verifier.verify(wrong) }
        }
    }

    @Test("encryption to a key, decryption with a set", arguments: settings)
    func encrypting(_ setting: KeyAcceleration) throws {
        var key = TestKeys.decrypting
        key.algorithm = nil
        for algorithm in [KeyManagementAlgorithm.rsaOAEP, .rsaOAEP256] {
            let token = try JWEEncrypter.with(
                key.publicKey.withAcceleration(setting), algorithm, .a128CBCHS256
            ).encrypt("payload")
            for opener in Self.settings {
                let decrypter = try JWEDecrypter(
                    keys: JWKSet(keys: [key]).withAcceleration(opener), algorithms: [algorithm],
                    content: [.a128CBCHS256])
                let opened = try decrypter.decrypt(token)
                #expect(opened.unauthenticatedPlaintext == Array("payload".utf8))
            }
        }
    }

    @Test(
        "a key's setting carries over to its public key, into sets and out of them",
        arguments: settings)
    func kept(_ setting: KeyAcceleration) throws {
        let key = TestKeys.signing.withAcceleration(setting)
        let wanted = setting.options
        #expect(try key.publicKey.prepared.options == wanted)
        #expect(try key.publicKey.withAcceleration(.automatic).prepared.options == [])
        let sets = [
            try PublicJWKSet(keys: [key]), try PublicJWKSet(keys: [key.publicKey]),
            try JWKSet(keys: [TestKeys.signing]).withAcceleration(setting).publicKeys,
            try PublicJWKSet(keys: [TestKeys.signing]).withAcceleration(setting),
            try PublicJWKSet(keys: [TestKeys.signing.withAcceleration(.noKernels)])
                .withAcceleration(
                    setting),
            try PublicJWKSet(keys: [key]).withCertificateRule(.ignore),
            try PublicJWKSet(keys: [key]).markedStale(),
        ]
        for set in sets {
            #expect(try set.storage.preparedKey(0).options == wanted)
            #expect(set.keys().map(\.prepared.options) == [wanted])
        }
        #expect(
            try PublicJWKSet(keys: [key]).withAcceleration(.noKernels).storage.preparedKey(0)
                .options
                == .noKernels)
    }

    @Test("keys with different settings keep them in one set")
    func mixed() throws {
        let keys = Self.settings.map { TestKeys.signing.withAcceleration($0) }
        let set = try PublicJWKSet(keys: keys + [TestKeys.decrypting])
        let wanted = Self.settings.map(\.options) + [[]]
        #expect(set.keys().map(\.prepared.options) == wanted)
        #expect(
            try set.storage.records.indices.map { try set.storage.preparedKey($0).options }
                == wanted)
        #expect(
            try JWKSet(keys: keys).publicKeys.keys().map(\.prepared.options) == wanted.dropLast())
        #expect(
            set.withAcceleration(.openSSLOnly).keys().allSatisfy {
                $0.prepared.options == .openSSLOnly
            })
    }

    @Test("each setting is an option of the C core with the bits of its header")
    func options() {
        let all: [OperationOptions] = [
            .checksEverySignature, .openSSLOnly, .noKernels, .acceleratesEncryption,
            .acceleratesPrivateKeys, .allowsFloatingPoint, .fips,
        ]
        #expect(all.dropLast().map(\.rawValue) == [1, 2, 4, 8, 16, 32])
        #expect(all.allSatisfy { $0.rawValue.nonzeroBitCount == 1 })
        #expect(OperationOptions(all).rawValue.nonzeroBitCount == all.count)
        #expect(
            Self.settings.map(\.options.rawValue) == [0, 8, 8 | 16, 8 | 16 | 32, 4, 2])
    }

    @Test("of two settings the more restrictive counts, in either order")
    func strictest() {
        let byRank: [KeyAcceleration] = [
            .withPrivateKeysAndFloatingPoint, .withPrivateKeys, .withEncryption, .automatic,
            .noKernels, .openSSLOnly,
        ]
        for (lower, lax) in byRank.enumerated() {
            for (upper, strict) in byRank.enumerated() where upper >= lower {
                #expect(lax.strictest(strict) == strict)
                #expect(strict.strictest(lax) == strict)
            }
        }
    }

    @Test("a key from a header uses its verifier's setting", arguments: settings)
    func fromHeader(_ setting: KeyAcceleration) throws {
        var header = HeaderParameters()
        header.embeddedKey = try TestKeys.signing.publicKey
        let token = try JWSSigner(key: TestKeys.signing, algorithm: .rs256, header: header).sign(
            "{}")
        let opened = try HeaderKeyReader(
            policy: ClaimsPolicy(issuer: .any, audience: .any), algorithms: [.rs256],
            limits: .standard
        ).readHeader(token, by: setting)
        let options = opened.key.options
        #expect(options == setting.options)
    }

    @Test(
        "checkingEverySignature affects the private key only")
    func checking() throws {
        let key = TestKeys.signing.withAcceleration(.noKernels).checkingEverySignature()
        #expect(key.prepared.options == [.noKernels, .checksEverySignature])
        #expect(try key.publicKey.prepared.options == .noKernels)
        let set = try PublicJWKSet(keys: [key])
        #expect(set.withAcceleration(.noKernels).storage === set.storage)
    }

    @Test("the setting changes no member, no JSON and no skipped entry")
    func members() throws {
        var key = TestKeys.signing
        key.keyOperations = [.sign]
        #expect(
            try JWKSet(keys: [key.withAcceleration(.noKernels)]).privateJSON()
                == JWKSet(keys: [key]).privateJSON())
        let unusable = #"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"short"}]}"#
        #expect(try JWKSet(json: unusable).withAcceleration(.noKernels).skipped.count == 1)
        #expect(try PublicJWKSet(json: unusable).withAcceleration(.noKernels).skipped.count == 1)
        let set = try PublicJWKSet(keys: [key])
        #expect(set.withAcceleration(.noKernels).json() == set.json())
        #expect(set.withAcceleration(.automatic).storage === set.storage)
    }
}
