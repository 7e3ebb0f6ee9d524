// Texts of a wanted size: ordinary ones, and each hostile shape.

import JOSE

enum Shape: String, CaseIterable {
    case members = "many members"
    case sharedNames = "names that begin and end alike"
    case shortNames = "the shortest names"
    case escapedNames = "names in escapes"
    case duplicateAtEnd = "a member twice, at the end"
    case depth = "nesting"
    case shallow = "many small objects"
    case ones = "an array of digits"
    case digits = "one huge number"
    case exponents = "numbers with huge exponents"
    case escapes = "one string in escapes"
    case surrogates = "surrogate pairs"
    case spaces = "white space"
    case openArrays = "brackets that stay open"

    /// A member list of about so many bytes.
    func members(_ bytes: Int) -> String {
        switch self {
        case .members: return fill(bytes) { #""m\#($0)":\#($0)"# }
        case .sharedNames: return fill(bytes) { #""aaaaaaaa\#($0)zzzzzzzz":0"# }
        case .shortNames:
            let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
            return fill(bytes) { number in
                var rest = number
                var name = ""
                repeat {
                    name.append(letters[rest % 64])
                    rest /= 64
                } while rest > 0
                return "\"\(name)\":0"
            }
        case .escapedNames: return fill(bytes) { #""\u0061\#($0)":0"# }
        case .duplicateAtEnd: return fill(bytes - 10) { #""n\#($0)":0"# } + #","n0":0"#
        case .depth:
            let unit = String(repeating: "[", count: 30) + String(repeating: "]", count: 30)
            return fill(bytes) { #""d\#($0)":\#(unit)"# }
        case .shallow: return #""a":["# + fill(bytes - 6) { _ in "{}" } + "]"
        case .ones: return #""a":["# + fill(bytes - 6) { _ in "1" } + "]"
        case .digits: return #""x":"# + String(repeating: "7", count: max(1, bytes - 4))
        case .exponents: return #""a":["# + fill(bytes - 6) { _ in "-1.5e999999" } + "]"
        case .escapes: return #""x":""# + repeated(#"\u0041"#, bytes - 6) + "\""
        case .surrogates: return #""x":""# + repeated(#"\ud83d\ude00"#, bytes - 6) + "\""
        case .spaces: return #""x":"# + String(repeating: " ", count: max(0, bytes - 5)) + "0"
        case .openArrays: return #""x":"# + String(repeating: "[", count: max(1, bytes - 4))
        }
    }

    private func repeated(_ unit: String, _ bytes: Int) -> String {
        String(repeating: unit, count: max(0, bytes / unit.utf8.count))
    }
}

/// Parts with commas between them, as many as fit.
func fill(_ bytes: Int, _ part: (Int) -> String) -> String {
    var text = ""
    var number = 0
    while true {
        let next = part(number)
        guard text.utf8.count + next.utf8.count + 1 <= bytes else { return text }
        if number > 0 { text += "," }
        text += next
        number += 1
    }
}

enum Text {
    /// Claims as they are in tokens: names of a dozen characters, values of two dozen.
    static func ordinary(_ bytes: Int) -> String {
        fill(bytes) { #""claim_name_\#($0)":"a value of this length \#($0)""# }
    }

    static let registered =
        #""iss":"https://issuer.example","aud":"https://client.example","exp":4102444800"#

    /// A claims object with these further members.
    static func claims(_ members: String) -> [UInt8] { Array("{\(registered),\(members)}".utf8) }

    /// A header with these further members.
    static func header(_ start: String, _ members: String) -> [UInt8] {
        Array("{\(start)\(members.isEmpty ? "" : ",")\(members)}".utf8)
    }

    /// A compact JWS with any header whose HMAC is nobody's.
    static func unsigned(_ header: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        Array(
            (base64URL(header) + "." + base64URL(payload) + "."
                + base64URL([UInt8](repeating: 7, count: 32))).utf8)
    }
}

extension Shape {
    /// Two hundred members of ordinary names, which no reader knows: about so many bytes.
    static func ordinaryMembers(_ bytes: Int) -> String {
        let value = String(repeating: "v", count: max(1, bytes / 200 - 24))
        return (0..<200).map { #""name_\#($0)":"\#(value)""# }.joined(separator: ",")
    }
}

extension Bounded {
    /// Texts of several kinds beside a valid one of their size.
    static func families(
        _ prefix: String, _ sizes: [Int], _ kinds: [(String, (Int) -> String)],
        hostile: @escaping (String) throws -> Sample, valid: @escaping (Int) throws -> Sample
    ) -> [Family] {
        kinds.map { name, text in
            Family(
                name: prefix + name, sizes: sizes, hostile: { try hostile(text($0)) }, valid: valid)
        }
    }

    /// Signed texts with members of every shape, beside one that is accepted with ordinary ones.
    static func shapeFamilies(
        _ prefix: String, _ sizes: [Int], hostile: @escaping (String) throws -> Sample,
        accepted: @escaping (String) throws -> Sample
    ) -> [Family] {
        // In base64url, with a signature.
        func room(_ size: Int) -> Int { size * 3 / 4 - 700 }
        return families(
            prefix, sizes,
            Shape.allCases.map { shape in (shape.rawValue, { shape.members(room($0)) }) },
            hostile: hostile, valid: { try accepted(Shape.ordinaryMembers(room($0))) })
    }
}
