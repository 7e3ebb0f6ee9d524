// HTTP Basic as clients write it: many spellings of one name and one secret.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("HTTP Basic")
struct BasicHeaderTests {
    private static func header(_ pair: String, scheme: String = "Basic ") -> String {
        scheme + Data(pair.utf8).base64EncodedString()
    }

    private func receive(_ header: String) async throws {
        let world = try World(.openID)
        let login = try await Login(world)
        let request = try world.party.tokenRequest(
            code: "c", for: login.started.remembered, at: World.now)
        _ = try await world.client.receive(
            tokenRequest: request.body, authorization: header, at: World.now)
        #expect(
            try world.provider.unverifiedClientID(
                tokenRequest: request.body, authorization: header) == World.clientID)
    }

    @Test(
        "every spelling of the form encoding is the same secret",
        arguments: [
            header("client-1:s3cr%3At%20%26%20more%2F%C3%A9"),
            header("client-1:s3cr%3at+%26+more%2f%c3%a9"), header("client-1:s3cr:t+&+more/%C3%A9"),
            header("client%2D1:%733cr:t+&+more/%C3%a9"),
            header("client-1:s3cr:t+&+more/%C3%A9", scheme: "basic "),
            header("client-1:s3cr:t+&+more/%C3%A9", scheme: "BASIC  "),
        ]) func good(_ header: String) async throws
    { try await receive(header) }

    @Test(
        "another secret, another name and what is not strict is refused",
        arguments: [
            header("client-1:"), header("client-1"), header(":s3cr:t+&+more/%C3%A9"),
            header("client-2:s3cr:t+&+more/%C3%A9"), header("Client-1:s3cr:t+&+more/%C3%A9"),
            header("client-1:s3cr:t+&+more/%C3%A8"), header("client-1:s3cr:t+&+more/e%CC%81"),
            header("client-1:s3cr:t & more/%C3%A9"), header("client-1:s3cr:t+&+more/é"),
            header("client-1:s3cr:t+&+more/%C3%A"), header("client-1:s3cr:t+&+more/%C3%A9%00"),
            header("client-1:s3cr:t+&+more/%C3%A9", scheme: "Bearer "),
            header("client-1:s3cr:t+&+more/%C3%A9", scheme: "Basic"),
            header("client-1:s3cr:t+&+more/%C3%A9", scheme: " Basic "),
            header("client-1:s3cr:t+&+more/%C3%A9") + " ",
            header("client-1:s3cr:t+&+more/%C3%A9") + "=", "", "Basic", "Basic ",
        ]) func bad(_ header: String) async
    {
        await expectRefusal("claim-rejected client_secret") { try await receive(header) }
    }
}
