// Single messages of our relying party that a plain login does not have: pushed requests, DPoP
// proofs, CIBA.

import Foundation
import JOSE
import JOSEOpenID

/// The state of a relying party between such messages.
struct PartyMessages {
    private let prover: DPoPProver
    private var pushed: PushedAuthorization?
    private var sent: BackchannelAuthentication?
    private var wait: BackchannelSession?

    init() throws { prover = try DPoPProver.fresh() }

    /// Nil for an operation of another kind.
    mutating func response(_ request: Request, _ party: RelyingParty) async throws -> [String: Any]?
    {
        switch try request.text("op") {
        case "prove":
            let proof = try prover.proof(
                method: request.text("method"), url: request.text("url"),
                accessToken: request.optional("access_token"))
            return ["proof": proof, "jkt": prover.keyThumbprint]
        case "push":
            var wanted = AuthorizationRequest(scopes: request.words("scopes"))
            if request.members["by_value"] as? Bool == true { wanted.delivery = .byValue }
            let made = try await party.push(wanted)
            pushed = made
            return ["url": made.request.url, "body": made.request.body]
        case "pushed":
            guard let pushed else { throw Request.Missing(name: "push") }
            return [
                "url": try party.start(
                    pushed, PushedAuthorizationResponse(json: request.text("body"))
                ).url
            ]
        case "backchannel":
            var wanted = try BackchannelRequest(.name(request.text("hint")))
            wanted.isSigned = request.members["signed"] as? Bool == true
            wanted.delivery = request.members["ping"] as? Bool == true ? .ping : .poll
            wanted.bindingMessage = request.optional("message")
            wanted.requestedExpiry = (request.members["expiry"] as? Int64).map { .seconds($0) }
            let made = try await party.backchannel(wanted)
            sent = made
            return ["url": made.request.url, "body": made.request.body]
        case "backchannel_response":
            guard let sent else { throw Request.Missing(name: "backchannel") }
            let wait = try sent.accepted(BackchannelResponse(json: request.text("body")))
            self.wait = wait
            let asked = try await party.tokenRequest(for: wait)
            return ["id": wait.requestID, "body": asked.body]
        case "backchannel_call":
            guard let wait else { throw Request.Missing(name: "backchannel_response") }
            try wait.accept(
                ReceivedPing(
                    authorization: request.optional("authorization"), body: request.text("body")))
            return [:]
        default: return nil
        }
    }
}
