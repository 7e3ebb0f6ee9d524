// What the keys of services behind HTTPS share: the client, JSON, and what a status means.

import Foundation
import JOSE
import JOSERemote

/// Sends a request and returns status and body. With libcurl:
/// `{ let response = try await transport.send($0); return (response.status, response.body) }`.
package typealias KeyServiceExchange =
    @Sendable (HTTPSRequest) async throws -> (status: Int, body: [UInt8])

/// A setting with which requests would reach another host, key or version.
package struct InvalidSetting: Error, CustomStringConvertible {
    package let description: String
}

extension String {
    /// Whether there is a byte, and all are lowercase ASCII letters, digits, `-`, or of `more`.
    func isIdentifier(or more: String = "") -> Bool {
        !isEmpty
            && utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-\(more)".utf8.contains($0) }
    }
}

enum KeyServiceJSON {
    /// Writes members in the order of their names.
    static func write(_ message: some Encodable) throws(ExternalKeyError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let text = try? encoder.encode(message) else { throw .failed }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads a response with status 200.
    static func read<Message: Decodable>(
        _ type: Message.Type, _ body: [UInt8]
    ) throws(ExternalKeyError) -> Message {
        guard let message = try? JSONDecoder().decode(type, from: Data(body)) else {
            throw .failed
        }
        return message
    }

    /// Decodes standard base64.
    static func bytes(_ text: some StringProtocol) throws(ExternalKeyError) -> [UInt8] {
        guard let data = Data(base64Encoded: String(text)) else { throw .failed }
        return Array(data)
    }
}
