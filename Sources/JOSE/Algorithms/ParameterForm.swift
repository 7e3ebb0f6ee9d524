// The table of what key management algorithms put into the header besides their names: one row for each form.

/// One header parameter: the member, and what its value is.
package struct AlgorithmParameter: Sendable {
    package let member: HeaderMember
    package let value: Value

    package enum Value: Sendable {
        /// The base64url text of exactly this many bytes, other ones for each message.
        case octets(Int)
        /// A public key as a JWK, on the curve of the recipient's, another one for each message.
        case publicKey
        /// The base64url text of 8 to 128 bytes, of which we write this many.
        case salt(Int)
        /// The base64url text of what the sender says of itself or of the recipient; may be absent.
        case partyU, partyV
        /// A whole number within the limits.
        case iterations
    }

    fileprivate init(_ member: HeaderMember, _ value: Value) {
        self.member = member
        self.value = value
    }
}

/// The header parameters of an algorithm.
package enum ParameterForm: UInt8, Sendable {
    case none
    /// Of ECDH-ES (RFC 7518, 4.6.1).
    case agreement
    /// Of AES-GCM key wrapping (RFC 7518, 4.7.1).
    case ivAndTag
    /// Of PBES2 (RFC 7518, 4.8.1).
    case password

    /// The parameters, in the order in which they are written and their bytes go to the operation and come from it.
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

    /// The parameter that counts the iterations of a password's derivation; nil for the other forms.
    package var iterations: HeaderMember? {
        for parameter in parameters {
            if case .iterations = parameter.value { return parameter.member }
        }
        return nil
    }
}
