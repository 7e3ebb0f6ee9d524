// Everything that the library creates is accepted by it, and means the same to an independent JSON
// reader (catalogue 126).

import JOSE
import Testing

@Suite("Random round trips")
struct RoundTripTests {
    @Test("random claims survive signing, encryption and nesting")
    func claims() throws {
        let seed = SeededGenerator.seed(for: "round trips")
        var random = SeededGenerator(seed: seed)
        let issuer = try JWTIssuer(key: TestKeys.signing, algorithm: .rs256)
        let recipient = try JWTRecipient.rsa()
        let encryption = EncryptionRule.rsa(keys: [TestKeys.decrypting])
        let signature = SignatureRule.rs256(keys: try PublicJWKSet(keys: [TestKeys.signing]))
        let signed = try JWTVerifier.checking(signature: signature)
        let nested = try JWTVerifier.checking(
            ClaimsPolicy(issuer: .any, audience: .any), encryption, signature: signature)
        for round in 0..<200 {
            var members = Self.object(&random, depth: 3)
            members["exp"] = 4_102_444_800
            let claims = JSONValue.object(members)
            let wanted = try VectorValue(json: Self.text(claims))
            for (verifier, token) in [
                (signed, try issuer.issue(claims)),
                (nested, try issuer.issue(claims, encryptedFor: recipient)),
                (signed, try issuer.issue(members)),
            ] {
                let verified = try verifier.verify(token)
                #expect(
                    try VectorValue(json: verified.json) == wanted, "seed \(seed), round \(round)")
                #expect(
                    try verified.decode(JSONValue.self) == claims, "seed \(seed), round \(round)")
            }
        }
    }

    @Test("random header members survive")
    func headers() throws {
        let seed = SeededGenerator.seed(for: "headers")
        var random = SeededGenerator(seed: seed)
        let signer = try JWSSigner(key: TestKeys.signing, algorithm: .rs256)
        let verifier = try JWSVerifier.rs256(TestKeys.signing.publicKey)
        for round in 0..<150 {
            var members = Self.object(&random, depth: 2)
            for name in ["crit", "b64"] { members[name] = nil }
            let token = try signer.sign(
                random.bytes(20), header: HeaderParameters(additional: members))
            let header = try verifier.verify(token).header()
            for (name, value) in members {
                #expect(header[name] == value, "seed \(seed), round \(round)")
            }
            let read = try VectorValue(json: header.json).object?.count
            #expect(read == members.count + 2)
        }
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .integer, .double, .number: value.numberText ?? ""
        case .string(let text): VectorValue.string(text).json
        case .array(let elements): "[" + elements.map(text).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.map { VectorValue.string($0).json + ":" + text($1) }.joined(
                    separator: ",") + "}"
        }
    }

    private static func object(_ random: inout SeededGenerator, depth: Int) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            // A name that neither the policy checks nor an RFC registers.
            members["x" + word(&random)] = value(&random, depth: depth)
        }
        return members
    }

    private static func value(_ random: inout SeededGenerator, depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: .null
        case 1: .bool(Bool.random(using: &random))
        case 2: .integer(Int64.random(in: -(1 << 53)...(1 << 53), using: &random))
        case 3:
            .double(
                Double(Int64.random(in: -1_000_000...1_000_000, using: &random)) / 64 + 0.015_625)
        case 4, 5: .string(word(&random))
        case 6:
            .array(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    value(&random, depth: depth - 1)
                })
        default: .object(object(&random, depth: depth - 1))
        }
    }

    /// Text with all kinds of characters: controls, quotes, UTF-8 of two to four bytes, never a
    /// lone surrogate.
    private static func word(_ random: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let range: ClosedRange<UInt32> =
                switch Int.random(in: 0..<5, using: &random) {
                case 0: 0...0x1f
                case 1: 0x20...0x7f
                case 2: 0x80...0x7ff
                case 3: 0x4e00...0x9fff
                default: 0x1f300...0x1f64f
                }
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
