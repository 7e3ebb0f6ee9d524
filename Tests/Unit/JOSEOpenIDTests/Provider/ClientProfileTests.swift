// Clients of one provider with different authentication, layers and required parameters.

import JOSE
import JOSEOpenID
import Testing

@Suite("Clients with their own profiles")
struct ClientProfileTests {
    /// Core's defaults, the same with private_key_jwt, and with ID Token, UserInfo, object and
    /// assertion nested.
    private static let profiles: [OpenIDProfile] = {
        var assertion = OpenIDProfile.openID
        assertion.client.authentication = .assertion(.signed)
        var nested = OpenIDProfile.openID
        nested.client.authentication = .assertion(.signedThenEncrypted)
        nested.idToken.layers = .signedThenEncrypted
        nested.userInfo.layers = .signedThenEncrypted
        nested.requestObject.layers = .signedThenEncrypted
        nested.requestObject.isRequired = true
        nested.requestObject.delivery = .byValue
        return [.openID, assertion, nested]
    }()

    private struct Side {
        let party: RelyingParty
        let client: RegisteredClient
        let name: String
    }

    private let provider: OpenIDProvider
    private let sides: [Side]

    init() throws {
        let profiles = Self.profiles
        let issuer = TestEnvironment.issuer
        let metadata = try TestEnvironment.metadata(
            at: issuer, .openID, clientProfiles: Array(profiles.dropFirst()))
        let provider = try TestEnvironment.provider(.openID, metadata)
        self.provider = provider
        sides = try profiles.enumerated().map { index, profile in
            let name = "client-\(index)"
            var registration = TestEnvironment.registration(name)
            if index > 0 { registration.profile = profile }
            // The relying party knows only the published metadata.
            let read = try ProviderMetadata(
                json: provider.discoveryDocument(), issuer: issuer, profile: profile)
            return Side(
                party: try TestEnvironment.party(profile, read, clientID: name),
                client: try provider.client(registration),
                name: name)
        }
    }

    private func received(_ side: Side) async throws -> (
        AuthorizationStart, ReceivedAuthorization
    ) {
        let started = try await side.party.start(AuthorizationRequest(), at: .testNow)
        let received = try await side.client.receive(started)
        return (started, received)
    }

    @Test("each client completes a login at the one provider") func logins() async throws {
        for (side, profile) in zip(sides, Self.profiles) {
            let (started, received) = try await received(side)
            #expect(received.isSigned == profile.requestObject.isRequired)
            let grant = try await side.client.grant(received, at: .testNow)
            let request = try await side.party.tokenRequest(grant.code, started.session)
            let header = request.authorization
            #expect((header != nil) == (profile.client.authentication == .basic))
            #expect(
                try provider.unverifiedClientID(tokenRequest: request.body, authorization: header)
                    == side.name)
            let proved = try await side.client.receiveTokenRequest(
                request.body, authorization: header, at: .testNow)
            try await side.client.redeem(proved, grant, at: .testNow)
            let responses = try await side.client.tokenIssuer()
            let token = try responses.idToken(
                for: received, UserAuthentication(subject: "user-1", time: TestEnvironment.now),
                at: .testNow)
            #expect(
                token.count(where: { $0 == "." })
                    == (profile.idToken.layers == .signed ? 2 : 4))
            let opened = try await side.party.open(token, started)
            #expect(
                responses.userInfoMediaType
                    == (profile.userInfo.layers == nil ? "application/json" : "application/jwt"))
            _ = try await side.party.verifyUserInfo(
                responses.userInfo(subject: "user-1", at: .testNow), for: opened,
                contentType: responses.userInfoMediaType, at: .testNow)
        }
    }

    @Test("a client cannot use another client's authentication method or request format")
    func crossed() async throws {
        for (place, side) in sides.enumerated() {
            for (other, foreign) in Self.profiles.enumerated() where other != place {
                let party = try TestEnvironment.party(
                    foreign, provider.metadata, clientID: side.name)
                let started = try await party.start(AuthorizationRequest(), at: .testNow)
                let request = try await party.tokenRequest("c", started.session)
                do {
                    _ = try await side.client.receive(request)
                    Issue.record("\(place) proved itself as \(other) does")
                } catch {
                    #expect(TokenError(rejecting: error).code == .invalidClient)
                }
            }
        }
        let plain = await query(try sides[0].party.start(AuthorizationRequest(), at: .testNow).url)
            .replacing("client-0", with: "client-2")
        let rejected = try await sides[2].client.browse(plain).rejected()
        #expect(rejected.error.code == .invalidRequest)
    }

    @Test("a client profile outside the provider's published or valid values is misuse")
    func offered() async throws {
        let narrow = try TestEnvironment(.openID)
        for (change, expected) in [
            (
                { $0.client.authentication = .assertion(.signed) },
                "claim-rejected token_endpoint_auth_methods_supported"
            ),
            (
                { $0.idToken.layers = .signedThenEncrypted },
                "claim-rejected id_token_encryption_alg_values_supported"
            ),
            (
                { $0.userInfo.layers = .signed },
                "claim-rejected userinfo_signing_alg_values_supported"
            ),
            (
                { $0.algorithms.signature = [.es256] },
                "claim-rejected id_token_signing_alg_values_supported"
            ), ({ $0.leeway = .seconds(301) }, "misuse"),
            ({ $0.client.codeLifetime = .seconds(0) }, "misuse"),
        ] as [((inout OpenIDProfile) -> Void, String)] {
            var registration = TestEnvironment.registration("c")
            registration.profile = .openID.with(change)
            await expectRejection(expected) { _ = try narrow.provider.client(registration) }
            await expectRejection(expected) {
                _ = try narrow.provider.tokenIssuer(
                    for: registration, keys: TestKeys.party.publicKeys)
            }
        }
    }

    @Test("the metadata list the values of all profiles and no others") func document() {
        let metadata = provider.metadata
        #expect(
            metadata.list("token_endpoint_auth_methods_supported")
                == ["client_secret_basic", "client_secret_post", "private_key_jwt"])
        #expect(metadata.list("id_token_encryption_alg_values_supported")?.count == 2)
        #expect(metadata["require_signed_request_object"] == nil)
        #expect(metadata.list("response_types_supported") == ["code"])
    }

    @Test(
        "the token request has client_id if the profile requires it",
        arguments: TestEnvironment.all)
    func clientID(_ preset: OpenIDProfile) async throws {
        for sends in [true, false] {
            var profile = preset
            profile.client.sendsClientID = sends
            let env = try TestEnvironment(profile)
            let login = try await Login(env)
            let request = try await login.tokenRequest()
            #expect(request.parameters["client_id"] == (sends ? TestEnvironment.clientID : nil))
            _ = try await env.client.receive(request)
        }
    }
}
