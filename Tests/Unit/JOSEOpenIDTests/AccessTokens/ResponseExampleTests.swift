// The examples of RFC 9701 (5), JARM (2.1 and 2.3.1) and RFC 9449 (6). Their keys are not
// published, so the tests sign the contents again.

import Foundation
import JOSE
import JOSEBytes
import JOSEOpenID
import Testing

@Suite("Examples of signed responses")
struct ResponseExampleTests {
    /// RFC 9701 5: the payload.
    private static let introspection = """
        {
          "iss":"https://as.example.com/",
          "aud":"https://rs.example.com/resource",
          "iat":1514797892,
          "token_introspection":
             {
                "active":true,
                "iss":"https://as.example.com/",
                "aud":"https://rs.example.com/resource",
                "iat":1514797822,
                "exp":1514797942,
                "client_id":"paiB2goo0a",
                "scope":"read write dolphin",
                "sub":"Z5O3upPC88QrAjx00dis",
                "birthdate":"1982-02-01",
                "given_name":"John",
                "family_name":"Doe",
                "jti":"t1FoCCaZd4Xv4ORJUWVUeTZfsKhW30CQCrWDDjwXy6w"
             }
        }
        """

    /// JARM 2.3.1: the response in a query. Its payload is that of 2.1.
    private static let response =
        "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2FjY291bnRzLm"
        + "V4YW1wbGUuY29tIiwiYXVkIjoiczZCaGRSa3F0MyIsImV4cCI6MTMxMTI4MTk3MCwiY29kZSI6IlB5eU"
        + "ZhdXgybzdRMFlmWEJVMzJqaHcuNUZYU1FwdnI4YWt2OUNlUkRTZDBRQSIsInN0YXRlIjoiUzhOSjd1cW"
        + "s1Zlk0RWpOdlBfR19GdHlKdTZwVXN2SDlqc1luaTlkTUFKdyJ9.HkdJ_TYgwBBj10C-aWuNUiA062Amq"
        + "2b0_oyuc5P0aMTQphAqC2o9WbGSkpfuHVBowlb-zJ15tBvXDIABL_t83q6ajvjtq_pqsByiRK2dLVdUw"
        + "KhW3P_9wjvI0K20gdoTNbNlP9Z41mhart4BqraIoI8e-L_EfAHfhCG_DDDv7Yg"

    /// RFC 9449 figure 8: an access token bound to the key of figures 2 to 14.
    private static let boundToken =
        "eyJhbGciOiJFUzI1NiIsImtpZCI6IkJlQUxrYiJ9.eyJzdWIiOiJzb21lb25lQGV4YW1"
        + "wbGUuY29tIiwiaXNzIjoiaHR0cHM6Ly9zZXJ2ZXIuZXhhbXBsZS5jb20iLCJuYmYiOjE"
        + "1NjIyNjI2MTEsImV4cCI6MTU2MjI2NjIxNiwiY25mIjp7ImprdCI6IjBaY09DT1JaTll"
        + "5LURXcHFxMzBqWnlKR0hUTjBkMkhnbEJWM3VpZ3VBNEkifX0.3Tyo8VTcn6u_PboUmAO"
        + "YUY1kfAavomW_YwYMkmRNizLJoQzWy2fCo79Zi5yObpIzjWb5xW4OGld7ESZrh0fsrA"

    private static func payload(_ token: String) throws -> [UInt8] {
        let part = try need(token.split(separator: ".").dropFirst().first)
        return try need(Base64URL.decode(String(part).utf8.span))
    }

    private static func object(_ json: some Sequence<UInt8>) throws -> NSDictionary {
        try need(JSONSerialization.jsonObject(with: Data(json)) as? NSDictionary)
    }

    private static func sign(_ payload: [UInt8], type: String? = nil) throws -> String {
        try JWTIssuer(
            key: TestKeys.providerSigning, algorithm: .rs256, requiresExpiration: false, type: type
        ).issue(json: payload)
    }

    private static func handler(
        issuer: String, resource: String
    ) async throws -> (provider: ClientTokenIssuer, reader: Introspector) {
        let profile = OpenIDProfile.openID
        let metadata = try TestEnvironment.metadata(
            at: issuer, profile,
            additional: ["introspection_endpoint": "https://as.example.com/introspect"])
        let provider = try TestEnvironment.provider(profile, metadata)
        let client = try provider.client(
            ClientRegistration(clientID: resource, redirectURIs: [], secret: ClientSecret("s")))
        let reader = try Introspector(
            profile: profile, metadata: metadata, clientID: resource, keys: TestKeys.party,
            secret: ClientSecret("s"), providerKeys: TestKeys.provider.publicKeys)
        return (try await client.tokenIssuer(), reader)
    }

    @Test("RFC 9701 5: the printed payload is read, and the provider writes the same payload")
    func introspection() async throws {
        let now = try need(NumericDate(exactly: 1_514_797_892))
        let handler = try await Self.handler(
            issuer: "https://as.example.com/", resource: "https://rs.example.com/resource")
        let printed = Array(Self.introspection.utf8)
        let reported = try await handler.reader.response(
            Self.sign(printed, type: "token-introspection+jwt"),
            contentType: IntrospectionHandler.type, at: now)
        #expect(reported.isActive && reported.scopes == ["read", "write", "dolphin"])
        #expect(reported["sub"] == "Z5O3upPC88QrAjx00dis" && reported["client_id"] == "paiB2goo0a")
        #expect(reported["birthdate"] == "1982-02-01" && reported["family_name"] == "Doe")
        #expect(reported.binding.isEmpty)
        // The same response, made from what a provider knows of the token.
        let made = try handler.provider.introspection(
            .active([
                "iss": "https://as.example.com/", "aud": "https://rs.example.com/resource",
                "iat": 1_514_797_822, "exp": 1_514_797_942, "client_id": "paiB2goo0a",
                "scope": "read write dolphin", "sub": "Z5O3upPC88QrAjx00dis",
                "birthdate": "1982-02-01", "given_name": "John", "family_name": "Doe",
                "jti": "t1FoCCaZd4Xv4ORJUWVUeTZfsKhW30CQCrWDDjwXy6w",
            ]), at: now)
        #expect(try Self.object(Self.payload(made)) == Self.object(printed))
        // After the printed `exp` and the leeway the response is rejected.
        let later = now.advanced(by: .seconds(50 + 60))
        let ended = try await handler.reader.response(
            Self.sign(printed, type: "token-introspection+jwt"),
            contentType: IntrospectionHandler.type, at: later)
        #expect(!ended.isActive && ended["sub"] == nil)
    }

