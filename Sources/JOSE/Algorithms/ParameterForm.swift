// ParameterForm: the header parameters that key management algorithms add.

/// A header parameter of an algorithm.
package struct AlgorithmParameter: Sendable {
    package let member: HeaderMember
    package let value: Value

    package enum Value: Sendable {
        /// Base64url of the given number of bytes, different for each message.
        case octets(Int)
        /// An ephemeral public key on the recipient's curve, as a JWK.
        case publicKey
        /// Base64url of 8 to 128 bytes. This library writes the given number.
        case salt(Int)
        /// Base64url of information about the sender (U) or recipient (V); may be absent.
        case partyU, partyV
        /// An integer within the iteration limits of `JOSELimits`.
        case iterations
    }

    fileprivate init(_ member: HeaderMember, _ value: Value) {
        self.member = member
        self.value = value
    }
}

/// The header parameters of an algorithm in addition to `alg` and `enc`.
package enum ParameterForm: UInt8, Sendable {
    case none
    /// ECDH-ES (RFC 7518, 4.6.1).
    case agreement
    /// AES-GCM key wrapping (RFC 7518, 4.7.1).
    case ivAndTag
    /// PBES2 (RFC 7518, 4.8.1).
    case password

    /// The parameters in header order, which is also the order of their bytes in the C functions.
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

    /// The parameter with the iteration count; nil except for PBES2.
    package var iterations: HeaderMember? {
        for parameter in parameters {
            if case .iterations = parameter.value { return parameter.member }
        }
        return nil
    }
}
