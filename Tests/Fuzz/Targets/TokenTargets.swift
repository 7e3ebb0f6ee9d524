// Verifying and decrypting: an accepted token was created by an owner of the key.

import JOSE
import JOSEBytes

extension FuzzTarget {
    static let jws = FuzzTarget("jws") { input in
        guard let made = Made.parts(input) else {
            // Any bytes: accepted only if they are a token of the vectors.
            if let verified = try bounded(input, { try verifier.verify(input) }) {
                try hold(Known.tokens.contains(input), "a token was verified that nobody signed")
                _ = try verified.header()
            }
            return
        }
        let token = try Made.signed(made.header, made.payload)
        guard let verified = try bounded(token, { try verifier.verify(token) }) else { return }
        try hold(verified.payload == made.payload, "another payload than the signed one")
        try hold(Made.says(made.header, "alg", "RS256"), "another algorithm was accepted")
        try hold(
            Array(try verified.header().json.utf8) == made.header,
            "another header than the signed one")
        // With one bit changed it is no longer signed.
        var corrupted = token
        corrupted[corrupted.count - 9] ^= 1
        try hold(
            try accepted { try verifier.verify(corrupted) } == nil,
            "a damaged signature was accepted"
        )
    }

    static let jwe = FuzzTarget("jwe") { input in
        guard let made = Made.parts(input) else {
            if let opened = try bounded(input, { try decrypter.decrypt(input) }) {
                try hold(Known.tokens.contains(input), "a token was decrypted that nobody made")
                _ = opened.header
            }
            return
        }
        let token = try Made.encrypted(made.header, made.payload)
        guard let opened = try bounded(token, { try decrypter.decrypt(token) }) else { return }
        try hold(opened.unauthenticatedPlaintext == made.payload, "another plaintext")
        try hold(Made.says(made.header, "alg", "RSA-OAEP"), "another algorithm was accepted")
        try hold(
            Made.says(made.header, "enc", "A128CBC-HS256"),
            "another content encryption was accepted")
        var corrupted = token
        corrupted[corrupted.count - 9] ^= 1
        try hold(
            try accepted { try decrypter.decrypt(corrupted) } == nil, "a damaged tag was accepted")
    }

    static let nested = FuzzTarget("nested") { input in
        guard let made = Made.parts(input) else {
            // The first byte 2 makes an encrypted token around any inner text.
            let token =
                input.first == 2
                ? try Made.encrypted(envelope, Array(input.dropFirst())) : input
            let inner = input.first == 2 ? Array(input.dropFirst()) : input
            let opened = try bounded(
                token, { try opener.verify(token, expecting: expected, at: now) })
            try explain(token, isAccepted: opened != nil)
            if let opened {
                try hold(Known.tokens.contains(inner), "claims were accepted that nobody signed")
                try judge(opened)
            }
            return
        }
        let token = try Made.encrypted(envelope, Made.signed(made.header, made.payload))
        let result = try bounded(
            token, { try opener.verify(token, expecting: expected, at: now) })
        try explain(token, isAccepted: result != nil)
        guard let opened = result else { return }
        try hold(Array(opened.json.utf8) == made.payload, "other claims than the signed ones")
        try hold(Made.says(made.header, "alg", "RS256"), "another algorithm was accepted")
        try judge(opened)
    }

    /// The explanation has the same result as the verification, and each of its lines is printable.
    private static func explain(_ token: [UInt8], isAccepted: Bool) throws {
        guard token.count <= 4_096, let text = String(validating: token, as: UTF8.self) else {
            return
        }
        let explanation = opener.explain(text, expecting: expected, at: now)
        try hold((explanation.error == nil) == isAccepted, "the explanation ends in another way")
        let notes = explanation.lines.filter { $0.step == .decryption && $0.outcome == .note }
        try hold(notes.isEmpty, "a failed decryption has more than one line")
        let texts =
            explanation.lines.map(\.text) + explanation.claims.map(\.description)
            + [explanation.form, explanation.advice ?? ""]
        for text in texts {
            try hold(text.utf8.count <= 1_000, "a line of an explanation is not bounded")
            try hold(
                !text.utf8.contains { $0 < 0x20 || $0 == 0x7f },
                "a line of an explanation is not safe")
        }
    }

    /// Accepted claims, checked again without the library's own checks.
    private static func judge(_ token: VerifiedJWT) throws {
        let seconds: (JSONValue?) -> Double? = { $0?.numberText.flatMap { Double($0) } }
        try hold(token["iss"]?.string == "https://issuer.example", "another issuer")
        let audience = token["aud"]
        let names = audience?.array?.map { $0.string ?? "" } ?? [audience?.string ?? ""]
        try hold(names.contains("https://rp.example"), "another audience")
        try hold((seconds(token["exp"]) ?? 0) > 1_760_000_000 - 61, "an expired token")
        if let begin = token["nbf"] {
            try hold((seconds(begin) ?? .infinity) < 1_760_000_000 + 61, "a token of the future")
        }
        try hold(token["nonce"]?.string == "n-0S6_WzA2Mj", "another nonce")
    }

    private static let now = NumericDate(exactly: 1_760_000_000)
    private static let expected = ClaimsExpectation(nonce: "n-0S6_WzA2Mj")
    private static let envelope = Array(
        #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"enc-1","cty":"JWT"}"#.utf8)

    /// The vectors' value, or the end of the program.
    static func need<T>(_ body: () throws -> T) -> T {
        do {
            return try body()
        } catch {
            preconditionFailure("the vectors' keys: \(error)")
        }
    }

    /// Stored here, since the leak checker does not follow the pointer in a verifier's enum.
    static let signers = need { try PublicJWKSet(keys: [Known.signing, Known.client]) }
    private static let signersOfAny = need {
        try PublicJWKSet(keys: [Known.signing, Known.client] + Known.keyPairs)
    }
    /// ML-DSA-44 stands for its family: libcrypto's memory for a larger one exceeds the limit for a
    /// short input.
    private static let verifier = need {
        try JWSVerifier(keys: signersOfAny, algorithms: [.rs256, .mlDSA44])
    }
    private static let decrypter = need {
        try JWEDecrypter(
            keys: JWKSet(keys: [Known.decrypting]), algorithms: [.rsaOAEP], content: [.a128CBCHS256]
        )
    }
    private static let opener = need {
        try JWTVerifier(
            policy: ClaimsPolicy(issuer: "https://issuer.example", audience: "https://rp.example"),
            encryption: .required(
                keys: JWKSet(keys: [Known.decrypting]), algorithms: [.rsaOAEP],
                content: [.a128CBCHS256]),
            signature: .required(keys: signers, algorithms: [.rs256]))
    }
}
