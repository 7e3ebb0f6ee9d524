// Which signatures of a JSON serialisation must be valid: the caller's choice, never the token's.

/// The signatures that a JWS of the JSON serialisations must have (RFC 7515, 7.2 leaves it to the application).
public struct SignatureRequirement: Sendable {
    enum Rule: Sendable {
        case any
        case all
        case each([String])
    }
    let rule: Rule

    /// One signature by a key of the verifier is valid; what else the token carries is not looked at.
    ///
    /// Says nothing about which of several keys it was: `keyID` of the result does.
    public static let any = SignatureRequirement(rule: .any)

    /// Every signature of the token is by a key of the verifier, and valid.
    ///
    /// Says nothing about who signed: whoever passes the token on can take a signature out of it. Where certain
    /// signers are needed, ask for them.
    public static let all = SignatureRequirement(rule: .all)

    /// Each of these keys, named by its `kid` in the verifier's set, has made a valid signature.
    ///
    /// - Parameter keyIDs: One name or more.
    public static func each(of keyIDs: [String]) -> SignatureRequirement {
        SignatureRequirement(rule: .each(keyIDs))
    }
}

/// Where `alg` may stand in a JWS of the JSON serialisations.
public enum AlgorithmLocation: Sendable, Hashable {
    /// In the protected header alone: the default.
    case protectedHeader
    /// In the unprotected header too, as in RFC 7520, 4.7: then nothing but the list of algorithms guards it.
    case anyHeader
}
