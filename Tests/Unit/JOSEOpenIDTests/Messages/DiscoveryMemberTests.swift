// Our discovery document matches the configuration, and a provider's document is followed.

import JOSE
import JOSEOpenID
import Testing

@Suite("Members of provider metadata")
struct DiscoveryMemberTests {
    @Test(
        "subject types, request_uri support and claims are published as configured",
        arguments: TestEnvironment.all)
    func own(_ profile: OpenIDProfile) throws {
        let metadata = try TestEnvironment.metadata(profile)
        #expect(
            metadata.list("subject_types_supported") == [
                profile.idToken.hasPairwiseSubjects ? "pairwise" : "public"
            ])
        let takes = profile.requestObject.allowsReference
        #expect(metadata["request_uri_parameter_supported"] == .bool(takes))
        #expect(metadata["require_request_uri_registration"] == (takes ? true : nil))
        #expect(metadata["require_signed_request_object"] == nil)
        let claims = try need(metadata.list("claims_supported"))
        for name in ["sub", "iss", "aud", "exp", "iat", "auth_time", "acr"] {
            #expect(claims.contains(name))
        }
        for name in profile.idToken.omittedClaims { #expect(!claims.contains(name)) }
        #expect(Set(claims).count == claims.count)
    }

    @Test("members follow the profile") func changed() throws {
        var profile = OpenIDProfile.signicatMobileID
        profile.idToken.hasPairwiseSubjects = true
        profile.requestObject.allowsReference = false
        profile.requestObject.isRequired = true
        let metadata = try TestEnvironment.metadata(profile)
        #expect(metadata.list("subject_types_supported") == ["pairwise"])
        #expect(metadata["request_uri_parameter_supported"] == false)
        #expect(metadata["require_request_uri_registration"] == nil)
        #expect(metadata["require_signed_request_object"] == true)
        let claims = try need(metadata.list("claims_supported"))
        #expect(claims.contains("deviceName") && claims.contains("externalRef"))
    }

    @Test("a request option that the metadata exclude is not sent")
    func effective() async throws {
        let cases: [(String, JSONValue, RequestObjectDelivery)] = [
            ("request_parameter_supported", false, .byValue),
            ("request_uri_parameter_supported", false, .byReference(TestEnvironment.requestURI)),
            ("require_signed_request_object", true, .none),
        ]
        for (name, value, delivery) in cases {
            let env = try TestEnvironment(.openID, additional: [name: value])
            var request = env.request
            request.delivery = delivery
            await expectRejection("claim-rejected \(name)") {
                _ = try await env.party.start(request)
            }
            for (_, _, other) in cases where other != delivery {
                request.delivery = other
                if name == "require_signed_request_object" || other != .none {
                    _ = try await env.party.start(request)
                }
            }
        }
        await expectRejection("claim-rejected request_parameter_supported") {
            _ = try TestEnvironment(
                .netsEIDBroker, additional: ["request_parameter_supported": false])
        }
    }
}
