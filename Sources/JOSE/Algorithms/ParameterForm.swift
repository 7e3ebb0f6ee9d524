// The header parameters that key management algorithms add.

/// One header parameter of an algorithm: its member and the kind of its value.
package struct AlgorithmParameter: Sendable {
    package let member: HeaderMember
    package let value: Value

    package enum Value: Sendable {
        /// Base64url of exactly this many bytes, different for each message.
        case octets(Int)
        /// A public key as a JWK on the recipient's curve, different for each message.
        case publicKey
        /// Base64url of 8 to 128 bytes; the library writes this many.
        case salt(Int)
        /// Base64url of information about the sender or recipient; may be absent.
        case partyU, partyV
        /// A whole number within `JOSELimits`.
        case iterations
    }

    fileprivate init(_ member: HeaderMember, _ value: Value) {
        self.member = member
        self.value = value
    }
}

/// The header parameters of an algorithm besides `alg` and `enc`.
package enum ParameterForm: UInt8, Sendable {
    case none
    /// ECDH-ES (RFC 7518, 4.6.1).
    case agreement
    /// AES-GCM key wrapping (RFC 7518, 4.7.1).
    case ivAndTag
    /// PBES2 (RFC 7518, 4.8.1).
    case password

    /// The parameters in the order of the header, and of their bytes at the C interface.
    package var parameters: [AlgorithmParameter] {
        switch self {
        case .none: ParameterForm.ofNone
        case .agreement: ParameterForm.ofAgreement
        case .ivAndTag: ParameterForm.ofIVAndTag
        case .password: ParameterForm.ofPassword
        }
    }

    private static let ofNone: [AlgorithmParameter] = []
    private static let ofAgreement: [AlgorithmParameter] = [
        AlgorithmParameter(.epk, .publicKey), AlgorithmParameter(.apu, .partyU),
        AlgorithmParameter(.apv, .partyV),
    ]
    private static let ofIVAndTag: [AlgorithmParameter] = [
        AlgorithmParameter(.iv, .octets(12)), AlgorithmParameter(.tag, .octets(16)),
    ]
    private static let ofPassword: [AlgorithmParameter] = [
        AlgorithmParameter(.p2s, .salt(16)), AlgorithmParameter(.p2c, .iterations),
    ]

    /// The parameter with the iteration count of PBES2; nil for the other forms.
    package var iterations: HeaderMember? {
        for parameter in parameters {
            if case .iterations = parameter.value { return parameter.member }
        }
        return nil
    }
}
