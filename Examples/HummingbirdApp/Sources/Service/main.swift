// An API with protected routes and a login. Settings.swift lists the environment variables.

import AsyncHTTPClient
import Hummingbird
import JOSE
import JOSEOpenID
import JOSERemote
import Logging

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

let router = Router(context: AccessTokenContext<Claims>.self)
router.get("health") { _, _ in "ok" }
router.get { request, _ in
    try await flow.user(cookies: request.headers[.cookie])?.subject ?? "nobody is signed in"
}
router.get(".well-known/oauth-protected-resource") { _, _ in
    Response(try server.metadataResponse())
}
router.addLogin(flow)
router.group("api")
    .add(middleware: AccessTokens(server, url: settings.publicURL, scopes: ["read"]))
    .get("me") { _, context in
        "\(try context.claims.sub) \(try context.claims.email ?? "no email")"
    }
router.group("admin")
    .add(middleware: AccessTokens(server, url: settings.publicURL, scopes: ["read", "admin"]))
    .get("me") { _, context in try context.claims.sub }
router.group("keycloak")
    .add(middleware: AccessTokens(verifier, url: settings.publicURL, scopes: ["read"]))
    .get("me") { _, context in try context.claims.sub }

let application = Application(
    router: router,
    // Tokens and proofs fit; anything longer is rejected while it is read.
    server: .http1(
        configuration: .init(
            idleTimeout: .seconds(15),  // also for the headers of a request
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 32_768, maxHeaderListSize: 49_152, maxHeaderFieldCount: 100))),
    configuration: .init(address: .hostname("127.0.0.1", port: settings.port)),
    services: [
        HTTPClientService(client: http), HTTPClientService(client: keyHTTP),
        KeySetService(keys: keys, logger: logger),
    ],
    logger: logger)
try await application.runService()
