// A protected route: this file and OpenIDRoutes.swift.

import Hummingbird
import JOSEOpenID
import JOSERemote

struct Claims: Decodable { let email: String? }

let keys = try RemoteJWKSet(url: "https://idp.example/jwks", transport: CurlTransport())
let server = try ResourceServer(
    issuer: "https://idp.example", audiences: ["https://api.example"], keys: keys)
let router = Router(context: AccessTokenContext<Claims>.self)
router.group("api").add(middleware: AccessTokens(server, url: "https://api.example"))
    .get("me") { _, context in try context.claims.email ?? "no email" }
try await Application(router: router).runService()
