// The configuration of the example, from the environment.

import Foundation
import JOSE
import JOSEOpenID
import JOSERemote

/// `ISSUER`, `JWKS_URL`, `PUBLIC_URL`, `CLIENT_ID`, `CLIENT_SECRET`, `CA_FILE`, `PORT` and `CLIENT`
/// (`curl`, the default, or another HTTP client).
struct Settings: Sendable {
    let issuer: String
    let keySetURL: String
    let publicURL: String
    let clientID: String
    let clientSecret: String
    let authorities: String?
    let port: Int
    let client: String
    /// Whether logins push their requests (RFC 9126).
    let pushesRequests: Bool

    init() throws {
        let environment = ProcessInfo.processInfo.environment
        func required(_ name: String) throws -> String {
            guard let value = environment[name], !value.isEmpty else { throw Missing(name: name) }
            return value
        }
        issuer = try required("ISSUER")
        keySetURL = try required("JWKS_URL")
        publicURL = try required("PUBLIC_URL")
        clientID = try required("CLIENT_ID")
        clientSecret = try required("CLIENT_SECRET")
        authorities = environment["CA_FILE"]
        port = environment["PORT"].flatMap(Int.init) ?? 8080
        client = environment["CLIENT"] ?? "curl"
        pushesRequests = environment["PUSH"] == "1"
    }

    struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String { "set the environment variable \(name)" }
    }

    /// The provider's keys. A request waits for them for 3 seconds at most.
    func keySet(
        _ transport: any JWKSetTransport, observe: @escaping JOSEEventHandler
    ) throws -> RemoteJWKSet {
        var times = RemoteJWKSetSettings()
        times.requestTime = .seconds(2)
        return try RemoteJWKSet(
            url: keySetURL, settings: times, transport: transport, observe: observe)
    }

    /// Accepts bearer tokens and DPoP-bound tokens. Publishes its metadata (RFC 9728).
    func resourceServer(_ keys: any KeySource) throws -> ResourceServer {
        // For several machines: `RedisReplayStore`, and a shared key for the nonces.
        let proofs = try DPoPVerifier(server: publicURL, replays: MemoryReplayStore())
        return try ResourceServer(
            issuers: [.init(issuer, keys: keys)], audiences: [publicURL], realm: "api",
            metadata: .init(resource: publicURL, scopes: ["read", "admin"]), proofs: proofs)
    }

    /// The provider is in your own network here. For one elsewhere leave out `addressPolicy`.
    var login: LoginSettings {
        var login = LoginSettings(
            issuer: issuer, clientID: clientID, site: publicURL,
            secret: ClientSecret(clientSecret), addressPolicy: .anyAddress)
        login.profile.pushedRequests.isRequired = pushesRequests
        return login
    }
}
