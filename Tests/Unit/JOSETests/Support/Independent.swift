// Decoders that are not part of this package, to check its decoders.

import Foundation
import Testing

enum Independent {
    /// The bytes of unpadded base64url, decoded with Foundation.
    static func base64URL(_ text: String) throws -> [UInt8] {
        var padded = text.replacingOccurrences(of: "-", with: "+")
            .replacingOccurrences(of: "_", with: "/")
        padded += String(repeating: "=", count: (4 - padded.utf8.count % 4) % 4)
        return try [UInt8](need(Data(base64Encoded: padded)))
    }

    /// The unpadded base64url of bytes, encoded with Foundation.
    static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// The padded base64 of bytes, encoded with Foundation.
    static func standardBase64(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    }

    /// The bytes of the only block of a PEM text, decoded with Foundation.
    static func base64(_ pem: String) throws -> [UInt8] {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }
        return try [UInt8](need(Data(base64Encoded: lines.joined())))
    }

    /// The bytes of lower-case hexadecimal.
    static func hex(_ text: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while !rest.isEmpty {
            bytes.append(try need(UInt8(rest.prefix(2), radix: 16)))
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
