// What comes to a provider: forms, HTTP Basic, several resources, request objects signed and
// nested, addresses of them.

import JOSE
import JOSEOpenID

extension Bounded {
    private static let formSizes = [4_096, 16_384, 65_536]

    static func providerFamilies() throws -> [Family] {
        let env = try ProviderEnvironment()
        return formFamilies() + basicFamilies(env) + resourceFamilies(env)
            + objectFamilies(env) + queryFamilies(env) + addressFamilies(env)
    }

    // ---- forms and queries, beside one of ordinary parameters

    private static func formFamilies() -> [Family] {
        let kinds: [(String, (Int) -> String)] = [
            ("one long name", { String(repeating: "a", count: $0 - 10) + "=b" }),
            (
                "names alike",
                { size in
                    let name = String(repeating: "a", count: size / 64 - 8)
                    return parameters(64) { "\(name)\($0)=" }
                }
            ),
            (
                "a name twice at the end",
                { size in
                    let name = String(repeating: "a", count: size / 64 - 8)
                    return parameters(63) { "\(name)\($0)=b" } + "&\(name)0=b"
                }
            ),
            (
                "names in escapes",
                { size in
                    let name = String(repeating: "%61", count: (size / 64 - 8) / 3)
                    return parameters(64) { "\(name)\($0)=b" }
                }
            ),
            (
                "values that are no text",
                { size in
                    let value = String(repeating: "%E9", count: (size / 64 - 12) / 3)
                    return parameters(64) { "name_\($0)=\(value)" }
                }
            ),
            (
                "a description that is no text",
                {
                    "error_description=" + String(repeating: "%FF", count: ($0 - 20) / 3)
                }
            ),
            (
                "a description that is badly encoded",
                {
                    "error_description=" + String(repeating: "a", count: $0 - 20) + "%"
                }
            ),
            (
                "white space of JSON",
                {
                    "claims=" + String(repeating: "%0A", count: ($0 - 20) / 3) + "%7B%7D"
                }
            ),
            (
                "escapes and letters in turn",
                { "state=" + String(repeating: "%61a", count: ($0 - 20) / 4) }
            ),
            (
                "letters of two bytes",
                { "state=" + String(repeating: "%C3%A9", count: ($0 - 20) / 6) }
            ),
            (
                "letters of another script",
                { "state=" + String(repeating: "%CE%B1", count: ($0 - 20) / 6) }
            ),
            (
                "letters with marks",
                {
                    let letter = "a" + String(repeating: "%CC%81%CC%96", count: 15)
                    return "state=" + String(repeating: letter, count: ($0 - 20) / 181)
                }
            ),
            ("equals signs", { String(repeating: "=", count: $0 - 10) }),
            ("plus signs", { "a=" + String(repeating: "+", count: $0 - 10) }),
            ("parameters beyond the limit", { parameters(($0 - 10) / 4) { _ in "a=b" } }),
        ]
        return kinds.map { name, form in
            Family(
                name: "form: " + name, sizes: formSizes,
                hostile: { decoding(form($0)) }, valid: { decoding(ordinaryForm($0)) })
        }
    }

    private static func parameters(_ count: Int, _ part: (Int) -> String) -> String {
        (0..<count).map(part).joined(separator: "&")
    }

    private static func ordinaryForm(_ size: Int) -> String {
        let value = String(repeating: "a", count: (size - 400) / 32)
        return parameters(32) { "name_\($0)=\(value)" }
    }

    private static func decoding(_ form: String) -> Sample {
        Sample(bytes: form.utf8.count) { _ = try? OpenIDParameters(decoding: form) }
    }

    // ---- HTTP Basic, up to 8,192 characters, beside the right pair with a secret as long

