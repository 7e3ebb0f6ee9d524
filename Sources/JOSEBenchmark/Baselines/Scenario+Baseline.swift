// Baselines for a service's own tokens: only calls of libcrypto (Ed25519: libsodium).

import Foundation
import JOSEBytes

public import JOSE

extension Scenario {
    /// Creates a baseline that verifies the signature of a token by libcrypto's calls alone.
    ///
    /// Per iteration: one digest of the signing input and one verification. Nothing is parsed, and
    /// nothing else is checked. For Ed25519 the calls are libsodium's.
    ///
    /// - Parameters:
    ///   - name: A name that ends in `baseline`, such as `orders/verify-baseline`.
    ///   - token: A compact JWS that the key verifies.
    ///   - key: The verification key, public or private; the secret for HMAC algorithms.
    /// - Returns: A scenario to name as the `baseline` of another. Its preparation throws if the
    ///   token's `alg` has no baseline or the signature is not of this key.
    public static func baseline(_ name: String, verifying token: String, with key: JWK) -> Scenario
    {
        baseline(name) {
            let parts = try CompactParts(token, count: 3)
            let raw = try RawSignature(try parts.text("alg"), key: key.baselineBytes())
            let input = parts.signingInput
            try require(
                raw.take(parts.decoded[2]) && raw.verify(input),
                "libcrypto does not verify the token with this key")
            return { iterations, _ in
                for _ in 0..<iterations { try require(raw.verify(input), "verify") }
            }
        }
    }

    /// Creates a baseline that signs a token's signing input by calls of libcrypto (Ed25519:
    /// libsodium).
    ///
    /// - Parameters:
    ///   - name: A name that ends in `baseline`, such as `orders/sign-baseline`.
    ///   - token: A compact JWS that the service issued. Its `alg` and signing input are used.
    ///   - key: The private key, or the secret.
    /// - Returns: A scenario to name as the `baseline` of another. Its preparation throws if the
    ///   token's `alg` has no baseline with this key.
    public static func baseline(_ name: String, signing token: String, with key: JWK) -> Scenario {
        baseline(name) {
            let parts = try CompactParts(token, count: 3)
            let raw = try RawSignature(try parts.text("alg"), key: key.baselineBytes())
            let input = parts.signingInput
            try require(
                raw.sign(input), "libcrypto does not sign with this key: is it a private one?")
            return { iterations, _ in
                for _ in 0..<iterations { try require(raw.sign(input), "sign") }
            }
        }
    }

    /// Creates a baseline that decrypts a token by libcrypto's calls alone.
    ///
    /// - Parameters:
    ///   - name: A name that ends in `baseline`, such as `orders/decrypt-baseline`.
    ///   - token: A compact JWE for the key, with RSA-OAEP or RSA-OAEP-256 and A128CBC-HS256.
    ///   - key: The private key.
    /// - Returns: A scenario to name as the `baseline` of another. Its preparation throws for other
    ///   algorithms, which need a scenario of your own, and for another key.
    public static func baseline(_ name: String, decrypting token: String, with key: JWK) -> Scenario
    {
        baseline(name) {
            let parts = try CompactParts(token, count: 5)
            let (sealed, lane) = try (parts.lane(key), parts.lane(key))
            try require(
                sealed.take(
                    encryptedKey: parts.decoded[1], iv: parts.decoded[2], text: parts.decoded[3],
                    tag: parts.decoded[4], aad: parts.header) && lane.decrypt(sealed),
                "libcrypto does not decrypt the token with this key")
            return { iterations, _ in
                for _ in 0..<iterations { try require(lane.decrypt(sealed), "decrypt") }
            }
        }
    }

    /// Creates a baseline that encrypts a payload as long as a token's by libcrypto's calls alone.
    ///
    /// - Parameters:
    ///   - name: A name that ends in `baseline`, such as `orders/encrypt-baseline`.
    ///   - token: A compact JWE that the service made, with RSA-OAEP or RSA-OAEP-256 and
    ///     A128CBC-HS256. Its algorithms, header and length are used.
    ///   - key: The recipient's public key.
    /// - Returns: A scenario to name as the `baseline` of another. Its preparation throws for other
    ///   algorithms, which need a scenario of your own.
    public static func baseline(_ name: String, encrypting token: String, with key: JWK) -> Scenario
    {
        baseline(name) {
            let parts = try CompactParts(token, count: 5)
            let lane = try parts.lane(key)
            // The longest plaintext with this padded length.
            let text = [UInt8](repeating: 0x61, count: max(0, parts.decoded[3].count - 1))
            let header = parts.header
            try require(lane.encrypt(text, aad: header), "libcrypto does not encrypt to this key")
            return { iterations, _ in
                for _ in 0..<iterations {
                    try require(lane.encrypt(text, aad: header), "encrypt")
                }
            }
        }
    }

    private static func baseline(_ name: String, _ prepare: @escaping () throws -> Work) -> Scenario
    {
        Scenario(name) {
            try require(name.hasSuffix("baseline"), "the name of a baseline ends in `baseline`")
            return try prepare()
        }
    }
}

private struct CompactParts {
    /// The encoded protected header: the AAD of a JWE.
    let header: [UInt8]
    let signingInput: [UInt8]
    let decoded: [[UInt8]]
    private let members: [String: Any]

    init(_ token: String, count: Int) throws {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let decoded = parts.compactMap { Base64URL.decode(Array($0).span) }
        guard parts.count == count, decoded.count == count else {
            throw BenchmarkFailure(
                "the token of a baseline is not a compact \(count == 3 ? "JWS" : "JWE")")
        }
        self.decoded = decoded
        header = Array(parts[0])
        signingInput = Array(token.utf8.prefix(token.utf8.count - (parts.last?.count ?? 0) - 1))
        let json = try? JSONSerialization.jsonObject(with: Data(decoded[0]))
        members = json as? [String: Any] ?? [:]
    }

    func text(_ member: String) throws -> String {
        guard let text = members[member] as? String else {
            throw BenchmarkFailure("the header of a baseline's token has no `\(member)`")
        }
        return text
    }

    func lane(_ key: JWK) throws -> RawEncryption {
        let (algorithm, content) = (try text("alg"), try text("enc"))
        let oaepBits = ["RSA-OAEP": 1, "RSA-OAEP-256": 256][algorithm]
        guard let oaepBits, content == "A128CBC-HS256" else {
            throw BenchmarkFailure(
                "no baseline for \(algorithm) with \(content): write a scenario of your own")
        }
        return try RawEncryption(
            key: key.baselineBytes(), oaepBits: oaepBits, capacity: decoded[3].count)
    }
}

extension JWK {
    /// PKCS#8 or SubjectPublicKeyInfo in DER; the bytes of a secret.
    fileprivate func baselineBytes() throws -> [UInt8] {
        func copy(_ bytes: Span<UInt8>) -> [UInt8] { bytes.indices.map { bytes[$0] } }
        if keyType == .oct {
            return try withSymmetricKey { bytes throws(JOSEError) in copy(bytes) }
        }
        guard isPrivate else { return try publicKeyFile(.der) }
        return try withPrivateKeyFile(.der) { bytes throws(JOSEError) in copy(bytes) }
    }
}
