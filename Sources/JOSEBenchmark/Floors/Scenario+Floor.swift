// Floors for a service's own tokens: the libcrypto calls that no library can do without, on contexts that are used again.

import Foundation
import JOSEBytes

public import JOSE

extension Scenario {
    /// The raw calls that verify the signature of a token.
    ///
    /// One digest of the signing input and one verification; nothing is parsed, and nothing else is checked.
    ///
    /// - Parameters:
    ///   - name: A name that ends in `floor`, such as `orders/verify-floor`.
    ///   - token: A compact JWS that the key verifies.
    ///   - key: The key by which the service verifies it, public or private; of HS256 and its siblings the secret.
    /// - Returns: A scenario to name as another's floor. It throws where it is prepared if there is no floor for the token's `alg`,
    ///   or if the signature is not the key's.
    public static func floor(_ name: String, verifying token: String, with key: JWK) -> Scenario {
        floor(name) {
            let parts = try CompactParts(token, count: 3)
            let raw = try RawSignature(try parts.text("alg"), key: key.floorBytes())
            let input = parts.signingInput
            try require(
                raw.take(parts.decoded[2]) && raw.verify(input),
                "libcrypto does not verify the token with this key")
            return { iterations, _ in
                for _ in 0..<iterations { try require(raw.verify(input), "verify") }
            }
        }
    }

    /// The raw calls that sign a token anew.
    ///
    /// - Parameters:
    ///   - name: A name that ends in `floor`, such as `orders/sign-floor`.
    ///   - token: A compact JWS as the service issues it: its `alg` and its signing input are taken.
    ///   - key: The private key, or the secret.
    /// - Returns: A scenario to name as another's floor. It throws where it is prepared if there is no floor for the token's `alg`
    ///   with this key.
    public static func floor(_ name: String, signing token: String, with key: JWK) -> Scenario {
        floor(name) {
            let parts = try CompactParts(token, count: 3)
            let raw = try RawSignature(try parts.text("alg"), key: key.floorBytes())
            let input = parts.signingInput
            try require(
                raw.sign(input), "libcrypto does not sign with this key: is it a private one?")
            return { iterations, _ in
                for _ in 0..<iterations { try require(raw.sign(input), "sign") }
            }
        }
    }

    /// The raw calls that decrypt a token: RSA-OAEP or RSA-OAEP-256 around A128CBC-HS256.
    ///
    /// - Parameters:
    ///   - name: A name that ends in `floor`, such as `orders/decrypt-floor`.
    ///   - token: A compact JWE for the key.
    ///   - key: The private key.
    /// - Returns: A scenario to name as another's floor. It throws where it is prepared if the token is none of these, or not for
    ///   the key. For other algorithms, give a scenario of your own.
    public static func floor(_ name: String, decrypting token: String, with key: JWK) -> Scenario {
        floor(name) {
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

    /// The raw calls that encrypt a payload as long as a token's: RSA-OAEP or RSA-OAEP-256 around A128CBC-HS256.
    ///
    /// - Parameters:
    ///   - name: A name that ends in `floor`, such as `orders/encrypt-floor`.
    ///   - token: A compact JWE as the service makes it: its algorithms, its header and its length are taken.
    ///   - key: The recipient's public key.
    /// - Returns: A scenario to name as another's floor. It throws where it is prepared if the token is none of these. For other
    ///   algorithms, give a scenario of your own.
    public static func floor(_ name: String, encrypting token: String, with key: JWK) -> Scenario {
        floor(name) {
            let parts = try CompactParts(token, count: 5)
            let lane = try parts.lane(key)
            // The longest text that is padded to as many blocks.
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

    private static func floor(_ name: String, _ prepare: @escaping () throws -> Work) -> Scenario {
        Scenario(name) {
            try require(name.hasSuffix("floor"), "the name of a floor ends in `floor`")
            return try prepare()
        }
    }
}

/// A compact token taken apart.
private struct CompactParts {
    /// The protected header as it stands in the token: the AAD of a JWE.
    let header: [UInt8]
    let signingInput: [UInt8]
    let decoded: [[UInt8]]
    private let members: [String: Any]

    init(_ token: String, count: Int) throws {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let decoded = parts.compactMap { Base64URL.decode(Array($0).span) }
        guard parts.count == count, decoded.count == count else {
            throw BenchmarkFailure(
                "the token of a floor is no compact \(count == 3 ? "JWS" : "JWE")")
        }
        self.decoded = decoded
        header = Array(parts[0])
        signingInput = Array(token.utf8.prefix(token.utf8.count - (parts.last?.count ?? 0) - 1))
        let json = try? JSONSerialization.jsonObject(with: Data(decoded[0]))
        members = json as? [String: Any] ?? [:]
    }

    func text(_ member: String) throws -> String {
        guard let text = members[member] as? String else {
            throw BenchmarkFailure("the header of a floor's token has no `\(member)`")
        }
        return text
    }

    func lane(_ key: JWK) throws -> RawEncryption {
        let (algorithm, content) = (try text("alg"), try text("enc"))
        let oaepBits = ["RSA-OAEP": 1, "RSA-OAEP-256": 256][algorithm]
        guard let oaepBits, content == "A128CBC-HS256" else {
            throw BenchmarkFailure(
                "no floor for \(algorithm) and \(content): give a scenario of your own")
        }
        return try RawEncryption(
            key: key.floorBytes(), oaepBits: oaepBits, capacity: decoded[3].count)
    }
}

extension JWK {
    /// PKCS#8 or SubjectPublicKeyInfo in DER; of a secret its bytes.
    fileprivate func floorBytes() throws -> [UInt8] {
        func copy(_ bytes: Span<UInt8>) -> [UInt8] { bytes.indices.map { bytes[$0] } }
        if keyType == .oct {
            return try withSymmetricKey { bytes throws(JOSEError) in copy(bytes) }
        }
        guard isPrivate else { return try publicKeyFile(.der) }
        return try withPrivateKeyFile(.der) { bytes throws(JOSEError) in copy(bytes) }
    }
}
