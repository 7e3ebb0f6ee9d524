// A resource server for the provider's access tokens. It could run on another machine.

import Agreement
import JOSE
import JOSEOpenID
import JOSERemote
import Web

/// Returns the accounts of the access token's subject. It knows only the provider's issuer and
/// keys.
struct Accounts: Sendable {
    /// The origin of this server as clients see it.
    private let origin: String
    private let server: ResourceServer

    init(_ agreement: Agreement, _ transport: CurlTransport) throws {
        origin = agreement.providerOrigin
        var settings = RemoteJWKSetSettings()
        settings.certificates = .require(try agreement.keyRoots())
        let keys = try RemoteJWKSet(
            untrustedURL: agreement.issuer + "/jwks", addressPolicy: agreement.addressPolicy,
            settings: settings, transport: transport,
            observe: { note($0, of: "accounts: provider's") })
        server = try ResourceServer(
            issuer: agreement.issuer, audiences: [agreement.accounts], keys: keys, rules: .fapi2,
            proofs: DPoPVerifier(
                server: agreement.accounts, replays: MemoryReplayStore(), rules: .fapi2,
                nonces: DPoPNonces()))
    }

    /// Verifies token, binding and proof, and responds.
    func response(_ request: WebRequest) async throws -> OpenIDHTTPResponse {
        do throws(JOSEError) {
            let access = try await server.verify(
                ResourceRequest(
                    method: request.method, url: origin + request.target,
                    authorization: request.header("authorization"),
                    proofs: request.values("dpop")), scopes: ["accounts"])
            note("accounts: \(access.clientID) reads those of \(access.subject.prefix(8))…")
            var headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
            if let nonce = access.nextNonce { headers.append(("DPoP-Nonce", nonce)) }
            return try OpenIDHTTPResponse(
                status: 200, headers: headers.map(OpenIDParameter.init),
                body: #"{"accounts":[{"iban":"BE71 0961 2345 6769","balance":"1.50 EUR"}]}"#)
        } catch {
            note("accounts: rejects: \(error)")
            return try server.error(rejecting: error).response()
        }
    }
}
