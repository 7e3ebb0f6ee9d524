// What is pushed to a provider, and answers at the redirect address that are signed tokens.

import JOSE
import JOSEOpenID

extension Bounded {
    static func pushedFamilies() throws -> [Family] {
        let world = try EndpointWorld()
        // Less what every form holds.
        let sizes = [4_096, 16_384, 60_000].map { $0 - 220 }
        let forms: [(String, (Int) -> String)] = [
            ("one long state", { "state=" + String(repeating: "a", count: $0 - 20) }),
            ("many scopes", { "scope=openid" + String(repeating: "+a", count: ($0 - 20) / 2) }),
            (
                "a claims request of white space",
                { "claims=" + String(repeating: "%0A", count: ($0 - 20) / 3) + "%7B%7D" }
            ),
            (
                "what proves the client, at the end",
                { "x=" + String(repeating: "a", count: $0 - 40) + "&client_secret=a" }
            ),
            ("an object of dots", { "request=" + String(repeating: ".", count: $0 - 20) }),
            ("a reference", { "request_uri=" + String(repeating: "a", count: $0 - 20) }),
        ]
        let pushed = families("pushed: ", sizes, forms) {
            world.post(form($0), to: .pushed)
        } valid: {
            try world.accepted(
                form("scope=openid&nonce=" + String(repeating: "a", count: $0)), at: .pushed)
        }
        let responses = shapeFamilies("signed answer: ", sizes) {
            try response($0, world)
        } accepted: {
            let sample = try response($0, world)
            _ = try world.response(responseText($0, world))
            return sample
        }
        return pushed + responses
    }

    private static func form(_ parameters: String) -> String {
        "client_id=c&response_type=code&redirect_uri=https://rp.example/cb&code_challenge_method=S256&"
            + "code_challenge=" + String(repeating: "A", count: 43) + "&" + parameters
    }

    private static func responseText(_ members: String, _ world: EndpointWorld) throws -> String {
        "response="
            + (try world.signed(
                #"{"iss":"\#(EndpointWorld.issuer)","aud":"c","exp":\#(world.now.seconds + 300),"#
                    + #""code":"c","state":"\#(world.session.state)",\#(members)}"#))
    }

    private static func response(_ members: String, _ world: EndpointWorld) throws -> Sample {
        let query = try responseText(members, world)
        return Sample(bytes: query.utf8.count) {
            _ = try? world.response(query)
        }
    }
}
