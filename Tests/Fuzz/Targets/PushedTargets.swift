// What is pushed to a provider and what it is answered; answers at the redirect address that are signed tokens.

import Foundation
import JOSE
import JOSEBytes
import JOSEOpenID

extension FuzzTarget {
    /// A pushed form, and the answer to one.
    static let pushed = FuzzTarget("pushed") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let answer = try bounded(bytes, { try PushedAnswer(json: text) }) {
            let read = foundationMembers(of: bytes)
            try hold(
                read == nil || read?["request_uri"] as? String == answer.reference,
                "another reference")
            try hold(answer.expiresInSeconds > 0, "an answer that has ended")
        }
        let sides = try sides.get()
        let verdict = try awaiting {
            await sides.client.receive(
                pushedRequest: text, authorization: "Basic YzpzZWNyZXQ=", at: sides.now)
        }
        let told = try verdict.answer()
        try hold([201, 400, 401, 413, 429].contains(told.status), "status \(told.status)")
        guard case .accepted(let kept) = verdict else { return }
        // The same text taken apart in the plainest way.
        let names = text.split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }.replacingOccurrences(of: "+", with: " ")
            return name.removingPercentEncoding ?? "?"
        }
        try hold(Set(names).count == names.count, "a parameter that stands twice")
        try hold(!names.contains("request_uri"), "a reference was pushed")
        try hold(kept.clientID == "c", "another client's")
        let browser = try awaiting {
            try await sides.client.receive(
                authorization: "client_id=c&request_uri=\(kept.reference)", at: sides.now)
        }
        guard case .accepted(let request) = browser else {
            throw Broken(description: "what was pushed is refused")
        }
        try hold(request.redirectURI == "https://rp.example/cb", "another address")
        try awaiting { _ = try await sides.client.grant(request, at: sides.now) }
    }

    /// Claims that the provider signed, as an answer.
    static let signedAnswer = FuzzTarget("signed-answer") { bytes in
        let sides = try sides.get()
        try logout(bytes, sides)
        guard let token = try accepted({ try sides.issuer.issue(json: bytes) }) else { return }
        let answer = try bounded(bytes) {
            try sides.party.answer(
                query: "response=" + token, for: sides.remembered, at: sides.now)
        }
        guard let answer else { return }
        guard let read = foundationMembers(of: bytes) else { return }
        try hold(read["state"] as? String == sides.remembered.state, "another state")
        try hold(read["iss"] as? String == sides.remembered.issuer, "another issuer")
        let names = read["aud"] as? [String] ?? [read["aud"] as? String ?? ""]
        try hold(names.contains("c"), "for another client")
        switch answer {
        case .code(let code):
            try hold(read["code"] as? String == code && !code.isEmpty, "another code")
        case .error(let error):
            try hold(read["error"] as? String == error.code.name, "another error")
            try hold(isReadable(error.description), "a description that is not escaped")
        case .unauthenticatedError: try hold(false, "a signed answer is authenticated")
        }
    }

    /// The same claims as a logout token.
    private static func logout(_ bytes: [UInt8], _ sides: Sides) throws {
        guard let token = try accepted({ try sides.logouts.issue(json: bytes) }) else { return }
        let logout = try accepted {
            try awaiting {
                try await sides.party.verifyLogout(
                    form: "logout_token=" + token, once: MemoryReplayStore(), at: sides.now)
            }
        }
        guard let logout else { return }
        guard let read = foundationMembers(of: bytes) else { return }
        let event = "http://schemas.openid.net/event/backchannel-logout"
        try hold((read["events"] as? [String: Any])?[event] is [String: Any], "no logout")
        try hold(read["nonce"] == nil, "an ID Token")
        // Foundation drops a byte order mark at the beginning of a text.
        for (name, text) in [("sub", logout.subject), ("sid", logout.sessionID)] {
            let isMarked = text?.unicodeScalars.first == "\u{feff}"
            try hold(isMarked || read[name] as? String == text, "another \(name)")
        }
    }

    /// Both sides, which know each other.
    private struct Sides: Sendable {
        let party: RelyingParty
        let client: RegisteredClient
        let issuer: JWTIssuer
        let logouts: JWTIssuer
        let remembered: RememberedRequest
        let now: NumericDate
    }

    private static let sides = Result { () throws -> Sides in
        let issuer = "https://idp.example/v2"
        var profile = OpenIDProfile.openID
        profile.authorization.responseModes = [.query, .queryJWT]
        let metadata = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/a", tokenEndpoint: issuer + "/t",
            keySetAddress: issuer + "/k", pushedRequestEndpoint: issuer + "/p", profile: profile)
        let provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: JWKSet(keys: [Known.signing]),
            replays: MemoryReplayStore(capacity: 1 << 30, quota: 1 << 30),
            pushedRequests: MemoryPushedRequestStore(capacity: 1 << 30, quota: 1 << 30))
        let text = #"""
            {"clientID":"c","issuer":"https://idp.example/v2","redirectURI":"https://rp.example/cb",\#
            "state":"a-state","nonce":"n","contexts":[],"requiredClaims":[],"subjects":[],"responseMode":"query.jwt"}
            """#
        return Sides(
            party: try RelyingParty(
                profile: profile, metadata: metadata, clientID: "c",
                redirectURI: "https://rp.example/cb", keys: JWKSet(keys: []),
                secret: ClientSecret("secret"),
                providerKeys: PublicJWKSet(keys: [Known.signing.publicKey])),
            client: try provider.client(
                ClientRegistration(
                    clientID: "c", redirectURIs: ["https://rp.example/cb"],
                    secret: ClientSecret("secret")),
                keys: PublicJWKSet(keys: [Known.client.publicKey])),
            issuer: try JWTIssuer(
                key: Known.signing, algorithm: .rs256, requiresExpiration: false),
            logouts: try JWTIssuer(
                key: Known.signing, algorithm: .rs256, requiresExpiration: false,
                type: "logout+jwt"),
            remembered: try ClaimsDecoder.decode(
                RememberedRequest.self, from: Array(text.utf8), maximumDepth: 8),
            now: NumericDate(exactly: 1_760_000_000) ?? .earliest)
    }
}
