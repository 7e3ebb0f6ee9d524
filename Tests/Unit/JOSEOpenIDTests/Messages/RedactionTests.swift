// Logging or dumping a value of any type shows no value of a token.

import Foundation
import JOSE
import JOSEBytes
import Testing

@testable import JOSEOpenID

@Suite("Redaction")
struct RedactionTests {
    static let secret = "ZZsecretZZ"

    /// The public types with a value of a token, of a user or of a request, or that lead to one.
    static let redacted: [Any.Type] = [
        PostalAddress.self, IdentityCardInfo.self, DeviceInfo.self, TransactionInfo.self,
        UserPicture.self, Birthdate.self, VerifiedClaims.self, VerifiedIDToken.self,
        VerifiedUserInfo.self, AuthorizationStart.self, AuthorizationSession.self,
        UserAuthentication.self, OpenIDParameter.self, OpenIDParameters.self,
        ActivationResponse.self, ActivationStart.self, AuthorizationRequest.self,
        ClaimsRequest.self, ClaimsRequest.ClaimRequest.self, TokenRequest.self,
        OpenIDHTTPRequest.self, TokenResponse.self, AuthorizationResponse.self,
        ReceivedAuthorization.self, ReceivedTokenRequest.self, CodeGrant.self,
        AuthorizationRedirect.self, BearerToken.self, OpenIDHTTPResponse.self, ClientSecret.self,
        PKCE.self, StateBinding.self, StateSource.self, RelyingParty.self, PushedAuthorization.self,
        PushedAuthorizationResponse.self, PushedRequest.self, VerifiedLogoutToken.self,
        AccessTokenResponse.self, RefreshFamily.self, IssuedRefreshToken.self,
        ReceivedRefreshRequest.self,
        OpenIDProvider.self, RegisteredClient.self, ClientTokenIssuer.self,
        DPoPProver.self, DPoPNonce.self, DPoPNonces.self, DPoPVerifier.self, VerifiedDPoPProof.self,
        ResourceRequest.self, ResourceServer.self, ResourceError.self, VerifiedAccessToken.self,
        TokenBinding.self, AccessGrant.self, IntrospectionResponse.self, Introspector.self,
        ReceivedIntrospection.self, TokenState.self, ResourceServer.Issuer.self,
        RegisteredClient.ReceivedClientCredentials.self, RegisteredClient.ReceivedRevocation.self,
        RegisteredClient.ReceivedLogout.self,
        BackchannelRequest.self, UserHint.self, BackchannelAuthentication.self,
        BackchannelResponse.self, BackchannelSession.self, ReceivedPing.self,
        ReceivedBackchannelRequest.self, PendingAuthentication.self,
        ReceivedBackchannelPoll.self,
    ]
    /// The types without one: rules, names and codes, and types that only contain types of the
    /// first list.
    static let others: Set<String> = [
        "RejectedAuthorization", "AuthorizationError",
        "TokenError", "BearerError", "OAuthErrorCode", "NoClaims",
        "MemoryReplayStore", "ClientRegistration", "RequestURIRule", "ProviderMetadata",
        "ClaimName", "ClaimNames", "ScopeClaims", "TokenHeaderRules", "Level", "System", "Method",
        "DeliveryMode", "Format", "OpenIDProfile", "TokenLayers", "AlgorithmRules",
        "MessageAudience",
        "ClientAuthentication", "ClientRules", "RequestObjectRules", "RequestObjectDelivery",
        "IDTokenRules", "UserInfoRules", "AuthorizationRules",
        "ParameterRule", "LoginHintRule", "ACRRule",
        "ResponseMode", "Status", "Carrier", "JARMRules",
        "LogoutTokenRules", "IDTokenSignature", "IgnoredMember", "AccessTokenRules",
        "AccessTokenType",
        "DPoPRequirement", "DPoPRules", "IntrospectionRules", "ResourceRules",
        "Metadata",
        "PushedRequestRules",
        "MemoryPushedRequestStore", "PushedRequestStoreError",
        "RequestResult", "RejectedRequest", "BackchannelPollResult", "BackchannelRegistration",
        "BackchannelDelivery", "BackchannelRules", "UserDecision",
    ]

    @Test("every type with a secret value has a description without values")
    func types() {
        // The types that they are read from are redacted too.
        let roots: [Any.Type] = [StrictMembers.self, JSONDocument.self]
        for type in Self.redacted + roots {
            #expect(type is any RedactedDescription.Type, "\(type)")
        }
    }

    @Test("every public type is in one of the two lists")
    func complete() throws {
        let sources = TestKeys.vectors.appending(path: "../Sources/JOSEOpenID").standardizedFileURL
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        let declaration = #/^ *public (?:struct|enum|final class|indirect enum) (\w+)/#
            .anchorsMatchLineEndings()
        var names: Set<String> = []
        for file in files where file.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
            for match in text.matches(of: declaration) { names.insert(String(match.1)) }
        }
        #expect(names.count > 60)
        let known = Set(Self.redacted.map { "\($0)" }).union(Self.others)
        #expect(names.subtracting(known).isEmpty)
        #expect(known.subtracting(names).isEmpty)
    }

    private func expectSilent(_ value: Any) {
        var dumped = ""
        dump(value, to: &dumped)
        for text in [String(describing: value), String(reflecting: value), "\([value])", dumped] {
            #expect(!text.contains(Self.secret), "\(type(of: value)): \(text)")
        }
    }

    @Test("printing or dumping shows no value") func values() async throws {
        let secret = Self.secret
        let members = #"{"a":"\#(secret)"}"#
        let document = try JSONDocument(Array(members.utf8), maxDepth: 8)
        let strict = StrictMembers(document)
        var user = UserAuthentication(subject: secret, acr: secret)
        user.accessToken = secret
        var request = AuthorizationRequest(scopes: [secret], acrValues: [secret])
        request.loginHints = [secret]
        let parameters = urlForm(["x": secret])
        let activation = ActivationStart(
            activationCode: secret, statusURL: nil, completeURL: "https://a.b/\(secret)")
        let env = try TestEnvironment(.openID)
        let started = try await env.party.start(
            AuthorizationRequest(acrValues: [secret]), at: .testNow)
        let token = try await env.party.tokenRequest(code: secret, for: started.session)
        let info = try OpenIDHTTPRequest(
            .get, url: "https://a.b", accessToken: secret, accept: "text/html")
        let claims = ClaimsRequest(idToken: ["sub": .value(.string(secret))])
        let all: [Any] = [
            document, strict, PostalAddress(.members(strict)), IdentityCardInfo(strict),
            DeviceInfo(strict), TransactionInfo(strict), VerifiedClaims(document), user, request,
            parameters, parameters.all, parameters.all[0], activation,
            ActivationResponse.started(activation), started, token, token.headers, token.parameters,
            info, info.headers, claims, ClaimsRequest.ClaimRequest.value(.string(secret)),
            UserPicture.url("https://a.b/\(secret)"), StateSource.random,
        ]
        for value in all { expectSilent(value) }
        #expect("\(Birthdate("1990-12-31").map { "\($0)" } ?? "")" == "Birthdate")
    }
}
