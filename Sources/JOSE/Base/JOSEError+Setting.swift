// The setting of the caller that an error depends on, so that a tool can name its own option for it.

extension JOSEError {
    /// A setting of a verifier, decrypter or policy. `josectl` maps each to one of its options.
    package enum Setting: UInt8, Sendable, CaseIterable {
        /// The signature algorithms that are accepted.
        case signatureAlgorithms = 1
        /// The key management algorithms that are accepted.
        case keyManagementAlgorithms
        /// The content encryption algorithms that are accepted.
        case contentAlgorithms
        /// The compressions that are accepted.
        case compression
        /// The `typ` that is accepted.
        case type
        /// The `cty` that is accepted.
        case contentType
        /// The extensions that the caller understands.
        case critical
        /// Whether a payload may be unencoded (`b64`).
        case payloadEncoding
        /// Where the payload is: in the token, or detached.
        case detachedPayload
        /// The layers that a token must have; it lacks encryption.
        case notEncrypted
        /// The layers that a token must have; it is encrypted.
        case encrypted
        /// The layers that a token must have; its content is not signed.
        case notSigned
        /// The layers that a token must have; its content is signed.
        case signed
        /// The serialisation that is read; the token is JSON.
        case jsonForm
        /// The serialisation that is read; the token is compact.
        case compactForm
        /// Where `alg` may be.
        case algorithmLocation
        /// `JOSELimits.tokenBytes`.
        case tokenBytes
        /// `JOSELimits.inflatedBytes`.
        case inflatedBytes
    }
}

extension JOSEError.Setting {
    /// The parameter in Swift.
    ///
    /// - Parameter value: What it must allow, where that is known.
    package func parameter(_ value: String?) -> String {
        let end = value.map { " with '\($0)'" } ?? ""
        return name + end
    }

    private var name: String {
        switch self {
        case .signatureAlgorithms: "`algorithms:`"
        case .keyManagementAlgorithms: "`algorithms:` of the encryption rule"
        case .contentAlgorithms: "`content:`"
        case .compression: "`compression:`"
        case .type: "`type:`"
        case .contentType: "`requiresContentType`"
        case .critical: "`critical:`"
        case .payloadEncoding: "`encodings:`"
        case .detachedPayload: "`verifyDetached`"
        case .notEncrypted: "`encryption: .notEncrypted`"
        case .encrypted: "`encryption: .required` and `signature: .required`"
        case .notSigned: "`signature: .insecureNotSigned`"
        case .signed: "`signature: .required`"
        case .jsonForm: "`verifyJSON`, `decryptJSON`"
        case .compactForm: "`verify`, `decrypt`"
        case .algorithmLocation: "`algorithmLocation:`"
        case .tokenBytes: "`JOSELimits.tokenBytes`"
        case .inflatedBytes: "`JOSELimits.inflatedBytes`"
        }
    }
}
