// A login: this file and the six others here.

import JOSEOpenID
import JOSERemote
import Vapor

let curl = try CurlTransport()
let settings = LoginSettings(
    issuer: "https://idp.example", clientID: "my-client", site: "https://www.example",
    secret: ClientSecret("the secret of my-client"))
let client = CurlClient(transport: curl, addressPolicy: .publicAddresses)
let flow = LoginFlow(settings, client: client, transport: curl) { print($0) }
let app = try await Application.make(.detect())
app.addLogin(flow)
app.get { request in
    try await flow.user(cookies: request.headers.first(name: .cookie))?.subject
        ?? "nobody is signed in"
}
try await app.execute()
