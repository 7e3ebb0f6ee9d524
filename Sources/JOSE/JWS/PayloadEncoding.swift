// How the payload of a JWS stands in what is signed.

/// Whether a payload is signed as base64url text or as it is.
public enum PayloadEncoding: Sendable, Hashable {
    /// As base64url text: every ordinary JWS (RFC 7515).
    case base64URL
    /// As it is, with `b64` false in the protected header and in `crit` (RFC 7797). Never for a JWT.
    case unencoded

    /// Whether a compact token may hold this unencoded payload: printable ASCII without a dot (RFC 7797, 5.2).
    static func fitsCompactToken(_ payload: Span<UInt8>) -> Bool {
        for index in payload.indices {
            let byte = payload[index]
            guard byte >= 0x20, byte < 0x7f, byte != 0x2e else { return false }
        }
        return true
    }
}
