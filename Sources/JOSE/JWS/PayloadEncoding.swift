// The encoding of a JWS payload in the signing input.

/// Whether a payload is signed as base64url text or unencoded.
public enum PayloadEncoding: Sendable, Hashable {
    /// As base64url text, as in every ordinary JWS (RFC 7515).
    case base64URL
    /// Unencoded, with `b64` false in the protected header and in `crit` (RFC 7797). Not for JWTs.
    case unencoded

    /// Whether a compact token may contain this unencoded payload: printable ASCII without a dot
    /// (RFC 7797, 5.2).
    static func fitsCompactToken(_ payload: Span<UInt8>) -> Bool {
        for index in payload.indices {
            let byte = payload[index]
            guard byte >= 0x20, byte < 0x7f, byte != 0x2e else { return false }
        }
        return true
    }
}
