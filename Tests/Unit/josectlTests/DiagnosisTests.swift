// explain prints the lines, claims and advice of the library, with options in place of parameters.

import Foundation
import JOSEBytes
import Testing

@testable import JOSE
@testable import josectl

@Suite("josectl explain prints the library's diagnosis") struct DiagnosisTests {
    private static let now: Int64 = 1_790_000_010

    /// The options that correspond to the Swift rules below.
    private let options = [
        "explain", "--layers", "signed", "--verification-keys", "keys.jwks", "--issuer",
        "https://op.example", "--audience", "client-1", "--at", "\(DiagnosisTests.now)",
    ]

    private func verifier(_ keys: PublicJWKSet) throws -> JWTVerifier {
        let recommended = SignatureAlgorithm.recommended.filter { algorithm in
            keys.keys().contains { $0.match(.verifying(algorithm)) == .matches }
        }
        return try JWTVerifier(
            issuer: "https://op.example", audience: "client-1",
            signature: .required(
                keys: keys,
                algorithms: recommended.isEmpty ? SignatureAlgorithm.recommended : recommended))
    }

    private func signed(
        _ claims: String, by key: JWK, _ algorithm: SignatureAlgorithm, _ header: String? = nil
    ) throws -> String {
        let header = header ?? #"{"alg":"\#(algorithm)","kid":"k"}"#
        let input =
            Base64URL.encodeToString(Array(header.utf8).span) + "."
            + Base64URL.encodeToString(Array(claims.utf8).span)
        let operation = try key.prepared.signature(algorithm, signing: true)
        var signature = [UInt8](repeating: 0, count: operation.signatureBytes)
        var out = signature.mutableSpan
        try operation.sign(Array(input.utf8).span, into: &out)
        return input + "." + Base64URL.encodeToString(signature.span)
    }

    private static let claims =
        #"{"iss":"https://op.example","aud":"client-1","exp":1790000300}"#

    private func made() throws -> (key: JWK, other: JWK, keys: PublicJWKSet) {
        var key = try JWK.generate(.curve(.p256))
        key.keyID = "k"
        var other = try JWK.generate(.curve(.p256))
        other.keyID = "other"
        return (key, other, try PublicJWKSet(keys: [key.publicKey, other.publicKey]))
    }

