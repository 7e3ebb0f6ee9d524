// Pushed authorization requests and their responses, and authorization responses that are signed
// tokens (JARM).

import Foundation
import JOSE
import JOSEBytes
import JOSEOpenID

extension FuzzTarget {
    /// A pushed form, and the response to one.
    static let pushed = FuzzTarget("pushed") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let response = try bounded(bytes, { try PushedAuthorizationResponse(json: text) }) {
            let read = foundationMembers(of: bytes)
            try hold(
                read == nil || read?["request_uri"] as? String == response.requestURI,
                "another reference")
            try hold(response.expiresInSeconds > 0, "an answer that has ended")
        }
        let sides = try pushedPeers.get()
        let verdict = try awaiting {
            await sides.client.receivePushedRequest(
                text, authorization: Peers.basic, at: Peers.now)
        }
        let told = try verdict.response()
        try hold([201, 400, 401, 413, 429].contains(told.status), "status \(told.status)")
        guard case .accepted(let kept) = verdict else { return }
        // The same text with a simple independent parser.
        let names = plainForm(text).map(\.name)
        try hold(Set(names).count == names.count, "a parameter that stands twice")
        try hold(!names.contains("request_uri"), "a reference was pushed")
        try hold(kept.clientID == "c", "another client's")
        let browser = try awaiting {
            try await sides.client.receiveAuthorizationRequest(
                "client_id=c&request_uri=\(kept.reference)", at: Peers.now)
        }
        guard case .accepted(let request) = browser else {
            throw Broken(description: "what was pushed is rejected")
        }
        try hold(request.redirectURI == "https://rp.example/cb", "another address")
        try awaiting { _ = try await sides.client.grant(request, at: Peers.now) }
    }

    /// Claims that the provider signed, as an authorization response.
    static let jarm = FuzzTarget("signed-response") { bytes in
        let sides = try pushedPeers.get()
        try logout(bytes, sides)
        guard let token = try accepted({ try sides.issuer.issue(json: bytes) }) else { return }
        let response = try bounded(bytes) {
            try awaiting {
                try await sides.party.authorizationResponse(
                    query: "response=" + token, for: sides.session, at: Peers.now)
            }
        }
        guard let response else { return }
        guard let read = foundationMembers(of: bytes) else { return }
        try hold(read["state"] as? String == sides.session.state, "another state")
        try hold(read["iss"] as? String == sides.session.issuer, "another issuer")
        let names = read["aud"] as? [String] ?? [read["aud"] as? String ?? ""]
        try hold(names.contains("c"), "for another client")
        switch response {
        case .code(let code):
            try hold(read["code"] as? String == code && !code.isEmpty, "another code")
        case .error(let error):
            try hold(read["error"] as? String == error.code.name, "another error")
            try hold(isReadable(error.description), "a description that is not escaped")
        case .unauthenticatedError: try hold(false, "a signed answer is authenticated")
        }
    }

    /// The same claims as a logout token, with the strict rules and with those that require neither
    /// `typ` nor `exp`. A token that the strict reader accepts means the same to the other.
    private static func logout(_ bytes: [UInt8], _ sides: PushedPeers) throws {
        let strict = try logout(bytes, sides.logouts, sides.party, Peers.now)
        _ = try logout(bytes, sides.issuer, sides.party, Peers.now).map { _ in
            throw Broken(description: "a logout token without its type")
        }
        let tolerant = try logout(bytes, sides.logouts, sides.tolerantParty, Peers.now)
        let untyped = try logout(bytes, sides.issuer, sides.tolerantParty, Peers.now)
        try hold(
            tolerant?.subject == untyped?.subject && tolerant?.sessionID == untyped?.sessionID,
            "the type changes what is read")
        guard let strict else { return }
        try hold(
            strict.subject == tolerant?.subject && strict.sessionID == tolerant?.sessionID,
            "the tolerant reader reads something else")
    }

    private static func logout(
        _ bytes: [UInt8], _ issuer: JWTIssuer, _ party: RelyingParty, _ now: NumericDate
    ) throws -> VerifiedLogoutToken? {
        guard let token = try accepted({ try issuer.issue(json: bytes) }) else { return nil }
        let logout = try accepted {
            try awaiting {
                try await party.verifyLogout(
                    form: "logout_token=" + token, once: MemoryReplayStore(), at: now)
            }
        }
        guard let logout, let read = foundationMembers(of: bytes) else { return logout }
        let event = "http://schemas.openid.net/event/backchannel-logout"
        try hold((read["events"] as? [String: Any])?[event] is [String: Any], "no logout")
        try hold(read["nonce"] == nil, "an ID Token")
        try hold(!((read["jti"] as? String) ?? "").isEmpty, "a token without a name")
        try hold(read["iss"] as? String == "https://idp.example/v2", "another issuer")
        if read["exp"] == nil {
            let issued = (read["iat"] as? NSNumber)?.doubleValue ?? 0
            try hold(
                abs(issued - now.doubleValue) <= 300 + 60, "an old token without an end")
        }
        // Foundation drops a byte order mark at the start of a text and after an escape.
        for (name, text) in [("sub", logout.subject), ("sid", logout.sessionID)] {
            let isMarked = text?.unicodeScalars.contains("\u{feff}") == true
            try hold(isMarked || read[name] as? String == text, "another \(name)")
        }
        return logout
    }

    /// A `redirect_uri` compared with those of an app that listens on the loopback interface: an
    /// accepted one differs from a registered one only in its port (RFC 8252, 7.3).
    static let redirect = FuzzTarget("redirect") { bytes in
        let client = try loopbackClient.get()
        let hexadecimal = Array("0123456789ABCDEF")
        let value = String(
            bytes.flatMap { ["%", hexadecimal[Int($0 >> 4)], hexadecimal[Int($0 & 15)]] })
        let query =
            "client_id=c&response_type=code&scope=openid&state=s&nonce=n&redirect_uri=" + value
        let now = Peers.now
        let verdict = try accepted {
            try awaiting { try await client.receiveAuthorizationRequest(query, at: now) }
        }
        guard let verdict else { return }
        let sent = String(decoding: bytes, as: UTF8.self)
        if case .accepted(let request) = verdict {
            try hold(Array(request.redirectURI.utf8) == bytes, "another address")
        }
        guard !loopbackAddresses.contains(where: { Array($0.utf8) == bytes }) else { return }
        guard let parts = URLComponents(string: sent) else {
            throw Broken(description: "an address that Foundation cannot read")
        }
        try hold(parts.scheme == "http", "another scheme")
        try hold(
            parts.user == nil && parts.password == nil && parts.fragment == nil,
            "a user or a fragment")
        try hold((parts.port ?? 80) > 0 && (parts.port ?? 80) < 65_536, "no port")
        let host = (parts.host ?? "").filter { $0 != "[" && $0 != "]" }
        try hold(host == "127.0.0.1" || host == "::1", "another host")
        let rest =
            parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
        let isRegistered = loopbackAddresses.contains { registered in
            guard let own = URLComponents(string: registered), own.host == parts.host else {
                return false
            }
            return rest
                == own.percentEncodedPath + (own.percentEncodedQuery.map { "?" + $0 } ?? "")
        }
        try hold(isRegistered, "a path or query that is not registered")
    }

    private static let loopbackAddresses = [
        "http://127.0.0.1/cb", "http://[::1]:49152/cb?a=b", "http://127.0.0.1:8080/",
        "https://rp.example/cb",
    ]

    private static let loopbackClient = Result { () throws -> RegisteredClient in
        var profile = OpenIDProfile.openID
        profile.authorization.allowsLoopbackPorts = true
        return try Peers.client(profile, redirectURIs: loopbackAddresses)
    }

    /// A client and a provider that know each other.
    private struct PushedPeers: Sendable {
        let party: RelyingParty
        let tolerantParty: RelyingParty
        let client: RegisteredClient
        let issuer: JWTIssuer
        let logouts: JWTIssuer
        let session: AuthorizationSession
    }

    private static let pushedPeers = Result { () throws -> PushedPeers in
        var profile = OpenIDProfile.openID
        profile.authorization.responseModes = [.query, .queryJWT]
        let metadata = try Peers.metadata(profile)
        func party(_ profile: OpenIDProfile) throws -> RelyingParty {
            try RelyingParty(
                profile: profile, metadata: metadata, clientID: "c", redirectURI: Peers.callback,
                keys: JWKSet(keys: []), secret: ClientSecret("secret"),
                providerKeys: PublicJWKSet(keys: [Known.signing.publicKey]))
        }
        func issuer(_ type: String?) throws -> JWTIssuer {
            try JWTIssuer(
                key: Known.signing, algorithm: .rs256, requiresExpiration: false, type: type)
        }
        var tolerant = profile
        tolerant.logout = .withoutTypeOrExpiration
        return PushedPeers(
            party: try party(profile), tolerantParty: try party(tolerant),
            client: try Peers.client(profile), issuer: try issuer(nil),
            logouts: try issuer("logout+jwt"),
            session: try Peers.session(
                clientID: "c", redirectURI: Peers.callback, mode: "query.jwt"))
    }
}
