// The secret of a client that proves itself by HTTP Basic.

import JOSE
import JOSEBytes
import JOSECrypto

/// A client's secret; never printed.
public struct ClientSecret: Sendable {
    private let bytes: SecretBytes

    /// This secret; an empty one, as of a setting that is not there, is `misuse` where a client or a party is made with it.
    public init(_ text: String) {
        bytes = SecretBytes(copying: text.utf8.span)
    }

    var isEmpty: Bool { bytes.withSpan { $0.isEmpty } }

    /// The secret as a form carries it (RFC 6749, 2.3.1).
    ///
    /// - Throws: `misuse` for one that is no text.
    func text() throws(JOSEError) -> String {
        let text = bytes.withSpan { bytes in
            String(
                validating: [UInt8](byteCapacity: bytes.count) { $0.append(copying: bytes) },
                as: UTF8.self)
        }
        guard let text, !text.isEmpty else { throw .misuse("the profile needs a client secret") }
        return text
    }

    /// The key of HS256 (OpenID Connect Core, 10.1): the bytes of the secret.
    ///
    /// - Throws: `misuse` for a secret below 32 bytes (RFC 7518, 3.2).
    func signingKey() throws(JOSEError) -> JWK {
        try bytes.withSpan { (bytes) throws(JOSEError) in
            guard bytes.count >= 32 else {
                throw .misuse(
                    "the client secret has {} bytes; HS256 needs at least 32 (RFC 7518, 3.2)",
                    .number(bytes.count))
            }
            return try JWK(symmetricKey: bytes)
        }
    }

    /// Whether a form's `client_secret` is this one, compared in constant time.
    func isSame(as text: String) -> Bool {
        !isEmpty && bytes.withSpan { equalConstantTime($0, text.utf8.span) }
    }

    /// The value of the `Authorization` header (RFC 7617).
    ///
    /// - Parameter isEncoded: Whether both parts are form-encoded first (RFC 6749, 2.3.1).
    func basic(clientID: String, isEncoded: Bool) -> String {
        let secret = bytes.withSpan { bytes in
            var copy: [UInt8] = []
            for index in bytes.indices { copy.append(bytes[index]) }
            return copy
        }
        guard isEncoded else {
            return "Basic " + StandardBase64.encode((Array((clientID + ":").utf8) + secret).span)
        }
        let pair =
            PercentEncoding.encode(clientID) + ":"
            + PercentEncoding.encode(String(decoding: secret, as: UTF8.self))
        return "Basic " + StandardBase64.encode(pair.utf8.span)
    }

    /// Whether a header proves this client: its name and secret as they were sent, or after the form encoding was undone;
    /// both readings are always compared, in constant time.
    package func accepts(_ header: String, clientID: String) -> Bool {
        guard !isEmpty, let header = try? BasicHeader(header) else { return false }
        return bytes.withSpan { secret in
            let isDecoded = header.decoded.equals(clientID, secret)
            let isRaw = header.raw.equals(clientID, secret)
            return isDecoded || isRaw
        }
    }
}

/// An HTTP Basic header as clients write it (RFC 7617): around two form-encoded texts (RFC 6749, 2.3.1), or around the
/// texts as they are, as many do.
struct BasicHeader {
    /// A name and a secret.
    struct Pair {
        let name: [UInt8]
        let secret: [UInt8]

        /// Compares both in a time that depends on the lengths only.
        func equals(_ clientID: String, _ secret: Span<UInt8>) -> Bool {
            let isName = equalConstantTime(name.span, clientID.utf8.span)
            let isSecret = equalConstantTime(self.secret.span, secret)
            return isName && isSecret
        }
    }

    /// What stands on both sides of the first colon.
    let raw: Pair
    /// The same with the form encoding undone; `raw` where it is none.
    let decoded: Pair

    /// - Throws: `claimRejected` unless it is the scheme in any case, and strict base64 of a name, a colon and a secret.
    init(_ header: String) throws(JOSEError) {
        guard header.utf8.count <= 8_192,
            let rest = HTTPCredentials.behind(scheme: "basic", of: header),
            let bytes = StandardBase64.decode(rest.span),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0
        else {
            throw .claimRejected("client_secret", "the Authorization header is not HTTP Basic")
        }
        let raw = Pair(name: Array(bytes[..<colon]), secret: Array(bytes[(colon + 1)...]))
        self.raw = raw
        if let name = PercentEncoding.bytes(raw.name.span),
            let secret = PercentEncoding.bytes(raw.secret.span)
        {
            decoded = Pair(name: name, secret: secret)
        } else {
            decoded = raw
        }
    }

    /// The client that the header names. Where its two readings differ, the form's `client_id` tells which one is meant.
    func clientID(beside named: String?) throws(JOSEError) -> String {
        if let named, equal(raw.name.span, named.utf8.span) { return named }
        guard let name = String(validating: decoded.name, as: UTF8.self),
            name.holdsNoControl, name.isStreamSafe
        else { throw .claimRejected("client_id", "it is no text") }
        return name
    }
}

extension ClientSecret: RedactedDescription {
    package var shownAs: String { "client secret" }
}
