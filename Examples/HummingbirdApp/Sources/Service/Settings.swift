// The configuration of the example, from the environment.

import Foundation
import JOSE
import JOSEOpenID
import JOSERemote

/// The environment variables.
///
/// | variable | content |
/// | --- | --- |
/// | `ISSUER`, `JWKS_URL` | the provider, and the URL of its keys |
/// | `PUBLIC_URL` | the URL of this service without a path, as browsers and clients see it |
/// | `CLIENT_ID`, `CLIENT_SECRET` | the client that is registered for logins |
/// | `CA_FILE` | CAs instead of the system's |
/// | `PORT` | default 8080 |
/// | `CLIENT` | the HTTP client: `curl` (default) or `async-http-client` |
/// | `PUSH` | `1`: logins push their requests (RFC 9126); `0` (default): they do not |
/// | `ADDRESSES` | `public` (default), or `any` for a provider in your own network |
struct Settings: Sendable {
    let issuer: String
    let keySetURL: String
    let publicURL: String
    let clientID: String
    let clientSecret: String
    let authorities: String?
    let port: Int
    let usesCurl: Bool
    let pushesRequests: Bool
    let addressPolicy: AddressPolicy

    init() throws {
        let environment = ProcessInfo.processInfo.environment
        func required(_ name: String) throws(Rejected) -> String {
            guard let value = environment[name], !value.isEmpty else {
                throw Rejected(description: "set the environment variable \(name)")
            }
            return value
        }
        /// The first choice is the default.
        func choice<Value>(
            _ name: String, _ choices: KeyValuePairs<String, Value>
        ) throws(Rejected) -> Value {
            let text = environment[name] ?? choices[0].key
            guard let choice = choices.first(where: { $0.key == text }) else {
                let known = choices.map(\.key).joined(separator: ", ")
                throw Rejected(description: "environment variable \(name): use one of \(known)")
            }
            return choice.value
        }
        issuer = try required("ISSUER")
        keySetURL = try required("JWKS_URL")
        publicURL = try required("PUBLIC_URL")
        clientID = try required("CLIENT_ID")
        clientSecret = try required("CLIENT_SECRET")
        authorities = environment["CA_FILE"]
        guard let port = UInt16(environment["PORT"] ?? "8080") else {
            throw Rejected(description: "environment variable PORT: use a number from 0 to 65535")
        }
        self.port = Int(port)
        usesCurl = try choice("CLIENT", ["curl": true, "async-http-client": false])
        pushesRequests = try choice("PUSH", ["0": false, "1": true])
        addressPolicy = try choice("ADDRESSES", ["public": .publicAddresses, "any": .anyAddress])
        guard usesCurl || addressPolicy == .anyAddress else {
            throw Rejected(
                description: "CLIENT async-http-client checks no addresses: set ADDRESSES to any")
        }
    }

    /// A missing variable, or an invalid value.
    struct Rejected: Error, CustomStringConvertible {
        let description: String
    }

    /// The provider's keys. A request waits for them for 3 seconds at most.
    func keySet(
        _ transport: any JWKSetTransport, observe: @escaping JOSEEventHandler
    ) throws -> RemoteJWKSet {
        var times = RemoteJWKSetSettings()
        times.requestTime = .seconds(2)
        // Anyone can send a token with an unknown kid, and thereby delay a new key for this time.
        times.unknownKeyIDInterval = .seconds(30)
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

    /// Accepts the access tokens of a Keycloak realm, which are not as in RFC 9068.
    func keycloakTokens(_ keys: any KeySource) throws -> AsyncJWTVerifier {
        var policy = ClaimsPolicy(issuer: issuer, audience: publicURL)
        policy.require("typ", as: String.self) { $0 == "Bearer" }  // ID Tokens have "ID"
        return try AsyncJWTVerifier(policy: policy, keys: keys, algorithms: [.rs256])
    }

    /// The login, with a client secret.
    var login: LoginSettings {
        var login = LoginSettings(
            issuer: issuer, clientID: clientID, site: publicURL,
            secret: ClientSecret(clientSecret), addressPolicy: addressPolicy)
        login.profile.pushedRequests.isRequired = pushesRequests
        return login
    }
}
