// What all scenarios share: fixed keys and payloads, prepared engines, the baselines' contexts.

import CJOSEBenchmark
@_spi(Bench) import JOSEBenchmark
import CBenchBaselines
import Foundation
import JOSE

final class TestEnvironment {
    let payload600 = TestEnvironment.payload(600)
    /// The claims of twenty members as JSON text, in the order of their declaration.
    let claims: [UInt8]
    /// The same in another order, as a foreign provider would write them.
    let foreignClaims: [UInt8]
    let signingKey: JWK
    let verificationKey: JWK
    let verificationSet: PublicJWKSet
    let decryptionKey: JWK
    let encryptionKey: JWK
    let verifier: JWSVerifier
    let signer: JWSSigner
    /// Looks at its signatures by OpenSSL's Montgomery functions.
    let portableSigner: JWSSigner
    let issuer: JWTIssuer
    let portableIssuer: JWTIssuer
    /// The signed claims, with the `kid` of the key.
    let token: String
    /// Enough for sixteen megabytes and ten thousand keys.
    static let wide: JOSELimits = {
        var limits = JOSELimits.standard
        limits.tokenBytes = 1 << 26
        limits.keySetBytes = 1 << 24
        limits.keyCount = 20_000
        return limits
    }()

    private var baselineKeys: [String: OpaquePointer] = [:]

    /// All keys get this setting.
    init(_ acceleration: KeyAcceleration = .automatic) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        foreignClaims = [UInt8](try encoder.encode(IDTokenClaims.sample))
        let signing = FixtureKey.signing2048
        let encryption = FixtureKey.encryption2048
        signingKey = try JWK(json: signing.privateJWK(use: "sig", alg: "RS256"))
            .withAcceleration(acceleration)
        verificationKey = try JWK(json: signing.publicJWK(use: "sig", alg: "RS256"))
            .withAcceleration(acceleration)
        verificationSet = try PublicJWKSet(
            json: keySetJSON(count: 10, last: signing, use: "sig", alg: "RS256")
        ).withAcceleration(acceleration)
        decryptionKey = try JWK(json: encryption.privateJWK(use: "enc", alg: nil))
            .withAcceleration(acceleration)
        encryptionKey = try JWK(json: encryption.publicJWK(use: "enc", alg: nil))
            .withAcceleration(acceleration)
        verifier = try JWSVerifier(keys: verificationSet, algorithms: [.rs256])
        signer = try JWSSigner(
            key: signingKey, algorithm: .rs256, header: HeaderParameters(type: "JWT"))
        issuer = try JWTIssuer(key: signingKey, algorithm: .rs256, type: "JWT")
        let portable = signingKey.withAcceleration(.noKernels)
        portableSigner = try JWSSigner(
            key: portable, algorithm: .rs256, header: HeaderParameters(type: "JWT"))
        portableIssuer = try JWTIssuer(key: portable, algorithm: .rs256, type: "JWT")
        token = try issuer.issue(IDTokenClaims.sample)
        claims = decodeBase64URL(token.split(separator: ".")[1])
    }

    /// Text of a given size; every byte is ASCII, as other libraries want it.
    static func payload(_ count: Int) -> [UInt8] {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789 ,.".utf8)
        var random = FixedRandom(UInt64(count))
        return (0..<count).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
    }

    /// A lane of its own for one baseline: contexts are never shared between scenarios or threads.
    func lane(_ key: FixtureKey, oaepBits: Int = 256, capacity: Int = 0) throws -> OpaquePointer {
        let shared: OpaquePointer
        if let known = baselineKeys[key.kid] {
            shared = known
        } else {
            shared = try key.baselineKey()
            baselineKeys[key.kid] = shared
        }
        guard let lane = baseline_lane_new(shared, Int32(oaepBits), capacity) else {
            throw BenchmarkFailure("libcrypto makes no contexts for \(key.kid)")
        }
        return lane
    }

    /// RS256 by a key of its own, for one baseline and one thread.
    func signing(_ key: FixtureKey) throws -> OpaquePointer {
        let bytes = try JWK(json: key.privateJWK(use: "sig", alg: nil)).baselineBytes()
        guard let made = baseline_signing_new("RS256", bytes, bytes.count) else {
            throw BenchmarkFailure("libcrypto makes no contexts for \(key.kid)")
        }
        return made
    }

    func baselineKey(_ key: FixtureKey) throws -> OpaquePointer {
        _ = try lane(key)
        guard let made = baselineKeys[key.kid] else { throw BenchmarkFailure("no key") }
        return made
    }

    func jwtVerifier(
        _ signature: SignatureRule, encryption: EncryptionRule = .notEncrypted
    ) throws -> JWTVerifier {
        try JWTVerifier(
            issuer: IDTokenClaims.issuer, audience: IDTokenClaims.audience, encryption: encryption,
            signature: signature, limits: TestEnvironment.wide)
    }
}

/// What all scenarios of this run share.
func environment() throws -> TestEnvironment {
    if let made = shared { return made }
    let made = try TestEnvironment()
    shared = made
    return made
}

nonisolated(unsafe) private var shared: TestEnvironment?

/// A compact JWS taken apart, as the baselines want it.
struct SignedParts {
    let input: [UInt8]
    let signature: [UInt8]

    init(_ token: String) throws {
        guard let dot = token.lastIndex(of: ".") else { throw BenchmarkFailure("no JWS") }
        input = Array(token[..<dot].utf8)
        signature = decodeBase64URL(token[token.index(after: dot)...])
    }
}

/// The protected header of a compact token as it stands in it: the AAD of a JWE.
func encodedHeader(_ token: String) -> [UInt8] { Array(token.prefix { $0 != "." }.utf8) }
