// An API with protected routes and a login. Settings.swift lists the environment variables.

import AsyncHTTPClient
import JOSE
import JOSEOpenID
import JOSERemote
import Vapor

/// The claims that the API reads.
struct Claims: Decodable {
    let sub: String
    let email: String?
}

let settings = try Settings()
let logger = Logger(label: "service")
let logged = logs(logger)
let observe: JOSEEventHandler = {
    logged($0)
    metrics($0)
    traces($0)
}

let http = HTTPClient(configuration: .jose(authorities: settings.authorities))
// Logins at a slow provider use up the connections of the other client.
let keyHTTP = HTTPClient(configuration: .jose(authorities: settings.authorities))
let curl = try CurlTransport(certificateAuthorities: settings.authorities)
let transport: any JWKSetTransport = settings.usesCurl ? curl : AsyncHTTPTransport(client: keyHTTP)
let client: ProviderClient? = settings.usesCurl ? nil : AsyncHTTPTransport(client: http).send

let keys = try settings.keySet(transport, observe: observe)
let server = try settings.resourceServer(keys)
let verifier = try settings.keycloakTokens(keys)
let flow = try LoginFlow(settings.login, transport: curl, client: client, observe: observe) {
    logger.info("\($0)")
}

let app = try await Application.make(Environment(name: "production", arguments: ["service"]))
app.http.server.configuration.hostname = "127.0.0.1"
app.http.server.configuration.port = settings.port
app.get("health") { _ in "ok" }
app.get { request in
    try await flow.user(cookies: request.cookieHeader)?.subject ?? "nobody is signed in"
}
app.get(".well-known", "oauth-protected-resource") { _ in Response(try server.metadataResponse()) }
app.addLogin(flow)
app.grouped(
    AccessTokens(server, url: settings.publicURL, scopes: ["read"], claims: Claims.self)
).get("api", "me") { request in
    let access = try request.auth.require(Access<Claims>.self)
    return "\(access.claims.sub) \(access.claims.email ?? "no email")"
}
app.grouped(
    AccessTokens(server, url: settings.publicURL, scopes: ["read", "admin"], claims: Claims.self)
).get("admin", "me") { try $0.auth.require(Access<Claims>.self).claims.sub }
app.grouped(
    AccessTokens(verifier, url: settings.publicURL, scopes: ["read"], claims: Claims.self)
).get("keycloak", "me") { try $0.auth.require(Access<Claims>.self).claims.sub }
try await app.execute()
try await app.asyncShutdown()
try await http.shutdown().get()
try await keyHTTP.shutdown().get()
