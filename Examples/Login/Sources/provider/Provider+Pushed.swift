// The endpoint for pushed requests: a client sends its request by itself, and its user's browser brings the reference.

import JOSE
import JOSEOpenID
import Web

extension Provider {
    /// Keeps what a client pushes until its user comes with the reference.
    func push(_ request: WebRequest) async throws -> OpenIDHTTPResponse {
        let authorization = request.header("authorization")
        do throws(JOSEError) {
            let clientID = try provider.unverifiedClientID(
                tokenRequest: request.body, authorization: authorization)
            guard let client = clients[clientID] else {
                return try TokenError(.invalidClient).response(authorization: authorization)
            }
            let verdict = await client.receivePushedRequest(
                request.body, authorization: authorization,
                proofs: request.values("dpop"))
            if case .rejected(let rejected) = verdict {
                note("provider: rejects the pushed request: \(rejected.cause)")
            }
            return try verdict.response()
        } catch {
            note("provider: rejects the pushed request: \(error)")
            return try provider.error(rejecting: error).response(authorization: authorization)
        }
    }
}
