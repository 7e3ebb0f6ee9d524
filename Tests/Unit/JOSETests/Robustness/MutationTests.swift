// Random changes to valid tokens: a token is accepted only if nothing changed (catalogue G18).

import Foundation
import JOSE
import Testing

@Suite("Random mutations")
struct MutationTests {
    /// A valid token and the verifier that accepts it.
    struct Target: Sendable {
        let name: String
        let token: [UInt8]
        let accepts: @Sendable ([UInt8]) throws(JOSEError) -> Void
    }

    static func targets() throws -> [Target] {
        let claims = Array(
            #"{"iss":"https://issuer.example","aud":"rp","sub":"alice","exp":4102444800}"#.utf8)
        let recipient = try JWTRecipient.rsa()
        let issuer = try JWTIssuer(key: TestKeys.signing, algorithm: .rs256, type: "JWT")
        let signature = SignatureRule.rs256(
            keys: try PublicJWKSet(keys: [TestKeys.signing, TestKeys.client]))
        let encryption = EncryptionRule.rsa(keys: [TestKeys.decrypting])
        let signed = try JWTVerifier.checking(
            ClaimsPolicy(issuer: "https://issuer.example", audience: "rp"), signature: signature)
        let nested = try JWTVerifier.checking(
            ClaimsPolicy(issuer: "https://issuer.example", audience: "rp"), encryption,
            signature: signature)
        let bare = TestKeys.bare(TestKeys.decrypting)
        let encrypter = try JWEEncrypter.with(bare.publicKey, .rsaOAEP256, .a128CBCHS256)
        let decrypter = try JWEDecrypter.with(bare, .rsaOAEP256, .a128CBCHS256)
        return [
            Target(name: "signed", token: Array(try issuer.issue(json: claims).utf8)) {
                (token) throws(JOSEError) in _ = try signed.verify(token)
            },
            Target(
                name: "nested",
                token: Array(try issuer.issue(json: claims, encryptedFor: recipient).utf8)
            ) {
                (token) throws(JOSEError) in _ = try nested.verify(token)
            },
            Target(name: "encrypted", token: Array(try encrypter.encrypt(claims).utf8)) {
                (token) throws(JOSEError) in _ = try decrypter.decrypt(token)
            },
        ]
    }

    /// Half of the mutations affect signed tokens, which are fast. The others need at most one
    /// private operation each.
    @Test(
        "no mutation of a valid token is accepted",
        arguments: [("signed", 10_000), ("nested", 5_000), ("encrypted", 5_000)])
    func mutate(_ name: String, _ count: Int) throws {
        let target = try need(Self.targets().first { $0.name == name })
        try target.accepts(target.token)
        let seed = SeededGenerator.seed(for: "mutations of \(name)")
        var random = SeededGenerator(seed: seed)
        var unchanged = 0
        for round in 0..<count {
            var mutator = Mutator(token: target.token, random: random)
            let mutated = mutator.mutated()
            random = mutator.random
            guard mutated != target.token else {
                unchanged += 1
                continue
            }
            do throws(JOSEError) {
                try target.accepts(mutated)
                Issue.record(
                    "seed \(seed), round \(round): accepted \(String(decoding: mutated, as: UTF8.self))"
                )
            } catch {
                #expect(
                    error.code != .internal && error.code != .misuse,
                    "seed \(seed), round \(round): \(error)")
            }
        }
        #expect(unchanged < count / 10)
    }
}

/// Makes one random change to a token: bits, bytes, segments, or the JSON of its header.
struct Mutator {
    let token: [UInt8]
    var random: SeededGenerator

    private static let dot = UInt8(ascii: ".")