    @Test("JARM 2.1 and 2.3.1: the printed response, signed again, is read and written")
    func jarm() async throws {
        let issuer = "https://accounts.example.com"
        let state = "S8NJ7uqk5fY4EjNvP_G_FtyJu6pUsvH9jsYni9dMAJw"
        let code = "PyyFaux2o7Q0YfXBU32jhw.5FXSQpvr8akv9CeRDSd0QA"
        let now = try need(NumericDate(exactly: 1_311_281_970 - 300))
        let profile = JARMTests.profile(.signed, .queryJWT)
        let metadata = try TestEnvironment.metadata(at: issuer, profile)
        let party = try TestEnvironment.party(
            profile, metadata, clientID: "s6BhdRkqt3", redirectURI: "https://client.example.com/cb",
            secret: ClientSecret("s"))
        let session = try JSONDecoder().decode(
            AuthorizationSession.self,
            from: Data(
                #"""
                {"clientID":"s6BhdRkqt3","issuer":"\#(issuer)",\#
                "redirectURI":"https://client.example.com/cb",
                "state":"\#(state)","nonce":"n","acrValues":[],"requiredClaims":[],"subjects":[],
                "responseMode":"query.jwt"}
                """#.utf8))
        await expectRejection("signature-invalid") {
            _ = try await party.authorizationResponse(
                query: "response=" + Self.response, for: session, at: now)
        }
        let printed = try Self.payload(Self.response)
        #expect(
            try await party.authorizationResponse(
                query: "response=" + Self.sign(printed), for: session, at: now) == .code(code))
        // The same response, made by a provider.
        let provider = try TestEnvironment.provider(profile, metadata)
        let client = try provider.client(
            ClientRegistration(
                clientID: "s6BhdRkqt3", redirectURIs: ["https://client.example.com/cb"],
                secret: ClientSecret("s")))
        let started = try await party.start(TestEnvironment.request(profile), at: now)
        let asked = query(started.url).replacing(started.session.state, with: state)
        let received = try await client.receiveAuthorizationRequest(asked, at: now).accepted()
        let redirect = try await client.redirect(code: code, for: received, at: now)
        // Our provider adds `iat`.
        let made = try Self.object(Self.payload(need(redirect.parameters["response"])))
        let wanted = try need(Self.object(printed).mutableCopy() as? NSMutableDictionary)
        wanted["iat"] = now.seconds
        #expect(made == wanted, "\(made.allKeys)")
    }

    @Test("RFC 9449 6.1 and 6.2: figures 8 to 11, a token and a response bound to the proof key")
    func bound() async throws {
        let issuer = "https://server.example.com"
        let now = try need(NumericDate(exactly: 1_562_262_616))
        let payload = try Self.payload(Self.boundToken)
        let printed = """
            {
              "sub":"someone@example.com",
              "iss":"https://server.example.com",
              "nbf":1562262611,
              "exp":1562266216,
              "cnf":
              {
                "jkt":"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
              }
            }
            """
        #expect(try Self.object(payload) == Self.object(printed.utf8))
        let key = TestKeys.key("rfc9449.json", "dpop-ec", "k", nil)
        let thumbprint = try key.thumbprint()
        let handler = try await Self.handler(
            issuer: issuer, resource: "https://resource.example.org")
        let reported = try await handler.reader.response(
            Self.sign(
                Array(
                    #"""
                    {"iss":"\#(issuer)","aud":"https://resource.example.org","iat":1562262616,
                    "token_introspection":{"active":true,\#
                    \#(String(decoding: payload, as: UTF8.self).dropFirst())}
                    """#.utf8), type: "token-introspection+jwt"),
            contentType: IntrospectionHandler.type, at: now)
        #expect(reported.isActive && reported["sub"] == "someone@example.com")
        #expect(reported.binding == TokenBinding(keyThumbprint: thumbprint))
        // RFC 9068 requires a type and more claims. With them, the bound token is rejected as a
        // bearer token.
        let server = try ResourceServer(
            issuer: issuer, audiences: ["https://resource.example.org"],
            keys: TestKeys.provider.publicKeys)
        func check(_ token: String) async throws {
            try await server.get(
                "Bearer " + token, url: "https://resource.example.org/protectedresource", at: now)
        }
        await expectRejection("claim-rejected typ") { try await check(Self.boundToken) }
        await expectRejection("claim-rejected typ") { try await check(Self.sign(payload)) }
        let whole =
            #"{"aud":"https://resource.example.org","client_id":"c","iat":1562262611,"jti":"j","#
            + String(decoding: payload.dropFirst(), as: UTF8.self)
        await expectRejection("claim-rejected cnf") {
            try await check(Self.sign(Array(whole.utf8), type: "at+jwt"))
        }
    }
}
