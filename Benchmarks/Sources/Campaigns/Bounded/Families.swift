// The families: tokens by header, claims and form; JSON serialisations; key sets and certificates.

import Foundation
import JOSE

extension Bounded {
    static func families() throws -> [Family] {
        let env = try BoundedEnvironment()
        return try headerFamilies(env) + claimFamilies(env) + textFamilies(env)
            + serialisationFamilies(env)
            + encryptionFamilies(env) + keySetFamilies(env) + chainFamilies(env)
            + keyPairFamilies(env)
            + replayFamilies() + openIDFamilies() + claimsRequestFamilies()
            + providerFamilies() + proofFamilies() + pushedFamilies()
            + backchannelFamilies() + externalKeyFamilies()
    }

    /// A quarter and a sixteenth of a limit, and all of it.
    private static func sizes(_ limit: Int) -> [Int] { [limit / 16, limit / 4, limit] }

    private static let headerLimit = JOSELimits.standard.headerBytes
    private static let tokenLimit = JOSELimits.standard.tokenBytes

    // ---- headers: 16,384 characters of base64url, so three quarters of that in JSON

    private static func headerFamilies(_ env: BoundedEnvironment) -> [Family] {
        var list = Shape.allCases.map { shape in
            ("header: " + shape.rawValue, { (bytes: Int) in shape.members(bytes) })
        }
        list += [
            (
                "header: crit of many names",
                { bytes in #""crit":["# + fill(bytes - 10) { #""x\#($0)""# } + "]" }
            ),
            (
                "header: crit of names that are there",
                { bytes in
                    let count = bytes / 16
                    return (0..<count).map { #""x\#($0)":0"# }.joined(separator: ",")
                        + #","crit":["#
                        + (0..<count).map { #""x\#($0)""# }.joined(separator: ",") + "]"
                }
            ),
            (
                "header: a long name in escapes",
                { bytes in #"""# + String(repeating: #"\u0061"#, count: (bytes - 8) / 6) + #"":0"# }
            ),
            (
                "header: crit of one name",
                { bytes in #""crit":["# + fill(bytes - 10) { _ in #""b64""# } + "]" }
            ),
            (
                "header: a long kid",
                { bytes in #""kid":""# + String(repeating: "k", count: bytes - 8) + "\"" }
            ),
            (
                "header: a kid in escapes",
                { bytes in
                    #""kid":""# + String(repeating: #"\u006b"#, count: min(bytes - 8, 6_000) / 6)
                        + "\""
                }
            ),
            (
                "header: x5c of much base64",
                { bytes in #""x5c":[""# + String(repeating: "MIIB", count: (bytes - 12) / 4) + "\"]"
                }
            ),
            (
                "header: typ in escapes",
                { bytes in
                    #""typ":""# + String(repeating: #"\u0061"#, count: (bytes - 8) / 6) + "\""
                }
            ),
        ]
        return list.map { name, members in
            Family(
                name: name, sizes: sizes(headerLimit),
                hostile: { size in
                    let header = Text.header(#""alg":"HS256""#, members(size * 3 / 4 - 20))
                    return env.verifying(Text.unsigned(header, Array("{}".utf8)))
                }, valid: env.validToken)
        }
    }

    // ---- claims, under a right MAC: somebody who may sign is hostile

    private static func claimFamilies(_ env: BoundedEnvironment) -> [Family] {
        var list = Shape.allCases.map { shape in
            ("claims: " + shape.rawValue, { (bytes: Int) in Text.claims(shape.members(bytes)) })
        }
        let start = #""iss":"https://issuer.example","exp":4102444800"#
        list += [
            (
                "claims: aud of many",
                { bytes in
                    Array(("{\(start)," + #""aud":["# + fill(bytes) { #""a\#($0)""# } + "]}").utf8)
                }
            ),
            (
                "claims: aud in escapes",
                { bytes in
                    Array(
                        ("{\(start)," + #""aud":["#
                            + fill(bytes) { _ in #""\u0061\u0062\u0063\u0064""# } + "]}").utf8)
                }
            ),
            (
                "claims: exp of many digits",
                { bytes in
                    Array(
                        (#"{"iss":"https://issuer.example","aud":"https://client.example","exp":1"#
                            + String(repeating: "0", count: bytes) + "}").utf8)
                }
            ),
            (
                "claims: exp as a long fraction",
                { bytes in
                    Array(
                        (#"{"iss":"https://issuer.example","aud":"https://client.example","exp":0."#
                            + String(repeating: "9", count: bytes) + "e10}").utf8)
                }
            ),
            (
                "claims: exp with a long exponent",
                { bytes in
                    Array(
                        (#"{"iss":"https://issuer.example","aud":"https://client.example","exp":1e"#
                            + String(repeating: "9", count: bytes) + "}").utf8)
                }
            ),
            (
                "claims: a long iss",
                { bytes in Array((#"{"iss":""# + String(repeating: "i", count: bytes) + "\"}").utf8)
                }
            ),
        ]
        return list.map { name, claims in
            Family(
                name: name, sizes: sizes(tokenLimit),
                hostile: { size in try env.verifyingClaims(claims((size - 100) * 3 / 4 - 160)) },
                valid: env.validToken)
        }
    }

    // ---- texts that are no tokens

    private static func textFamilies(_ env: BoundedEnvironment) -> [Family] {
        let list: [(String, (Int) -> [UInt8])] = [
            ("text: dots", { [UInt8](repeating: UInt8(ascii: "."), count: $0) }),
            ("text: letters", { [UInt8](repeating: UInt8(ascii: "A"), count: $0) }),
            (
                "text: a dot at the end",
                { [UInt8](repeating: UInt8(ascii: "A"), count: $0 - 1) + [UInt8(ascii: ".")] }
            ),
            (
                "text: no base64url at its end",
                { size in
                    let header = base64URL(Text.header(#""alg":"HS256""#, ""))
                    return Array(header.utf8) + [UInt8(ascii: ".")]
                        + [UInt8](repeating: UInt8(ascii: "A"), count: size - 100)
                        + Array("=.AAAA".utf8)
                }
            ),
            (
                "text: a signature of much text",
                { size in
                    let header = base64URL(Text.header(#""alg":"HS256""#, ""))
                    return Array(header.utf8) + Array(".e30.".utf8)
                        + [UInt8](repeating: UInt8(ascii: "A"), count: size - 100)
                }
            ),
        ]
        return list.map { name, text in
            Family(
                name: name, sizes: sizes(tokenLimit), hostile: { env.verifying(text($0)) },
                valid: env.validToken)
        }
    }

    // ---- JSON serialisations: general, with 16 signatures, beside a valid token with as many

    private static func serialisationFamilies(_ env: BoundedEnvironment) -> [Family] {
        let shapes = Shape.allCases.map { shape in
            (
                "JSON: " + shape.rawValue,
                { (bytes: Int) in
                    Array(
                        (#"{"payload":"e30","signatures":[{"protected":"eyJhbGciOiJIUzI1NiJ9","signature":"AAAA"}],"#
                            + shape.members(bytes - 100) + "}").utf8)
                }
            )
        }
        let entry = #"{"protected":"eyJhbGciOiJIUzI1NiJ9","signature":"AAAA""#
        let more: [(String, (Int) -> [UInt8])] = [
            (
                "JSON: many signatures",
                { bytes in
                    Array(
                        (#"{"payload":"e30","signatures":["# + fill(bytes - 40) { _ in entry + "}" }
                            + "]}").utf8)
                }
            ),
            (
                "JSON: unprotected headers",
                { bytes in
                    let each = (bytes - 100) / 16 - 80
                    let members = fill(each) { #""m\#($0)":0"# }
                    return Array(
                        (#"{"payload":"e30","signatures":["#
                            + (0..<16).map { _ in entry + #","header":{"# + members + "}}" }.joined(
                                separator: ",") + "]}").utf8)
                }
            ),
            (
                "JSON: a payload in escapes",
                { bytes in
                    Array(
                        (#"{"payload":""#
                            + String(repeating: #"\u0041"#, count: (bytes - 200) / 6 / 4 * 4)
                            + #"","protected":"eyJhbGciOiJIUzI1NiJ9","signature":"AAAA"}"#).utf8)
                }
            ),
        ]
        return shapes.map { name, text in
            Family(
                name: name, sizes: sizes(tokenLimit), hostile: { env.verifyingJSON(text($0)) },
                valid: { try env.validJSON($0, signatures: 1) })
        }
            + more.map { name, text in
                Family(
                    name: name, sizes: sizes(tokenLimit),
                    hostile: { env.verifyingJSON(text($0)) },
                    valid: { try env.validJSON($0, signatures: 16) })
            }
    }
}