    mutating func mutated() -> [UInt8] {
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1:
            changedBytes { byte, random in byte ^ (1 << UInt8.random(in: 0..<8, using: &random)) }
        case 2: changedBytes { _, random in UInt8.random(in: .min ... .max, using: &random) }
        case 3:
            changedBytes { _, random in
                Array("ABab01-_.=+/ ".utf8).randomElement(using: &random) ?? 0
            }
        case 4: spliced()
        case 5: segments()
        case 6, 7: header()
        default: innerBytes()
        }
    }

    private mutating func changedBytes(_ change: (UInt8, inout SeededGenerator) -> UInt8) -> [UInt8]
    {
        var bytes = token
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let index = Int.random(in: bytes.indices, using: &random)
            bytes[index] = change(bytes[index], &random)
        }
        return bytes
    }

    /// Removes, repeats or inserts a range of bytes.
    private mutating func spliced() -> [UInt8] {
        var bytes = token
        let start = Int.random(in: bytes.indices, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...8, using: &random))
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes.removeSubrange(start..<end)
        case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
        default: bytes.insert(contentsOf: random.bytes(end - start), at: start)
        }
        return bytes
    }

    /// Swaps, drops, repeats, empties or shortens whole segments.
    private mutating func segments() -> [UInt8] {
        var parts = token.split(separator: Self.dot, omittingEmptySubsequences: false).map(
            Array.init)
        let a = Int.random(in: parts.indices, using: &random)
        let b = Int.random(in: parts.indices, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: parts.swapAt(a, b)
        case 1: parts.remove(at: a)
        case 2: parts.insert(parts[a], at: b)
        case 3: parts[a] = []
        case 4: parts[a] = parts[b]
        default: parts[a].removeLast(Int.random(in: 0...parts[a].count, using: &random))
        }
        return Array(parts.joined(separator: [Self.dot]))
    }

    /// Edits the JSON of the header and encodes it again.
    private mutating func header() -> [UInt8] {
        guard let dot = token.firstIndex(of: Self.dot),
            let json = try? Independent.base64URL(String(decoding: token[..<dot], as: UTF8.self))
        else { return token }
        let edits: [(String, String)] = [
            ("\"alg\"", "\"Alg\""), ("RS256", "none"), ("RS256", "HS256"), ("RS256", "RS512"),
            ("{", "{\"alg\":\"none\","),
            ("}", ",\"x\":1}"), ("}", ",\"alg\":\"none\"}"), ("}", ",\"crit\":[\"x\"],\"x\":1}"),
            (":", ": "), ("{", " {"),
            ("}", "} "), ("sig-1", "client-1"), ("sig-1", ""), ("RSA-OAEP", "RSA1_5"),
            ("RSA-OAEP", "dir"),
            ("A128CBC-HS256", "A128GCM"), ("enc-1", "enc-2"), ("JWT", "jwt"), ("JWT", "JWE"),
            ("\"kid\"", "\"kit\""),
            (",", ",\"jwk\":{},"), ("a", "\\u0061"), ("}", ""), ("\"", "'"), ("e", "E"),
            ("}", ",\"zip\":\"DEF\"}"),
        ]
        guard let (from, to) = edits.randomElement(using: &random) else { return token }
        let edited = String(decoding: json, as: UTF8.self).replacing(from, with: to)
        return Array(Independent.base64URL(edited.utf8).utf8) + token[dot...]
    }

    /// Changes one decoded byte of one segment, so that the text stays canonical base64url.
    private mutating func innerBytes() -> [UInt8] {
        var parts = token.split(separator: Self.dot, omittingEmptySubsequences: false).map(
            Array.init)
        let index = Int.random(in: parts.indices, using: &random)
        guard var bytes = try? Independent.base64URL(String(decoding: parts[index], as: UTF8.self)),
            !bytes.isEmpty
        else { return token }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.append(UInt8.random(in: .min ... .max, using: &random))
        case 1: bytes.removeLast()
        case 2: bytes.insert(0, at: 0)
        default:
            bytes[Int.random(in: bytes.indices, using: &random)] ^=
                1 << UInt8.random(in: 0..<8, using: &random)
        }
        parts[index] = Array(Independent.base64URL(bytes).utf8)
        return Array(parts.joined(separator: [Self.dot]))
    }
}