    private static func basicFamilies(_ env: ProviderEnvironment) -> [Family] {
        let kinds: [(String, (Int) -> String)] = [
            ("a wrong secret", { "c:" + String(repeating: "x", count: $0) }),
            ("a long name", { String(repeating: "c", count: $0 - 2) + ":s" }),
            ("colons", { String(repeating: ":", count: $0) }),
            ("colons behind the name", { "c" + String(repeating: ":", count: $0 - 1) }),
            ("escapes", { "c:" + String(repeating: "%61", count: ($0 - 2) / 3) }),
            ("broken escapes", { "c:" + String(repeating: "%61", count: ($0 - 4) / 3) + "%" }),
            (
                "plus signs",
                {
                    String(repeating: "+", count: $0 / 2) + ":"
                        + String(repeating: "+", count: $0 / 2)
                }
            ),
        ]
        let sizes = [512, 2_048, 8_192]
        let texts = kinds.map { name, pair in (name, { env.basic(pair($0 * 3 / 4 - 6)) }) }
        let raw: [(String, (Int) -> String)] = [
            ("spaces behind the scheme", { "Basic" + String(repeating: " ", count: $0 - 5) }),
            ("a long scheme", { String(repeating: "b", count: $0) }),
            ("a scheme of other letters", { String(repeating: "İ", count: $0 / 2) }),
            (
                "base64 that ends wrong",
                { "Basic " + String(repeating: "YTph", count: $0 / 4 - 2) + "=" }
            ),
        ]
        return (texts + raw).map { name, header in
            Family(
                name: "basic: " + name, sizes: sizes,
                hostile: { env.tokenRequest(header: header($0)) },
                valid: { size in
                    try env.provedBySecret(size * 3 / 4 - 8)
                })
        }
    }

    // ---- several resources, beside as many ordinary ones

    private static func resourceFamilies(_ env: ProviderEnvironment) -> [Family] {
        let kinds: [(String, (Int) -> String)] = [
            (
                "one long address",
                { "resource=https://r.example/" + String(repeating: "a", count: $0 - 100) }
            ),
            (
                "hosts of many labels",
                { size in
                    let host = String(repeating: "a.", count: min(100, size / 120 - 20))
                    return parameters(60) { "resource=https://\(host)r\($0).example/" }
                }
            ),
            (
                "paths in escapes",
                { size in
                    let path = String(repeating: "%2541", count: (size / 60 - 40) / 5)
                    return parameters(60) { "resource=https://r.example/\(path)\($0)" }
                }
            ),
            (
                "schemes that nobody has",
                { size in
                    let scheme = String(repeating: "a", count: size / 60 - 20)
                    return parameters(60) { "resource=\(scheme)\($0):x" }
                }
            ),
            (
                "addresses that are none",
                { size in
                    let path = String(repeating: "a", count: size / 60 - 40)
                    return parameters(60) {
                        "resource=https://r.example/\(path)\($0 == 59 ? "%5E" : "")"
                    }
                }
            ),
        ]
        return kinds.map { name, form in
            Family(
                name: "resource: " + name, sizes: formSizes,
                hostile: { env.tokenRequest(form($0 - 60)) },
                valid: { size in
                    let path = String(repeating: "a", count: size / 60 - 42)
                    return env.tokenRequest(
                        parameters(60) { "resource=https://r.example/\(path)\($0)" })
                })
        }
    }

    // ---- request objects by reference, up to the limit on tokens, beside one of ordinary
    // parameters

