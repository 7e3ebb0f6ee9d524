// The families of the claims request: what an authorization request may ask for, up to the size of
// a query.

import JOSE
import JOSEOpenID

extension Bounded {
    private static let queryLimit = 65_536

    static func claimsRequestFamilies() -> [Family] {
        var list = Shape.allCases.map { shape in
            (
                shape.rawValue,
                { (bytes: Int) in #"{"id_token":{"a":{"value":{"# + shape.members(bytes) + "}}}}" }
            )
        }
        list += [
            (
                "voluntary claims",
                { bytes in #"{"userinfo":{"# + fill(bytes) { #""c\#($0)":null"# } + "}}" }
            ),
            (
                "essential claims",
                { bytes in
                    #"{"id_token":{"# + fill(bytes) { #""c\#($0)":{"essential":true}"# } + "}}"
                }
            ),
            (
                "contexts",
                { bytes in
                    #"{"id_token":{"acr":{"values":["# + fill(bytes) { #""a\#($0)""# } + "]}}}"
                }
            ),
        ]
        return list.map { name, text in
            Family(
                name: "claims request: " + name,
                sizes: [queryLimit / 16, queryLimit / 4, queryLimit],
                hostile: { size in reading(text(size - 64)) },
                valid: { size in
                    // As many claims as may be asked for, each with a long value.
                    let value = String(repeating: "v", count: max(1, size / 100 - 24))
                    return reading(
                        #"{"id_token":{"#
                            + (0..<100).map { #""c\#($0)":{"value":"\#(value)"}"# }.joined(
                                separator: ",")
                            + "}}")
                })
        }
    }

    private static func reading(_ text: String) -> Sample {
        Sample(bytes: text.utf8.count) { _ = try? ClaimsRequest(json: text) }
    }
}
