// The secret of a client that proves itself by HTTP Basic.

import JOSE
import JOSEBytes
import JOSECrypto

/// A client's secret; never printed.
public struct ClientSecret: Sendable {
    private let bytes: SecretBytes

    /// This secret.
    public init(_ text: String) {
        bytes = SecretBytes(copying: text.utf8.span)
    }

    /// The value of the `Authorization` header (RFC 6749, 2.3.1: both parts are form-encoded first).
    func basic(clientID: String) -> String {
        let secret = bytes.withSpan { bytes in
            var copy: [UInt8] = []
            for index in bytes.indices { copy.append(bytes[index]) }
            return String(decoding: copy, as: UTF8.self)
        }
        let pair = PercentEncoding.encode(clientID) + ":" + PercentEncoding.encode(secret)
        return "Basic " + StandardBase64.encode(pair.utf8.span)
    }

    /// Whether a header proves this client: its name byte for byte, its secret in constant time.
    func accepts(_ header: String, clientID: String) -> Bool {
        guard let header = try? BasicHeader(header), header.clientID.isExactly(clientID) else {
            return false
        }
        return bytes.withSpan { equalConstantTime($0, header.secret.span) }
    }
}

/// An HTTP Basic header as a client may write it: RFC 7617 around two form-encoded texts (RFC 6749, 2.3.1).
struct BasicHeader {
    let clientID: String
    let secret: [UInt8]

    /// - Throws: `malformed` unless it is the scheme in any case, and strict base64 of a name and a secret.
    init(_ header: String) throws(JOSEError) {
        let scheme = header.prefix { $0 != " " }
        let rest = header[scheme.endIndex...].drop { $0 == " " }
        guard scheme.lowercased().isExactly("basic"),
            let bytes = StandardBase64.decode(String(rest).utf8.span),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let name = PercentEncoding.decode(bytes[..<colon]), !name.isEmpty,
            let secret = PercentEncoding.bytes(bytes[(colon + 1)...])
        else { throw .malformed(.message, "the Authorization header is not HTTP Basic") }
        clientID = name
        self.secret = secret
    }
}

extension ClientSecret: RedactedDescription {
    package var shownAs: String { "client secret" }
}
