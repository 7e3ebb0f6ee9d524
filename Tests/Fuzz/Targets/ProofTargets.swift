// Untrusted input of a protected resource: DPoP proofs with their keys, requests, and claims of
// access tokens.

import Foundation
import JOSE
import JOSEBytes
import JOSEOpenID

extension FuzzTarget {
    /// A proof, or a header and claims that the owner of a key signs.
    static let dpop = FuzzTarget("dpop") { bytes in
        try nonce(bytes)
        let made = try Made.parts(bytes).map { try Made.signed($0.header, $0.payload) } ?? bytes
        let proof = String(decoding: made, as: UTF8.self)
        let verifier = try ProofTarget.verifier.get()
        let verified = try bounded(bytes) {
            try verifier.check(
                [proof],
                DPoPVerifier.ExpectedRequest(method: "GET", url: "https://api.example/a/b?c"),
                at: ProofTarget.now)
        }
        guard let verified else { return }
        // The same proof with a simple independent parser.
        let parts = made.split(separator: Made.dot, omittingEmptySubsequences: false)
        try hold(parts.count == 3, "a proof of other than three parts")
        let (header, claims) = (try ProofTarget.object(parts[0]), try ProofTarget.object(parts[1]))
        let key = try JSONSerialization.data(withJSONObject: header["jwk"] ?? [:])
        try hold(
            try JWK(json: [UInt8](key)).thumbprint() == verified.keyThumbprint, "another key")
        for name in ["d", "k", "p", "q", "dp", "dq", "qi", "oth", "priv"] {
            try hold((header["jwk"] as? [String: Any])?[name] == nil, "a private key")
        }
        try hold(claims["htm"] as? String == "GET", "another method")
        let url = URLComponents(string: claims["htu"] as? String ?? "")
        try hold(url?.scheme?.lowercased() == "https", "another scheme")
        try hold(url?.host?.lowercased() == "api.example", "another host")
        try hold(url?.port ?? 443 == 443 && url?.user == nil, "another port, or a user")
        try hold(url?.url?.standardized.path(percentEncoded: false) == "/a/b", "another path")
    }

    /// The same text as the value of `DPoP-Nonce`: the next proof contains it unchanged.
    private static func nonce(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let nonce = try bounded(bytes, { try DPoPNonce(header: text) }) else { return }
        try hold(text.utf8.allSatisfy { 0x21...0x7e ~= $0 }, "a nonce that no header has")
        let proof = try ProofTarget.prover.get().proof(
            method: "GET", url: "https://api.example/", nonce: nonce, at: ProofTarget.now)
        let claims = try ProofTarget.object(
            Array(proof.utf8).split(separator: Made.dot, omittingEmptySubsequences: false)[1])
        try hold(claims["nonce"] as? String == text, "another nonce")
    }

    /// Lines: method, URL, `Authorization`; the rest are values of `DPoP`.
    static let resourceRequest = FuzzTarget("resource-request") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
            .map(String.init)
        let call = lines + Array(repeating: "", count: 4 - lines.count)
        let proofs = call[3].isEmpty ? [] : [call[3]]
        let request = try bounded(bytes) {
            try ResourceRequest(
                method: call[0], url: call[1], authorization: call[2], proofs: proofs)
        }
        guard let request else { return }
        let scheme = call[2].prefix { $0 != " " }.lowercased()
        try hold(scheme == request.type.rawValue.lowercased(), "another scheme")
        let sent = call[2].utf8.drop { $0 != 0x20 }.drop { $0 == 0x20 }
        try hold(sent.elementsEqual(request.accessToken.utf8), "another token")
        try hold(
            URLComponents(string: call[1])?.queryItems?.contains { $0.name == "access_token" }
                != true, "a token in the address")
        // Whatever the request, the proof verifier rejects one without a proof.
        try hold(request.type == .bearer || !proofs.isEmpty || call[3].isEmpty, "a proof is lost")
    }

    /// Claims that a provider signed: those of an access token and of an introspection response.
    static let accessToken = FuzzTarget("access-token") { bytes in
        guard let token = try accepted({ try signedObject(bytes) }) else { return }
        guard let read = foundationMembers(of: bytes) else { return }
        if let access = try bounded(bytes, { try VerifiedAccessToken(token) }) {
            try hold(!access.subject.isEmpty && !access.clientID.isEmpty, "nobody's token")
            try hold(access.binding.isEmpty == (read["cnf"] == nil), "a bound token came loose")
            try hold(
                access.scopes.allSatisfy { !$0.isEmpty && !$0.utf8.contains(0x20) },
                "a scope of several words")
        }
        let told = try bounded(bytes) {
            try IntrospectionResponse(token, leewaySeconds: 60, at: ProofTarget.now)
        }
        guard let told else { return }
        let inner = read["token_introspection"] as? [String: Any]
        try hold(inner?["active"] is Bool, "an answer that does not say active")
        try hold(!told.isActive || inner?["active"] as? Bool == true, "an inactive token counts")
        try hold(told.isActive || told.members.isEmpty, "something is told of an inactive token")
        try hold(
            !told.isActive || told.binding.isEmpty == (inner?["cnf"] == nil),
            "a bound token came loose")
    }
}

private enum ProofTarget {
    static let now = NumericDate(exactly: 1_760_000_000) ?? .earliest

    static let verifier = Result {
        try DPoPVerifier(server: "https://api.example", replays: MemoryReplayStore())
    }

    static let prover = Result { try DPoPProver.fresh() }

    static func object(_ part: ArraySlice<UInt8>) throws -> [String: Any] {
        let text = Base64URL.decode(Array(part).span) ?? []
        return try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any] ?? [:]
    }
}
