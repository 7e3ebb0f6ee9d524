// Runs the example of the page about a local provider, with a server without TLS.

import JOSE
import JOSEOpenID
import JOSERemote
import Testing

@Suite("Example of a local provider")
struct LocalProviderExampleTests {
    @Test("discovery over http on this machine, and a login that starts there")
    func starts() async throws {
        let server = try TestServer(newestTLS: "plain")
        let transport = try CurlTransport()
        for host in ["127.0.0.1", "localhost"] {
            let issuer = "http://\(host):\(server.port)"
            try server.tell([
                "body": """
                {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/authorize",\
                "token_endpoint":"\(issuer)/token","jwks_uri":"\(issuer)/jwks",\
                "response_types_supported":["code"],"subject_types_supported":["public"],\
                "id_token_signing_alg_values_supported":["RS256"]}
                """
            ])
            let party = try await localParty(issuer: issuer, transport: transport)
            let started = try await party.start(AuthorizationRequest())
            #expect(started.url.hasPrefix(issuer + "/authorize?"))
        }
        // The same document at another name of this machine is no local provider.
        await #expect(throws: JOSEError.self) {
            _ = try await localParty(issuer: "http://127.1:\(server.port)", transport: transport)
        }
    }
}
