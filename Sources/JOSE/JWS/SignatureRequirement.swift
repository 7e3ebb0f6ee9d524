// The signatures of a JSON serialisation that must be valid: chosen by the caller, never the token.

/// The signatures that a JWS in a JSON serialisation must have. RFC 7515, 7.2 leaves the choice to
/// the application.
public struct SignatureRequirement: Sendable {
    enum Rule: Sendable {
        case any
        case all
        case each([String])
    }
    let rule: Rule

    /// Requires one valid signature by a key of the verifier. The others are ignored.
    ///
    /// Any key of the verifier satisfies this requirement: check `keyID` of the result.
    public static let any = SignatureRequirement(rule: .any)

    /// Requires every signature of the token to be valid and by a key of the verifier.
    ///
    /// It does not require a particular signer: anyone who forwards the token can remove a
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
    /// The unprotected header too, as in RFC 7520, 4.7. Then only the list of accepted algorithms
    /// protects `alg`.
    case anyHeader
}
