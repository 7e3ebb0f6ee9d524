// The metadata of protected resources (RFC 9728), and the challenges that name them.

import JOSE
import JOSEOpenID
import Testing

@Suite("Protected resource metadata")
struct ResourceMetadataTests {
    static let resource = "https://api.example/tools?tenant=1"

    private func server(
        _ metadata: ResourceServer.Metadata? = nil, realm: String? = nil,
        proofs: DPoPVerifier? = nil, issuers: [String] = [TestEnvironment.issuer]
    ) throws -> ResourceServer {
        let keys = try TestKeys.provider.publicKeys
        return try ResourceServer(
            issuers: issuers.map { ResourceServer.Issuer($0, keys: keys) },
            audiences: ["https://api.example", Self.resource], realm: realm, metadata: metadata,
            proofs: proofs)
    }

    private func read(
        _ members: [String: JSONValue?] = [:], of resource: String = Self.resource,
        loopback: Bool = false, limits: JOSELimits = .standard
    ) throws -> ResourceServer.Metadata {
        try ResourceServer.Metadata(
            json: jsonText((["resource": .string(resource)] as JSONObject).with(members)),
            resource: resource, allowsLoopbackHTTP: loopback, limits: limits)
    }

    @Test(
        "RFC 9728 3.1: the well-known path is inserted between host and path",
        arguments: [
            ("https://resource.example.com", "https://resource.example.com/.well-known/opr"),
            ("https://resource.example.com/", "https://resource.example.com/.well-known/opr"),
            (
                "https://resource.example.com/resource1",
                "https://resource.example.com/.well-known/opr/resource1"
            ),
            ("https://r.example/a/", "https://r.example/.well-known/opr/a/"),
            ("https://r.example:8443/a/b", "https://r.example:8443/.well-known/opr/a/b"),
            ("https://r.example?a=/b", "https://r.example/.well-known/opr?a=/b"),
            ("https://r.example/?a=b", "https://r.example/.well-known/opr?a=b"),
            ("https://r.example/a?k=v", "https://r.example/.well-known/opr/a?k=v"),
            ("https://[2001:db8::1]/a", "https://[2001:db8::1]/.well-known/opr/a"),
        ])
    func url(_ resource: String, _ expected: String) throws {
        let url = try ResourceServer.Metadata.url(resource: resource)
        #expect(url.replacing("oauth-protected-resource", with: "opr") == expected)
    }

    @Test("a resource is an https URL without userinfo and fragment")
    func resources() async throws {
        for resource in [
            "", "api.example", "http://api.example", "https://a@api.example",
            "https://api.example#a",
            "https://", "https://a b", "urn:api", "https:api.example",
        ] {
            await expectRejection("misuse", resource) {
                _ = try ResourceServer.Metadata.url(resource: resource)
            }
            await expectRejection("misuse", resource) {
                _ = try ResourceServer.Metadata(resource: resource)
            }
            await expectRejection("claim-rejected resource", resource) {
                _ = try read(of: resource)
            }
        }
        for host in ["localhost", "127.0.0.1", "[::1]"] {
            let local = "http://\(host):8080/mcp"
            _ = try ResourceServer.Metadata(resource: local, allowsLoopbackHTTP: true)
            await expectRejection("misuse", host) {
                _ = try ResourceServer.Metadata(resource: local)
            }
        }
        for host in ["localhost.example", "10.0.0.1", "127.0.0.2", "LOCALHOST", "127.1"] {
            await expectRejection("misuse", host) {
                _ = try ResourceServer.Metadata(
                    resource: "http://\(host)/", allowsLoopbackHTTP: true)
            }
        }
    }

