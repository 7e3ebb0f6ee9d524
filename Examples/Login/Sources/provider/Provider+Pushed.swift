// The pushed authorization request endpoint.

import JOSE
import JOSEOpenID
import Web

extension Provider {
    /// Stores a pushed request until the browser brings its `request_uri`.
    func push(_ request: WebRequest) async throws -> OpenIDHTTPResponse {
        let authorization = request.header("authorization")
        do throws(JOSEError) {
            let clientID = try provider.unverifiedClientID(
                tokenRequest: request.body, authorization: authorization)
            guard let client = clients[clientID] else {
                return try TokenError(.invalidClient).response(authorization: authorization)
            }
            let result = await client.receivePushedRequest(
                request.body, authorization: authorization,
                proofs: request.values("dpop"))
            if case .rejected(let rejected) = result {
                note("provider: rejects the pushed request: \(rejected.cause)")
            }
            return try result.response()
        } catch {
            note("provider: rejects the pushed request: \(error)")
            return try provider.error(rejecting: error).response(authorization: authorization)
        }
    }
}
