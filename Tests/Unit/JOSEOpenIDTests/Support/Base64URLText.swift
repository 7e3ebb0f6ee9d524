// An independent base64url encoder and decoder, for tokens that no signer makes.

import Foundation
import JOSE
import Testing

enum Base64URLText {
    static func part(_ index: Int, of token: String) throws -> String {
        let part = token.split(separator: ".")[index]
        return String(decoding: try need(decode(part)), as: UTF8.self)
    }

    static func members(of token: String) throws -> [String: JSONValue] {
        try JSONDecoder().decode([String: JSONValue].self, from: Data(part(1, of: token).utf8))
    }

    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var standard = text.replacingOccurrences(of: "-", with: "+")
            .replacingOccurrences(of: "_", with: "/")
        while standard.count % 4 != 0 { standard += "=" }
        return Data(base64Encoded: standard).map { [UInt8]($0) }
    }

    static func encode(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
}
