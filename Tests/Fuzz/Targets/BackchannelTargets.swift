// Backchannel requests of a client to a provider, the responses, and the provider's notification
// (CIBA Core 1.0).

import Foundation
import JOSE
import JOSEBytes
import JOSEOpenID

extension FuzzTarget {
    /// A backchannel request as a form or as signed claims, a response, or a notification.
    static let backchannel = FuzzTarget("backchannel") { bytes in
        try responses(bytes)
        let sides = try backchannelPeers.get()
        let text = String(decoding: bytes, as: UTF8.self)
        if let received = try judge(text, sides) {
            let names = plainForm(text).map(\.name)
            try hold(!names.contains("request_uri"), "a reference was taken")
            let hints = names.filter {
                ["login_hint", "login_hint_token", "id_token_hint"].contains($0)
            }
            try hold(!hints.isEmpty, "nobody was named")
            try hold(!received.isSigned, "signed by nobody")
        }
        guard let token = try accepted({ try sides.signer.issue(json: bytes) }),
            let received = try judge("request=" + token, sides)
        else { return }
        guard let read = foundationMembers(of: bytes) else { return }
        try hold(received.isSigned && read["iss"] as? String == "c", "another client's")
        let names = read["aud"] as? [String] ?? [read["aud"] as? String ?? ""]
        try hold(names.contains(Peers.issuer), "for another provider")
        for name in ["sub", "nonce", "redirect_uri", "response_type"] {
            try hold(read[name] == nil, "a token of another kind")
        }
        let hints = ["login_hint", "login_hint_token", "id_token_hint"].compactMap {
            (read[$0] as? String).flatMap { $0.isEmpty ? nil : $0 }
        }
        try hold(hints.count == 1, "\(hints.count) hints")
    }

    /// The accepted content of a form whose client is authenticated. It can wait, and its client
    /// can be notified.
    private static func judge(
        _ form: String, _ sides: BackchannelPeers
    ) throws -> ReceivedBackchannelRequest? {
        let verdict = try awaiting {
            await sides.client.receiveBackchannelRequest(
                form, authorization: Peers.basic, at: Peers.now)
        }
        switch verdict {
        case .rejected(let rejected):
            let told = try rejected.response()
            try hold([400, 401].contains(told.status), "status \(told.status)")
            return nil
        case .accepted(let received):
            try hold(received.clientID == "c" && received.hint != nil, "nobody was named")
            let seconds = received.requestedExpirySeconds
            try hold(seconds.map { $0 > 0 } ?? true, "no time at all")
            let pending = try sides.client.pending(received, at: Peers.now)
            try hold(pending.expires > Peers.now, "it ended before it began")
            let response = try BackchannelResponse(json: pending.response().body)
            try hold(response.requestID == pending.requestID, "another request")
            guard let ping = try sides.client.ping(pending) else {
                throw Broken(description: "a client that wants to be called is not")
            }
            let read = try ReceivedPing(
                authorization: ping.header("Authorization"),
                body: ping.body)
            try hold(read.requestID == pending.requestID, "another call")
            return received
        }
    }

    /// The same text as a response, and as a notification's body and header.
    private static func responses(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        // Of the string, which has other characters where the bytes are invalid UTF-8.
        let read =
            (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
        if let response = try bounded(bytes, { try BackchannelResponse(json: text) }) {
            try hold(read["auth_req_id"] as? String == response.requestID, "another request")
            try hold(response.expiresInSeconds > 0 && response.intervalSeconds > 0, "no time")
        }
        let call = try bounded(bytes) { try ReceivedPing(authorization: "Bearer a", body: text) }
        if let call {
            try hold(read["auth_req_id"] as? String == call.requestID, "another request")
        }
        let body = #"{"auth_req_id":"aaaaaaaaaaaaaaaaaaaaaa"}"#
        let named = try accepted { try ReceivedPing(authorization: text, body: body) }
        if named != nil { try hold(text.lowercased().hasPrefix("bearer "), "another scheme") }
    }

    private struct BackchannelPeers: Sendable {
        let client: RegisteredClient
        let signer: JWTIssuer
    }

    private static let backchannelPeers = Result { () throws -> BackchannelPeers in
        var backchannel = BackchannelRegistration(.ping("https://rp.example/ping"))
        backchannel.sendsUserCode = true
        return BackchannelPeers(
            client: try Peers.client(backchannel: backchannel, key: Known.signing),
            signer: try JWTIssuer(
                key: Known.signing, algorithm: .rs256, requiresExpiration: false))
    }
}
