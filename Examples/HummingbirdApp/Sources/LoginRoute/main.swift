// A login: this file and OpenIDRoutes.swift.

import Hummingbird
import JOSEOpenID

let settings = LoginSettings(
    issuer: "https://idp.example", clientID: "my-client", site: "https://www.example",
    secret: ClientSecret("the secret of my-client"))
let flow = try LoginFlow(settings) { print($0) }
let router = Router()
router.addLogin(flow)
router.get { request, _ in
    try await flow.user(cookies: request.headers[.cookie])?.subject ?? "nobody is signed in"
}
try await Application(router: router).runService()
