// Client authentication at the token endpoint: the HTTP Basic header, and the form.

import Foundation
import JOSE
import JOSEBytes
import JOSEOpenID

extension FuzzTarget {
    static let basic = FuzzTarget("basic") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let made = "Basic " + Data(bytes).base64EncodedString()
        try hold(
            secret.accepts(made, clientID: clientID) == proves(bytes), "another reading of a pair")
        if secret.accepts(text, clientID: clientID) {
            let rest = text.drop { $0 != " " }.drop { $0 == " " }
            let pair = Data(base64Encoded: String(rest)).map { [UInt8]($0) }
            try hold(pair.map(proves) ?? false, "accepted what is no such pair")
        }
        for (form, header) in [(text, nil), (text, made), ("", text)] as [(String, String?)] {
            let named = try bounded(bytes) {
                try provider.unverifiedClientID(tokenRequest: form, authorization: header)
            }
            if let named {
                try hold(
                    named.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }, "a name that is no text")
            }
        }
        try tokenForms(bytes)
    }

    private static let clientID = "a client"
    private static let text = "s3c r/t+:%2F"
    private static let secret = ClientSecret(text)

    /// The pair from a simple independent parser: unchanged, or with both parts form-decoded.
    private static func proves(_ pair: [UInt8]) -> Bool {
        guard let colon = pair.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let parts = [Array(pair[..<colon]), Array(pair[(colon + 1)...])]
        let wanted = [Array(clientID.utf8), Array(text.utf8)]
        if parts == wanted { return true }
        guard parts.joined().allSatisfy({ 0x21...0x7e ~= $0 }) else { return false }
        let decoded = parts.map { part in
            String(decoding: part, as: UTF8.self).replacingOccurrences(of: "+", with: " ")
                .removingPercentEncoding.map { Array($0.utf8) }
        }
        return decoded == wanted
    }

    private static let provider: OpenIDProvider = {
        do {
            return try Peers.provider(.netsEIDBroker)
        } catch {
            preconditionFailure("a provider of the fuzz targets: \(error)")
        }
    }()
}
