// A login: this file and OpenIDRoutes.swift.

import JOSEOpenID
import Vapor

let settings = LoginSettings(
    issuer: "https://idp.example", clientID: "my-client", site: "https://www.example",
    secret: ClientSecret("the secret of my-client"))
let flow = try LoginFlow(settings) { print($0) }
let app = try await Application.make(.detect())
app.addLogin(flow)
app.get { request in
    try await flow.user(cookies: request.cookieHeader)?.subject ?? "nobody is signed in"
}
try await app.execute()
