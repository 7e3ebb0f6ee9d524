// What a caller accepts of a JWS: required signatures, location of `alg`, payload encoding.

/// The signatures that a JWS in a JSON serialisation must have. RFC 7515, 7.2 leaves the choice to
/// the application.
public struct SignatureRequirement: Sendable {
    enum Rule: Sendable {
        case any
        case all
        case each([String])
    }
    let rule: Rule

    /// Requires one valid signature by any key of the verifier: check `keyID` of the result. Other
    /// signatures may be invalid.
    public static let any = SignatureRequirement(rule: .any)

    /// Requires every signature of the token to be valid and by a key of the verifier.
    ///
    /// `all` does not require a particular signer: anyone who forwards the token can remove a
    /// signature. Use `each(of:)` if you need certain signers.
    public static let all = SignatureRequirement(rule: .all)

    /// Requires a valid signature by each of these keys.
    ///
    /// - Parameter keyIDs: At least one `kid` of the verifier's set.
    public static func each(of keyIDs: [String]) -> SignatureRequirement {
        SignatureRequirement(rule: .each(keyIDs))
    }
}

/// The headers of a JWS in a JSON serialisation that may contain `alg`.
public enum AlgorithmLocation: Sendable, Hashable {
    /// Only the protected header: the default.
    case protectedHeader
    /// The unprotected header too, as in RFC 7520, 4.7. Anyone in transit can then change `alg` to
    /// another accepted algorithm.
    case anyHeader
}

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