    @Test("for tokens of many kinds, each line, the claims and the advice come from the library")
    func same() throws {
        let (key, other, keys) = try made()
        let good = try signed(Self.claims, by: key, .es256)
        func claims(_ text: String) throws -> String { try signed(text, by: key, .es256) }
        func header(_ text: String) throws -> String {
            try signed(Self.claims, by: key, .es256, text)
        }
        let tokens = [
            good, try signed(Self.claims, by: other, .es256), "Bearer \(good)", "\"\(good)\"",
            Base64URL.encodeToString(Array(good.utf8).span), "opaque", String(good.dropLast(9)),
            try claims(#"{"iss":"https://op.example/","aud":"client-1","exp":1790000300}"#),
            try claims(#"{"iss":"https://op.example","aud":["x"],"exp":1790000300}"#),
            try claims(#"{"iss":"https://op.example","aud":"client-1","exp":1789000000}"#),
            try claims(#"{"iss":"https://op.example","aud":"client-1","exp":1790000300000}"#),
            try claims(#"{"iss":"https://op.example","aud":"client-1","exp":"1790000300"}"#),
            try claims(#"{"iss":"https://op.example","aud":"client-1"}"#),
            try header(#"{"alg":"ES256","kid":"K"}"#), try header(#"{"alg":"ES256"}"#),
            try header(#"{"alg":"none"}"#), try header(#"{"alg":"ES384","kid":"k"}"#),
            try header(#"{"alg":"ES256","kid":"k","typ":"at+jwt"}"#),
        ]
        let tool = try Tool()
        try tool.write(keys.json(), to: "keys.jwks")
        let verifier = try verifier(keys)
        for token in tokens {
            let explanation = verifier.explain(token, at: NumericDate(exactly: Self.now))
            let response = try tool.run(options + ["--json"], input: Data(token.utf8))
            let object = try #require(try response.objects().first)
            let steps = try #require(object["steps"] as? [[String: Any]])
            #expect(
                steps.map { $0["text"] as? String }
                    == explanation.lines.map { CommandLineWording.translate($0.text) }, "\(token)")
            let claims = try #require(object["claims"] as? [[String: Any]])
            #expect(claims.map { $0["name"] as? String } == explanation.claims.map(\.name))
            #expect(claims.map { $0["remark"] as? String } == explanation.claims.map(\.remark))
            #expect(object["token"] as? String == explanation.form)
            let advice = object["advice"] as? String
            #expect((advice == nil) == (explanation.hint == nil), "\(token)")
            if let hint = explanation.hint {
                #expect(advice?.hasPrefix(CommandLineWording.translate(hint.text)) == true)
            }
            let plain = try tool.run(options, input: Data(token.utf8))
            for line in explanation.lines {
                #expect(plain.text.contains(CommandLineWording.translate(line.text)))
            }
            #expect(plain.code == (explanation.error == nil ? 0 : 1))
        }
    }

    @Test("an option is named if it would accept the rejected token, and otherwise none")
    func optionNames() throws {
        let (key, _, keys) = try made()
        let tool = try Tool()
        try tool.write(keys.json(), to: "keys.jwks")
        for (header, option) in [
            (#"{"alg":"ES384"}"#, "Option: --alg ES384."),
            (#"{"alg":"ES256","kid":"k","typ":"at+jwt"}"#, "Option: --typ at+jwt."),
        ] {
            let token = try signed(Self.claims, by: key, .es256, header)
            let response = try tool.run(options + [token])
            #expect(response.text.contains(option), "\(response.text)")
        }
        for name in ["none", "RS1", "RSA1_5", "es256", "X"] {
            let token = try signed(Self.claims, by: key, .es256, #"{"alg":"\#(name)"}"#)
            let response = try tool.run(options + [token])
            #expect(response.code == 1 && !response.text.contains("Option:"), "\(response.text)")
        }
    }

    @Test(
        "a shared secret without --alg: header, key and option are shown, with the error of open"
    )
    func sharedSecret() throws {
        let tool = try Tool()
        let key = try JWK.generate(.symmetric(bits: 256))
        try tool.write(key.privateJSON(), to: "keys.jwks")
        let token = try signed(Self.claims, by: key, .hs256, #"{"alg":"HS256"}"#)
        let response = try tool.run(options + [token])
        #expect(response.code == 1)
        for part in [
            #"JWS header {"alg":"HS256"}"#, "kty oct", "Option: --alg HS256.",
            "rejected: key-unusable at key",
        ] { #expect(response.text.contains(part), "\(response.text)") }
        let accepted = try tool.run(options + ["--alg", "HS256", token])
        #expect(accepted.code == 0, "\(accepted.text)")
        let open = try tool.run(["open"] + options.dropFirst() + [token])
        #expect(open.code == 1 && open.error.contains("key-unusable"))
    }

    @Test("open reports white space in the payload") func whiteSpace() throws {
        let (key, _, keys) = try made()
        let tool = try Tool()
        try tool.write(keys.json(), to: "keys.jwks")
        var parts = try signed(Self.claims, by: key, .es256).split(separator: ".").map(String.init)
        parts[1].insert("\n", at: parts[1].index(parts[1].startIndex, offsetBy: 9))
        try tool.write(parts.joined(separator: "."), to: "token.jwt")
        let open = try tool.run(["open"] + options.dropFirst() + ["token.jwt"])
        #expect(open.code == 1)
        #expect(open.error.contains("signature-invalid"))
        #expect(open.error.contains("white space at offset 9, such as a line break"))
    }
}
