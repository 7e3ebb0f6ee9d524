// Which parameters of a request were in a signed object, and which only in the query.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Signed parameters")
struct ProvenanceTests {
    /// What an attacker may add next to an object, by value or by reference.
    static let additions = [
        OpenIDParameter("login_hint", "32+123456789"),
        OpenIDParameter("code_challenge", TestEnvironment.challenge),
        OpenIDParameter("code_challenge_method", "S256"), OpenIDParameter("display", "page"),
        OpenIDParameter("claims", #"{"userinfo":{"email":null}}"#),
        OpenIDParameter("idp_params", #"{"mitid":{"app_switch_os":"ios"}}"#),
        OpenIDParameter("x_extra", "1"),
        OpenIDParameter("ui_locales", "nl"), OpenIDParameter("prompt", "consent"),
    ]
    static let ways = ["by value", "by reference"]

    /// Each preset with objects that need not be self-contained, and itsme's oldest guide. Then
    /// each with every layer, no required claims and no parameters that the query must repeat.
    static let profilesWithQueryAdditions: [OpenIDProfile] = {
        var oldest = OpenIDProfile.itsme1
        oldest.name = "itsme1, oldest"
        oldest.requestObject.audience = .tokenEndpoint
        oldest.client.authentication = .assertion(.signed)
        let all = (TestEnvironment.all + [oldest]).map { profile in
            var profile = profile
            profile.requestObject.isSelfContained = false
            return profile
        }
        return all + all.map(\.lenient)
    }()

    /// The provider's result for a request object with these parameters next to it.
    private func receive(
        _ env: TestEnvironment, _ way: String, beside: [OpenIDParameter] = [],
        _ change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> AuthorizationResult {
        var request = env.request
        request.delivery = way == "by value" ? .byValue : .byReference(TestEnvironment.requestURI)
        change(&request)
        let started = try await env.party.start(request, at: .testNow)
        let outer = try urlParameters(started.url).all
        let object = started.requestObject
        // Where only the object may be rejected, the error needs a redirect URI.
        return try await env.client.browse(
            addressed(OpenIDParameters(outer + beside).encoded), fetch: { _ in object ?? "" })
    }

    @Test(
        "query-only parameters are accepted and marked unsigned",
        arguments: profilesWithQueryAdditions, ways)
    func unsigned(_ profile: OpenIDProfile, _ way: String) async throws {
        var profile = profile
        profile.authorization.requiresPKCE = false
        profile.authorization.loginHint.format = .any
        // The rule also applies where a preset does not support this delivery.
        profile.requestObject.allowsReference = true
        let env = try TestEnvironment(profile)
        let received = try await receive(env, way, beside: Self.additions).accepted()
        #expect(!received.isSigned)
        for addition in Self.additions {
            #expect(received.parameters[addition.name] == addition.value)
            #expect(!received.isSigned(addition.name), "\(addition.name)")
            #expect(received.signedParameters[addition.name] == nil, "\(addition.name)")
        }
        for name in ["client_id", "response_type", "redirect_uri", "scope", "state", "nonce"] {
            #expect(received.isSigned(name), "\(name)")
            #expect(received.signedParameters[name] == received.parameters[name], "\(name)")
        }
        #expect(!received.isSigned("request") && !received.isSigned("request_uri"))
        #expect(!received.isSigned("absent"))
    }

    @Test("one parameter outside the object makes the request partly unsigned", arguments: ways)
    func one(_ way: String) async throws {
        let env = try TestEnvironment(.itsme1)
        #expect(try await receive(env, way).accepted().isSigned)
        for addition in Self.additions where addition.name != "code_challenge_method" {
            // A method belongs to its challenge, and the reverse.
            let beside =
                addition.name == "code_challenge"
                ? [addition, OpenIDParameter("code_challenge_method", "S256")] : [addition]
            let received = try await receive(env, way, beside: beside).accepted()
            #expect(!received.isSigned, "\(addition.name)")
            #expect(!received.isSigned(addition.name))
        }
        // A parameter that the object has too adds nothing.
        let same = try await receive(env, way, beside: [OpenIDParameter("ui_locales", "fr")]) {
            $0.locales = ["fr"]
        }.accepted()
        #expect(same.isSigned && same.isSigned("ui_locales"))
    }

    @Test("with request_uri the object's value overrides the query and counts as signed")
    func difference() async throws {
        let env = try TestEnvironment(.itsme1)
        let received = try await receive(
            env, "by reference", beside: [OpenIDParameter("login_hint", "32+999999999")]
        ) { $0.loginHints = ["32+123456789"] }.accepted()
        #expect(received.loginHints == ["32+123456789"])
        #expect(received.isSigned && received.isSigned("login_hint"))
    }

    @Test(
        "an object alone provides all parameters",
        arguments: TestEnvironment.all.filter { $0.requestObject.isSelfContained },
        ways)
    func alone(_ profile: OpenIDProfile, _ way: String) async throws {
        let received = try await receive(
            TestEnvironment(profile), way, beside: [OpenIDParameter("x_extra", "1")]
        ).accepted()
        #expect(received.isSigned)
        #expect(received.parameters["x_extra"] == nil)
        #expect(received.signedParameters == received.parameters)
    }

    @Test("a plain request has no signed parameters", arguments: TestEnvironment.all)
    func plain(_ profile: OpenIDProfile) async throws {
        var request = try TestEnvironment(profile).request
        request.delivery = RequestObjectDelivery.none
        let received = try await Login(TestEnvironment(profile), request).received
        #expect(!received.isSigned && received.signedParameters.all.isEmpty)
        for parameter in received.parameters.all { #expect(!received.isSigned(parameter.name)) }
    }

    @Test("if requests must use objects, the query adds no parameters", arguments: ways)
    func required(_ way: String) async throws {
        let received = try await receive(
            TestEnvironment(.itsme1.with { $0.requestObject.isRequired = true }), way,
            beside: Self.additions
        ).accepted()
        #expect(received.isSigned)
        for addition in Self.additions {
            #expect(received.parameters[addition.name] == nil, "\(addition.name)")
        }
    }

    @Test("an app switch URL outside the object must be on the allow-list", arguments: ways)
    func appSwitch(_ way: String) async throws {
        let profile = OpenIDProfile.netsEIDBroker.with { $0.requestObject.isSelfContained = false }
        let strict = try TestEnvironment(profile)
        let text =
            #"{"mitid":{"enable_app_switch":true,"app_switch_os":"ios","#
            + #""app_switch_url":"https://evil.example/app"}}"#
        let beside = [OpenIDParameter("idp_params", text)]
        let rejected = try await receive(strict, way, beside: beside).rejected()
        #expect(rejected.error.code == .invalidRequest)
        #expect(rejected.cause.message.contains("allow-list"))
        let listing = try TestEnvironment(profile, appSwitchURIs: ["https://evil.example/app"])
        let listed = try await receive(listing, way, beside: beside).accepted()
        #expect(!listed.isSigned("idp_params"))
        let signed = try await receive(strict, way) {
            $0.identityProviderParameters = AuthorizationRequest.appSwitch(
                system: "ios", url: "https://rp.example/app")
        }.accepted()
        #expect(signed.isSigned && signed.isSigned("idp_params"))
    }

    @Test("names are compared byte for byte: another spelling of a signed name is unsigned")
    func names() async throws {
        let env = try TestEnvironment(.itsme1)
        let composed = OpenIDParameter("x\u{e9}", "signed")
        let received = try await receive(
            env, "by reference", beside: [OpenIDParameter("xe\u{301}", "not signed")]
        ) { $0.additional = [composed] }.accepted()
        #expect(received.isSigned("x\u{e9}") && !received.isSigned("xe\u{301}"))
        #expect(received.signedParameters["x\u{e9}"] == "signed")
        #expect(received.signedParameters["xe\u{301}"] == nil)
    }

    @Test("signed markings survive any coder, and a stored count is not trusted")
    func stored() async throws {
        let received = try await receive(
            TestEnvironment(.itsme1), "by value", beside: Self.additions
        ).accepted()
        let data = try JSONEncoder().encode(received)
        let kept = try JSONDecoder().decode(ReceivedAuthorization.self, from: data)
        #expect(kept.signedParameters == received.signedParameters)
        #expect(kept.parameters == received.parameters)
        let count = received.signedParameters.all.count
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains(#""signedCount":\#(count)"#))
        for other in [-1, Int.min, 1_000, Int.max] {
            let changed = text.replacing(
                #""signedCount":\#(count)"#, with: #""signedCount":\#(other)"#)
            let odd = try JSONDecoder().decode(
                ReceivedAuthorization.self, from: Data(changed.utf8))
            #expect(!odd.isSigned)
            #expect(odd.signedParameters.all.count <= received.parameters.all.count)
        }
    }

    @Test(
        "an object alone names its client, and an empty one is rejected",
        arguments: TestEnvironment.all)
    func smallest(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        func cause(_ claims: [String: JSONValue]) async throws -> String? {
            let registered: [String: JSONValue] = [
                "iss": .clientID, "exp": .now(60), "aud": .string(env.objectAudience),
            ]
            let object = try env.partySealed(
                registered.merging(claims) { $1 }, profile.requestObject.layers)
            var plain = env.request
            plain.delivery = RequestObjectDelivery.none
            let outer = try await urlParameters(env.party.start(plain).url).all
            let verdict = try await env.client.browse(outer + [OpenIDParameter("request", object)])
            guard case .rejected(let rejected) = verdict else { return nil }
            return JOSEOpenIDTests.verdict(rejected.cause)
        }
        #expect(try await cause([:]) == "malformed")
        let small = try await cause(["ui_locales": "nl", "response_type": "code"])
        #expect(small == (profile.requestObject.isSelfContained ? "claim-rejected client_id" : nil))
    }
}
