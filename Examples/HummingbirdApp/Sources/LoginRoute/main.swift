// A login: this file and the six others here.

import Hummingbird
import JOSEOpenID
import JOSERemote

let curl = try CurlTransport()
let settings = LoginSettings(
    issuer: "https://idp.example", clientID: "my-client", site: "https://www.example",
    secret: ClientSecret("the secret of my-client"))
let client = CurlClient(transport: curl, addressPolicy: .publicAddresses)
let flow = LoginFlow(settings, client: client, transport: curl) { print($0) }
let router = Router()
router.addLogin(flow)
router.get { request, _ in
    try await flow.user(cookies: request.headers[.cookie])?.subject ?? "nobody is signed in"
}
try await Application(router: router).runService()