    private static func objectFamilies(_ env: ProviderEnvironment) -> [Family] {
        var list = Shape.allCases.map { shape in
            (shape.rawValue, { (bytes: Int) in shape.members(bytes) })
        }
        list += [
            (
                "members that nobody knows",
                { bytes in
                    let value = String(repeating: "v", count: max(1, bytes / 240 - 24))
                    return (0..<240).map { #""other_\#($0)":["\#(value)"]"# }.joined(separator: ",")
                }
            ),
            (
                "a claims request of many claims",
                { bytes in
                    #""claims":{"userinfo":{"# + fill(bytes - 40) { #""c\#($0)":null"# } + "}}"
                }
            ),
            (
                "a claims request of one long text",
                { bytes in
                    #""claims":{"userinfo":{"a":{"value":""#
                        + String(repeating: "a", count: bytes - 60)
                        + #""}}}"#
                }
            ),
            (
                "many login_hint",
                { bytes in
                    #""login_hint":["# + fill(bytes - 20) { #""h\#($0)""# } + "]"
                }
            ),
            (
                "long resources",
                { bytes in
                    let path = String(repeating: "a", count: max(1, bytes / 62 - 32))
                    return #""resource":["#
                        + (0..<60).map { #""https://r.example/\#(path)\#($0)""# }.joined(
                            separator: ",")
                        + "]"
                }
            ),
            (
                "a long scope",
                { bytes in
                    #""scope":"openid"# + String(repeating: " a", count: max(0, bytes / 2 - 12))
                        + "\""
                }
            ),
        ]
        let limit = JOSELimits.standard.tokenBytes
        return [false, true].flatMap { isNested in
            list.map { name, members in
                Family(
                    name: (isNested ? "nested object: " : "object: ") + name,
                    sizes: [limit / 16, limit / 4, limit],
                    hostile: { try env.object(members, $0, isNested) },
                    valid: { size in
                        try env.acceptedObject(
                            Shape.ordinaryMembers, size, isNested)
                    })
            }
        }
    }

    // ---- a request in the query: what it asks is read more than once

    private static func queryFamilies(_ env: ProviderEnvironment) -> [Family] {
        let kinds: [(String, (Int) -> String)] = [
            (
                "a claims request of white space",
                {
                    "claims=" + String(repeating: "%0A", count: ($0 - 20) / 3) + "%7B%7D"
                }
            ),
            (
                "a claims request of many contexts",
                { size in
                    "claims=%7B%22id_token%22:%7B%22acr%22:%7B%22values%22:%5B"
                        + (0..<400).map { _ in
                            "%22" + String(repeating: "a", count: max(1, size / 400 - 20)) + "%22"
                        }
                        .joined(separator: ",") + "%5D%7D%7D%7D"
                }
            ),
            ("many contexts", { "acr_values=a" + String(repeating: "+a", count: ($0 - 20) / 2) }),
            ("many scopes", { "scope=openid" + String(repeating: "+a", count: ($0 - 20) / 2) }),
            (
                "idp_params of brackets",
                {
                    "idp_params=" + String(repeating: "%5B", count: ($0 - 20) / 3)
                }
            ),
        ]
        return kinds.map { name, query in
            Family(
                name: "query: " + name, sizes: formSizes,
                hostile: { env.request(query($0 - 120)) },
                valid: { env.request(ordinaryForm($0 - 120)) })
        }
    }

    // ---- the address of a request object, up to 512 characters

    private static func addressFamilies(_ env: ProviderEnvironment) -> [Family] {
        let kinds: [(String, (Int) -> String)] = [
            ("many segments", { "https://rp.example/" + String(repeating: "a/", count: $0 / 2) }),
            ("dot segments", { "https://rp.example/" + String(repeating: "../", count: $0 / 3) }),
            ("slashes", { "https://rp.example/" + String(repeating: "/", count: $0) }),
            ("labels", { "https://" + String(repeating: "a.", count: $0 / 2) + "example/" }),
            ("colons", { "https://[" + String(repeating: ":", count: $0) + "]/" }),
            ("escapes", { "https://rp.example/" + String(repeating: "%2541", count: $0 / 5) }),
        ]
        return kinds.map { name, address in
            Family(
                name: "address: " + name, sizes: [128, 256, 500],
                hostile: { size in
                    env.request("request_uri=" + String(address(size - 30).prefix(size)))
                },
                valid: { size in
                    env.request(
                        "request_uri=https://rp.example/o/"
                            + String(repeating: "a", count: size - 30))
                })
        }
    }
}
