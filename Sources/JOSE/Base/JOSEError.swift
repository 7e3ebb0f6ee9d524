// JOSEError: the error of the library, small, trivial to throw and safe to log.

import JOSEBytes

/// The reason why a token, key, document or call was rejected.
///
/// It holds no token content, key material or secret. Its only untrusted text is the name of a
/// claim, parameter or member, escaped and at most 128 bytes long.
///
/// `code` is coarse and stable: map it to an OAuth error or a metric. `step` names the check that
/// failed. Throwing allocates only if a rejected claim has a long name.
public struct JOSEError: Error, Sendable {
    // Code, step, input and setting share one word: an error is copied by each call it passes.
    private var packed: UInt64
    /// The kind of error.
    public var code: Code { Code(index: UInt8(truncatingIfNeeded: packed)) }
    /// The step that failed.
    public var step: Step { Step(index: UInt8(truncatingIfNeeded: packed >> 8)) }
    /// The rejected input of a call that takes several, such as an anchor of a `TrustStore`.
    public var input: Input? { Input(packed: packed >> 16 & 0xff_ffff_ffff) }
    /// The setting that causes this error, if there is one.
    package var setting: Setting? { Setting(rawValue: UInt8(truncatingIfNeeded: packed >> 56)) }
    /// The rejected claim, parameter or member if `code` is `claimRejected`.
    ///
    /// A sender may have chosen the name. Control characters, direction marks and invisible
    /// characters are escaped, such as `\u{202e}`; quotation marks and `\` follow a `\`. A name of
    /// more than 128 bytes is cut and ends in `…`.
    public let claim: String?
    /// A constant English sentence with numbers and names; never holds input.
    package let reason: Reason

    init(_ code: Code, _ step: Step, _ reason: Reason, claim: String? = nil) {
        packed = UInt64(code.index) | UInt64(step.index) << 8
        self.reason = reason
        self.claim = claim.map { printable($0, atMost: JOSEError.claimBytes) }
    }

    private static let claimBytes = 128

    /// Returns the error with another step. `unavailable`, `internal` and `misuse` keep theirs.
    package func with(step: Step) -> JOSEError {
        guard ![.unavailable, .internal, .misuse].contains(code) else { return self }
        var error = self
        error.packed = packed & ~0xff00 | UInt64(step.index) << 8
        return error
    }

    func of(_ input: Input) -> JOSEError {
        var error = self
        error.packed = packed & 0xff00_0000_0000_ffff | input.packed << 16
        return error
    }

    package func withSetting(_ setting: Setting?) -> JOSEError {
        guard let setting else { return self }
        var error = self
        error.packed = packed & 0xff_ffff_ffff_ffff | UInt64(setting.rawValue) << 56
        return error
    }
}

extension JOSEError {
    /// A coarse, stable kind of error. Later versions may add kinds.
    public struct Code: Hashable, Sendable {
        let index: UInt8

        /// The text, JSON, base64url or structure violates the RFCs.
        public static let malformed = Code(index: 0)
        /// The input exceeds a limit of `JOSELimits` or a quota.
        public static let limitExceeded = Code(index: 1)
        /// The input is well-formed, but needs an unknown critical header parameter, or something
        /// that this library, libcrypto, zlib or the FIPS provider does not support.
        public static let unsupported = Code(index: 2)
        /// The policy does not allow the algorithm.
        public static let algorithmNotAllowed = Code(index: 3)
        /// The key's type, use, size or numbers do not allow the operation.
        public static let keyUnusable = Code(index: 4)
        /// No key matches the token, or more than one key does.
        public static let keyNotFound = Code(index: 5)
        /// The key's certificates do not lead to a trust anchor, or are no longer valid.
        public static let untrustedKey = Code(index: 6)
        /// The signature was not made with this key over this content.
        public static let signatureInvalid = Code(index: 7)
        /// The key was not unwrapped, or the content not authenticated. Which of them is never
        /// reported (RFC 7516, 11.5).
        public static let decryptionFailed = Code(index: 8)
        /// A claim is missing, has the wrong type or does not satisfy the policy.
        public static let claimRejected = Code(index: 9)
        /// A one-time token was used before, or may have been.
        public static let replayed = Code(index: 10)
        /// The program made an invalid call. The token is not to blame.
        public static let misuse = Code(index: 11)
        /// Random numbers, memory, libcrypto or an external key failed. The token is not to blame.
        public static let `internal` = Code(index: 12)
        /// A key source, replay store, PKCS#11 token or key service does not respond. This says
        /// nothing about the token: try again later.
        public static let unavailable = Code(index: 13)

