// What is pushed to a provider, and answers at the redirect address that are signed tokens.

import JOSE
import JOSEOpenID

extension Bounded {
    static func pushedFamilies() throws -> [Family] {
        let env = try EndpointEnvironment()
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
            env.post(form($0), to: .pushed)
        } valid: {
            try env.accepted(
                form("scope=openid&nonce=" + String(repeating: "a", count: $0)), at: .pushed)
        }
        let responses = shapeFamilies("signed answer: ", sizes) {
            try response($0, env)
        } accepted: {
            let sample = try response($0, env)
            _ = try env.response(responseText($0, env))
            return sample
        }
        return pushed + responses
    }

    private static func form(_ parameters: String) -> String {
        "client_id=c&response_type=code&redirect_uri=https://rp.example/cb&code_challenge_method=S256&"
            + "code_challenge=" + String(repeating: "A", count: 43) + "&" + parameters
    }

    private static func responseText(_ members: String, _ env: EndpointEnvironment) throws -> String
    {
        "response="
            + (try env.signed(
                #"{"iss":"\#(EndpointEnvironment.issuer)","aud":"c","exp":\#(env.now.seconds + 300),"#
                    + #""code":"c","state":"\#(env.session.state)",\#(members)}"#))
    }

    private static func response(_ members: String, _ env: EndpointEnvironment) throws -> Sample {
        let query = try responseText(members, env)
        return Sample(bytes: query.utf8.count) {
            _ = try? env.response(query)
        }
    }
}