    @Test("only an http resource of this machine may name http issuers and URLs")
    func loopback() async throws {
        let local = "http://localhost:8080/mcp"
        let issuers: JSONValue = ["http://localhost:9400", "https://idp.example"]
        #expect(
            try read(["authorization_servers": issuers], of: local, loopback: true)
                .authorizationServers == ["http://localhost:9400", "https://idp.example"])
        let keyURL: [String: JSONValue?] = ["jwks_uri": "http://localhost:8080/k"]
        #expect(try read(keyURL, of: local, loopback: true).ignored.isEmpty)
        await expectRejection("claim-rejected authorization_servers") {
            _ = try read(["authorization_servers": issuers], loopback: true)
        }
        #expect(try read(keyURL, loopback: true).ignored.map(\.member) == ["jwks_uri"])
        // Your own metadata, with the server's issuers.
        let keys = try TestKeys.provider.publicKeys
        func own(
            _ resource: String, _ allows: Bool, _ issuer: String, _ additional: Bool = false
        ) throws -> [String]? {
            try ResourceServer(
                issuers: [ResourceServer.Issuer(issuer, keys: keys)], audiences: [resource],
                metadata: ResourceServer.Metadata(
                    resource: resource, allowsLoopbackHTTP: allows,
                    additional: additional ? ["authorization_servers": [.string(issuer)]] : [:])
            ).metadata?.authorizationServers
        }
        #expect(
            try own(local, true, "http://localhost:9400") == ["http://localhost:9400"])
        for allows in [false, true] {
            await expectRejection("misuse", "\(allows)") {
                _ = try own(Self.resource, allows, "http://localhost:9400")
            }
            await expectRejection("claim-rejected authorization_servers", "\(allows)") {
                _ = try own(Self.resource, allows, "http://localhost:9400", true)
            }
        }
        for issuer in ["https://a.example?x", "https://a.example#x"] {
            await expectRejection("misuse", issuer) { _ = try own(Self.resource, false, issuer) }
        }
    }

    @Test("RFC 9728 2 and 3.2: the document has the server's issuers and proofs, and is read back")
    func roundTrip() throws {
        let proofs = try DPoPVerifier(server: Self.resource, replays: MemoryReplayStore())
        let server = try server(
            ResourceServer.Metadata(
                resource: Self.resource, scopes: ["read", "write"],
                additional: ["resource_name": "Tools", "x_future": [1]]),
            proofs: proofs, issuers: [TestEnvironment.issuer, "https://b.example"])
        let response = try server.metadataResponse()
        #expect(response.status == 200 && response.header("Content-Type") == "application/json")
        #expect(response.header("Cache-Control") == "public, max-age=300")
        let read = try ResourceServer.Metadata(json: response.body, resource: Self.resource)
        #expect(read.authorizationServers == [TestEnvironment.issuer, "https://b.example"])
        #expect(
            read.resource == Self.resource && read.list("scopes_supported") == ["read", "write"])
        #expect(read["resource_name"] == "Tools" && read["x_future"] == [1])
        #expect(read.list("bearer_methods_supported") == ["header"])
        #expect(read.list("dpop_signing_alg_values_supported")?.contains("ES256") == true)
        #expect(read.ignored.isEmpty && read.members == server.metadata?.members)
        let bare = try self.server()
        #expect(bare.metadata == nil)
        #expect(throws: JOSEError.self) { try bare.metadataResponse() }
        #expect(throws: JOSEError.self) { try server.metadataResponse(maxAge: .seconds(86_401)) }
    }

    @Test("RFC 9728 3.3: the document must name exactly the expected resource")
    func equality() async throws {
        let json = try ResourceServer.Metadata(resource: "https://api.example/a").json()
        for other in [
            "https://api.example/a/", "https://api.example", "https://API.example/a",
            "https://api.example:443/a", "https://api.example/a?", "https://evil.example/a",
            "https://api.example/%61",
        ] {
            await expectRejection("claim-rejected resource", other) {
                _ = try ResourceServer.Metadata(json: json, resource: other)
            }
        }
        for value: JSONValue in [.null, 1, ["https://api.example/a"], [:], ""] {
            await expectRejection("claim-rejected resource", "\(value)") {
                _ = try read(["resource": value], of: "https://api.example/a")
            }
        }
        await expectRejection("claim-rejected resource") { _ = try read(["resource": nil]) }
    }

    @Test("hostile documents: issuers must be https URLs; other members are ignored with a reason")
    func hostile() async throws {
        for servers: JSONValue in [
            "https://a.example", 1, [:], true, [1], [nil], [[]], ["http://a.example"],
            ["https://a.example", "javascript:alert(1)"], ["https://a.example?x"],
            ["https://a.example#x"], ["https://u@a.example"], [""], ["http://localhost:9400"],
        ] {
            await expectRejection("claim-rejected authorization_servers", "\(servers)") {
                _ = try read(["authorization_servers": servers])
            }
        }
        #expect(try read(["authorization_servers": .null]).authorizationServers.isEmpty)
        let odd = try read([
            "scopes_supported": "read", "jwks_uri": "http://a.example", "x": .null,
            "dpop_bound_access_tokens_required": "true", "bearer_methods_supported": [1],
            "resource_policy_uri": 1, "resource_name": "ok",
        ])
        #expect(
            Set(odd.ignored.map(\.member)) == [
                "scopes_supported", "jwks_uri", "dpop_bound_access_tokens_required",
                "bearer_methods_supported", "resource_policy_uri",
            ])
        #expect(odd.members.names.sorted() == ["resource", "resource_name"])
        await expectRejection("malformed", "twice") {
            _ = try ResourceServer.Metadata(
                json: #"{"resource":"https://a.example","resource":"https://b.example"}"#,
                resource: "https://a.example")
        }
        for text in ["", "[]", "null", "{", "{\"resource\":\"\u{0}\"}"] {
            await expectRejection("malformed", text) {
                _ = try ResourceServer.Metadata(json: text, resource: Self.resource)
            }
        }
        var limits = JOSELimits.standard
        limits.tokenBytes = 20
        await expectRejection("limit-exceeded") { _ = try read(limits: limits) }
    }

    @Test("own metadata with an invalid member or of another resource is rejected")
    func own() async throws {
        await expectRejection("misuse") {
            _ = try server(ResourceServer.Metadata(resource: "https://other.example"))
        }
        await expectRejection("misuse", "the issuer is no URL") {
            _ = try server(ResourceServer.Metadata(resource: Self.resource), issuers: ["accounts"])
        }
        await expectRejection("misuse") {
            _ = try ResourceServer.Metadata(resource: Self.resource, scopes: ["a b"])
        }
        for (name, value): (String, JSONValue) in [
            ("scopes_supported", "read"), ("resource_documentation", "http://a.example"),
            ("authorization_servers", ["http://a.example"]),
        ] {
            await expectRejection("claim-rejected \(name)") {
                _ = try ResourceServer.Metadata(
                    resource: Self.resource, additional: [name: value])
            }
        }
        let named = try server(
            ResourceServer.Metadata(
                resource: Self.resource,
                additional: ["authorization_servers": ["https://c.example"]]),
            issuers: ["accounts"])
        #expect(named.metadata?.authorizationServers == ["https://c.example"])
    }

    @Test("RFC 6750 3, RFC 9728 5.1: realm, scope and resource_metadata of each challenge")
    func challenges() async throws {
        let url = "https://api.example/.well-known/oauth-protected-resource/tools?tenant=1"
        let metadata = try ResourceServer.Metadata(resource: Self.resource)
        let proofs = try DPoPVerifier(server: Self.resource, replays: MemoryReplayStore())
        let none = JOSEError.claimRejected("access_token", "the request has none")
        let scope = JOSEError.claimRejected("scope", "the access token lacks a required scope")
        let plain = try server(metadata, realm: "Tools API")
        func header(_ server: ResourceServer, _ error: JOSEError, _ scopes: [String] = []) throws
            -> String
        { try server.error(rejecting: error, scopes: scopes, at: .testNow).header }
        #expect(
            try header(plain, none)
                == #"Bearer realm="Tools API", resource_metadata="\#(url)""#)
        #expect(
            try header(plain, scope, ["read", "write"])
                == #"Bearer realm="Tools API", error="insufficient_scope", scope="read write", "#
                + #"resource_metadata="\#(url)""#)
        #expect(try header(plain, none, ["read"]).contains(#"scope="read""#))
        let bound = try server(metadata, proofs: proofs)
        let both = try header(bound, scope, ["read"])
        #expect(
            both.hasPrefix(#"DPoP error="insufficient_scope", scope="read", algs=""#), "\(both)")
        #expect(both.hasSuffix(#", Bearer resource_metadata="\#(url)""#), "\(both)")
        // An outage names no scopes, and the client reads what was written.
        let outage = try header(plain, .unavailable(.keySet, "x"), ["read"])
        #expect(!outage.contains("scope") && outage.contains(url))
        for text in [try header(plain, scope, ["read", "write"]), both] {
            let read = try BearerError(header: text)
            #expect(read.code == .insufficientScope && read.metadataURL == url)
            #expect(read.scopes == (text == both ? ["read"] : ["read", "write"]))
        }
        // Nothing but printable ASCII without quotes reaches the header.
        var forged = try ResourceError(.insufficientScope)
        forged.realm = "a\", error=\"x\r\nSet-Cookie: a"
        forged.scopes = ["a\"b"]
        forged.metadataURL = "https://a\"b"
        #expect(forged.header == #"Bearer error="insufficient_scope""#)
    }

    @Test("hostile challenges: an unusable resource_metadata or scope is absent")
    func read() throws {
        for (header, url) in [
            (#"Bearer resource_metadata="https://a.example/m""#, "https://a.example/m"),
            (#"Bearer realm="x", DPoP resource_metadata="https://a.example""#, "https://a.example"),
            (#"Basic resource_metadata="https://evil.example""#, nil),
            (#"Bearer resource_metadata="""#, nil), (#"Bearer resource_metadata="a b""#, nil),
            (
                #"Bearer resource_metadata="https://a.example", DPoP resource_metadata="https://b""#,
                "https://a.example"
            ),
        ] as [(String, String?)] {
            #expect(try BearerError(header: header).metadataURL == url, "\(header)")
        }
        #expect(throws: JOSEError.self) {
            try BearerError(header: #"Bearer resource_metadata="a", resource_metadata="b""#)
        }
        #expect(try BearerError(header: #"Bearer scope="a  b\"c d""#).scopes == ["a", "d"])
    }
}