        private static let names: [StaticString] = [
            "malformed", "limit-exceeded", "unsupported", "algorithm-not-allowed", "key-unusable",
            "key-not-found", "untrusted-key", "signature-invalid", "decryption-failed",
            "claim-rejected", "replayed", "misuse", "internal", "unavailable",
        ]

        package static var all: [Code] { names.indices.map { Code(index: UInt8($0)) } }

        /// The identifier in logs and command lines, such as `signature-invalid`.
        public var name: String { Code.names[Int(index)].description }
    }

    /// The step of the check that failed.
    public struct Step: Hashable, Sendable {
        let index: UInt8

        /// The structure of the token: size and number of parts.
        public static let token = Step(index: 0)
        /// The protected header.
        public static let header = Step(index: 1)
        /// Checking the algorithm against the policy.
        public static let algorithm = Step(index: 2)
        /// Selecting and preparing a key.
        public static let key = Step(index: 3)
        /// Verifying a signature.
        public static let signature = Step(index: 4)
        /// All steps between the encrypted key and the tag.
        public static let decryption = Step(index: 5)
        /// The payload or plaintext as bytes.
        public static let payload = Step(index: 6)
        /// Checking the claims.
        public static let claims = Step(index: 7)
        /// A JWK Set.
        public static let keySet = Step(index: 8)
        /// A certificate or chain.
        public static let certificate = Step(index: 9)
        /// Writing a token or document.
        public static let output = Step(index: 10)
        /// The arguments of the call.
        public static let call = Step(index: 11)
        /// Reading or writing a key file.
        public static let keyFile = Step(index: 12)
        /// A protocol message: a query, form or JSON response.
        public static let message = Step(index: 13)
        /// A proof of possession (RFC 9449), whichever part of it failed.
        public static let proof = Step(index: 14)

        private static let names: [StaticString] = [
            "token", "header", "algorithm", "key", "signature", "decryption", "payload", "claims",
            "key-set", "certificate", "output", "call", "key-file", "message",
            "proof",
        ]

        package static var all: [Step] { names.indices.map { Step(index: UInt8($0)) } }

        /// The identifier in logs and command lines, such as `header`.
        public var name: String { Step.names[Int(index)].description }
    }

    /// One English sentence without input, except the name of a claim. It is always the same for
    /// `decryptionFailed`.
    public var message: String {
        if let claim { return "claim \(claim): \(reason)" }
        if let input { return "\(input): \(reason)" }
        return reason.description
    }
}

extension JOSEError: Hashable {
    /// Whether code, step, claim, input and message are equal.
    public static func == (a: JOSEError, b: JOSEError) -> Bool {
        a.code == b.code && a.step == b.step && a.input == b.input
            && ExactString(a.claim) == ExactString(b.claim)
            && a.reason == b.reason
    }

    /// Hashes code, step, claim and input.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(step)
        hasher.combine(ExactString(claim))
        hasher.combine(input)
    }
}

extension JOSEError: CustomStringConvertible {
    /// `code at step: message`.
    public var description: String { "\(code.name) at \(step.name): \(message)" }
}

extension JOSEError.Code: CustomStringConvertible, CustomReflectable {
    /// The same as `name`.
    public var description: String { name }
    /// An empty mirror: `dump` prints the name.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension JOSEError.Step: CustomStringConvertible, CustomReflectable {
    /// The same as `name`.
    public var description: String { name }
    /// An empty mirror: `dump` prints the name.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension JOSEError: CustomReflectable {
    /// A mirror with code, step, input, claim and reason.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "code": code, "step": step, "input": input as Any, "claim": claim as Any,
                "reason": reason.description,
            ])
    }
}
