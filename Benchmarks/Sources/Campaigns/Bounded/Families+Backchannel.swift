// Requests for users without a browser, what they are answered, and a provider's call.

import JOSE
import JOSEOpenID

extension Bounded {
    static func backchannelFamilies() throws -> [Family] {
        let env = try EndpointEnvironment()
        let sizes = [4_096, 16_384, 60_000]
        let forms: [(String, (Int) -> String)] = [
            ("one long message", { "binding_message=" + String(repeating: "a", count: $0 - 20) }),
            ("many scopes", { "scope=openid" + String(repeating: "+a", count: ($0 - 20) / 2) }),
            ("escapes", { "login_hint=" + String(repeating: "%61", count: ($0 - 20) / 3) }),
            (
                "a long token",
                { "client_notification_token=" + String(repeating: "a", count: $0 - 30) }
            ),
            ("an object of dots", { "request=" + String(repeating: ".", count: $0 - 20) }),
            ("many hints", { size in fill(size, "&") { _ in "login_hint=a" } }),
        ]
        let plain = families("backchannel: ", sizes, forms) {
            env.post($0, to: .backchannel)
        } valid: {
            try env.accepted(
                "scope=openid&login_hint=" + String(repeating: "a", count: $0 - 100),
                at: .backchannel)
        }
        let objects = shapeFamilies("backchannel object: ", sizes) {
            env.post(try request($0, env), to: .backchannel)
        } accepted: {
            try env.accepted(request($0, env), at: .backchannel)
        }
        let calls = [
            ("spaces behind the scheme", { "Bearer" + String(repeating: " ", count: $0) }),
            ("a long token", { "Bearer " + String(repeating: "a", count: $0) }),
        ].map { (name: String, header: @escaping (Int) -> String) in
            Family(
                name: "backchannel call: " + name, sizes: sizes,
                hostile: { size in
                    let text = header(size)
                    return Sample(bytes: size) {
                        _ = try? ReceivedPing(authorization: text, body: BackchannelCall.text)
                    }
                },
                valid: { size in
                    let body =
                        BackchannelCall.text.dropLast() + #","own":""#
                        + String(repeating: "a", count: size - 60) + #""}"#
                    return Sample(bytes: size) {
                        _ = try? ReceivedPing(authorization: "Bearer a", body: String(body))
                    }
                })
        }
        return plain + objects + calls
    }

    /// A signed request with these members besides.
    private static func request(_ members: String, _ env: EndpointEnvironment) throws -> String {
        let seconds = env.now.seconds
        return "request="
            + (try env.signed(
                #"{"iss":"c","aud":"\#(EndpointEnvironment.issuer)","iat":\#(seconds),"nbf":\#(seconds),"#
                    + #""exp":\#(seconds + 60),"jti":"j","scope":"openid","login_hint":"a",\#(members)}"#
            ))
    }

    private static func fill(
        _ bytes: Int, _ separator: String, _ part: (Int) -> String
    ) -> String {
        let one = part(0).utf8.count + separator.utf8.count
        return (0..<(bytes / one)).map(part).joined(separator: separator)
    }
}

/// What a provider posts to a client whose user decided.
private enum BackchannelCall {
    static let text = #"{"auth_req_id":"aaaaaaaaaaaaaaaaaaaaaa"}"#
}
