// A client secret, and the HTTP Basic header that contains it.

import JOSE
import JOSEBytes
import JOSECrypto

/// A client secret, redacted in descriptions. Its memory is wiped; copies in requests are not.
public struct ClientSecret: Sendable {
    private let bytes: SecretBytes

    /// Creates a secret. If the profile needs a secret, `RelyingParty` and `RegisteredClient` throw
    /// `misuse` for an empty one, such as one from a missing setting.
    public init(_ text: String) {
        bytes = SecretBytes(copying: text.utf8.span)
    }

    var isEmpty: Bool { bytes.withSpan { $0.isEmpty } }

    /// Returns the secret for a form (RFC 6749, 2.3.1), in a `String` that is not wiped.
    func text() throws(JOSEError) -> String {
        let text = bytes.withSpan { bytes in
            String(
                validating: [UInt8](byteCapacity: bytes.count) { $0.append(copying: bytes) },
                as: UTF8.self)
        }
        guard let text, !text.isEmpty else { throw .noClientSecret }
        return text
    }

    /// Returns the HS256 key (OpenID Connect Core, 10.1); `misuse` below 32 bytes (RFC 7518, 3.2).
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

    /// Compares in constant time. An empty secret never matches.
    func isSame(as text: String) -> Bool {
        !isEmpty && bytes.withSpan { equalConstantTime($0, text.utf8.span) }
    }

    /// Returns the `Authorization` header's value (RFC 7617), in a `String` that is not wiped.
    /// `isEncoded` form-encodes ID and secret first (RFC 6749, 2.3.1).
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

    /// Whether a Basic header has this client's ID and secret, form-encoded or not. Always compares
    /// both readings, in constant time.
    package func accepts(_ header: String, clientID: String) -> Bool {
        guard !isEmpty, let header = try? BasicHeader(header) else { return false }
        return bytes.withSpan { secret in
            let isDecoded = header.decoded.equals(clientID, secret)
            let isRaw = header.raw.equals(clientID, secret)
            return isDecoded || isRaw
        }
    }
}

/// An HTTP Basic header (RFC 7617). Many clients omit the form encoding of RFC 6749, 2.3.1.
struct BasicHeader {
    struct Pair {
        let name: [UInt8]
        let secret: [UInt8]

        /// Compares ID and secret in a time that depends only on the lengths.
        func equals(_ clientID: String, _ secret: Span<UInt8>) -> Bool {
            let isName = equalConstantTime(name.span, clientID.utf8.span)
            let isSecret = equalConstantTime(self.secret.span, secret)
            return isName && isSecret
        }
    }

    /// The bytes before and after the first colon.
    let raw: Pair
    /// The same bytes form-decoded; equal to `raw` if they are no valid form encoding.
    let decoded: Pair

    init(_ header: String) throws(JOSEError) {
        guard header.utf8.count <= 8_192,
            let rest = HTTPCredentials.after(scheme: "basic", of: header),
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

    /// Returns `named` (the form's `client_id`) if the undecoded ID equals it, else the decoded ID.
    func clientID(formValue named: String?) throws(JOSEError) -> String {
        if let named, equal(raw.name.span, named.utf8.span) { return named }
        guard let name = String(validating: decoded.name, as: UTF8.self),
            name.hasNoControlCharacters, name.isStreamSafe
        else { throw .claimRejected("client_id", "it is not UTF-8 without control characters") }
        return name
    }
}

extension JOSEError {
    static let noClientSecret = JOSEError.misuse(
        "the profile requires a client secret (secret of RelyingParty.init)")
}

extension ClientSecret: RedactedDescription {}

extension OpenIDProfile {
    /// Throws `misuse` for a public client with a secret or without PKCE (RFC 9700, 2.1.1).
    func checkPublicClient(secret: ClientSecret?) throws(JOSEError) {
        guard client.authentication == .publicClient else { return }
        guard secret == nil else {
            throw .misuse(
                "a public client has no secret (client.authentication is .publicClient)")
        }
        guard authorization.requiresPKCE else {
            throw .misuse("a public client needs PKCE: set authorization.requiresPKCE")
        }
    }
}
