// The caller's setting that causes an error, so that a tool can name its own option for it.

extension JOSEError {
    /// A setting of a verifier, decrypter or policy. `josectl` maps each to one of its options.
    package enum Setting: UInt8, Sendable, CaseIterable {
        case signatureAlgorithms = 1
        case keyManagementAlgorithms
        case contentAlgorithms
        case compression
        /// The accepted `typ`.
        case type
        /// The accepted `cty`.
        case contentType
        /// The extensions in `crit` that the caller checks.
        case critical
        /// Whether the payload may be unencoded (`b64`).
        case payloadEncoding
        case detachedPayload
        /// The setting that would accept a token without encryption.
        case notEncrypted
        /// The setting that would accept an encrypted token.
        case encrypted
        /// The setting that would accept a token whose content is not signed.
        case notSigned
        /// The setting that would accept a token whose content is signed.
        case signed
        /// The function that would accept a token in the JSON serialisation.
        case jsonForm
        /// The function that would accept a compact token.
        case compactForm
        /// The headers in which `alg` is accepted.
        case algorithmLocation
        case tokenBytes
        case inflatedBytes
    }
}

extension JOSEError.Setting {
    /// Returns the Swift parameter, followed by the value that the setting must allow, if known.
    package func parameter(_ value: String?) -> String {
        name + (value.map { " with '\($0)'" } ?? "")
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
