// Forms of an authenticated client: token requests with a code, a refresh token or a backchannel
// request, and introspection and revocation.

import Foundation
import JOSE
import JOSEBytes
import JOSEOpenID

extension FuzzTarget {
    /// One text as each of the forms: an independent parser finds what was accepted, and no token
    /// is redeemed.
    static func tokenForms(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        let desk = try formHandler.get()
        let (client, basic, now) = (desk.client, Peers.basic, Peers.now)
        let found = values(text)
        let byCode = try bounded(bytes) {
            try awaiting {
                try await client.receiveTokenRequest(text, authorization: basic, at: now)
            }
        }
        if let byCode {
            try hold(byCode.clientID == "c" && byCode.keyThumbprint == nil, "another client's")
            try hold(found["grant_type"] == ["authorization_code"], "another grant")
            try hold(found["code"] == [byCode.code], "another code")
            try hold((found["resource"] ?? []) == byCode.resources, "another resource")
        }
        let refresh = try bounded(bytes) {
            try awaiting {
                try await client.receiveRefreshRequest(text, authorization: basic, at: now)
            }
        }
        if let refresh {
            try hold(found["grant_type"] == ["refresh_token"], "another grant")
            try hold(
                found["refresh_token"]?.count == 1
                    && found["refresh_token"]?[0].utf8.starts(with: refresh.familyID.utf8) == true,
                "another family")
            try hold(refresh.scopes.allSatisfy { !$0.utf8.contains(0x20) }, "a scope of two words")
            let turn = try accepted { try client.redeem(refresh, desk.family, at: now) }
            try hold(turn == nil, "a refresh token that nobody was given")
        }
        let poll = try bounded(bytes) {
            try awaiting {
                try await client.receiveBackchannelPoll(text, authorization: basic, at: now)
            }
        }
        if let poll {
            try hold(
                found["grant_type"] == ["urn:openid:params:grant-type:ciba"], "another grant")
            try hold(found["auth_req_id"] == [poll.requestID], "another question")
            let turn = try accepted {
                try awaiting { try await client.redeem(poll, desk.pending, at: now) }
            }
            try hold(turn == nil, "an answer to a question of nobody's")
        }
        let asked = try bounded(bytes) {
            try awaiting {
                try await client.receiveIntrospectionRequest(
                    text, authorization: basic, accept: text, at: now)
            }
        }
        if let asked {
            try hold(found["token"] == [asked.token], "another token")
            // An invalid hint counts as absent.
            try hold(
                asked.hint == nil || found["token_type_hint"] == asked.hint.map { [$0] },
                "another hint")
        }
    }

    /// The text with a simple independent parser.
    private static func values(_ text: String) -> [String: [String]] {
        var found: [String: [String]] = [:]
        // A parameter without a value is absent (RFC 6749, 3.2).
        for (name, value) in plainForm(text) where !value.isEmpty {
            found[name, default: []].append(value)
        }
        return found
    }

    /// A client with a refresh token and a pending backchannel request, both unknown to any input.
    private struct FormHandler: Sendable {
        let client: RegisteredClient
        let family: RefreshFamily
        let pending: PendingAuthentication
    }

    private static let formHandler = Result { () throws -> FormHandler in
        let client = try Peers.client(backchannel: BackchannelRegistration(.poll))
        let now = Peers.now
        let browser = try awaiting {
            try await client.receiveAuthorizationRequest(
                "client_id=c&response_type=code&scope=openid&state=s&nonce=n"
                    + "&redirect_uri=https%3A%2F%2Frp.example%2Fcb&code_challenge_method=S256"
                    + "&code_challenge=" + String(repeating: "A", count: 43), at: now)
        }
        let question = try awaiting {
            await client.receiveBackchannelRequest(
                "scope=openid&login_hint=a",
                authorization: Peers.basic, at: now)
        }
        guard case .accepted(let request) = browser, case .accepted(let asked) = question else {
            throw Broken(description: "a request of the fuzz targets is rejected")
        }
        return FormHandler(
            client: client,
            family: try client.refreshFamily(for: request, lifetime: .seconds(60), at: now).family,
            pending: try client.pending(asked, at: now))
    }
}
