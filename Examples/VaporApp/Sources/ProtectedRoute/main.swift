// A protected route: this file and OpenIDRoutes.swift.

import JOSEOpenID
import JOSERemote
import Vapor

struct Claims: Decodable { let email: String? }

let keys = try RemoteJWKSet(url: "https://idp.example/jwks", transport: CurlTransport())
let server = try ResourceServer(
    issuer: "https://idp.example", audiences: ["https://api.example"], keys: keys)
let app = try await Application.make(.detect())
app.grouped(AccessTokens(server, url: "https://api.example", claims: Claims.self))
    .get("api", "me") { try $0.auth.require(Access<Claims>.self).claims.email ?? "no email" }
try await app.execute()
