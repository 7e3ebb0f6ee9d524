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

    /// Whether a header proves this client, in constant time.
    func accepts(_ header: String, clientID: String) -> Bool {
        header.isSecretly(basic(clientID: clientID))
    }
}

extension ClientSecret: CustomStringConvertible, CustomReflectable {
    /// A constant.
    public var description: String { "client secret" }
    /// Shows nothing to `dump`.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
