// The one error of the library: small, trivial to throw, safe to log.

import JOSEBytes

/// Says that something was rejected, and why, without a value of the token, key fact or secret.
///
/// The only text of another's that it may hold is the name of a claim, a parameter or a member: fit to be shown, and at
/// most 128 bytes.
///
/// `code` is coarse and stable: map it to an OAuth error or a metric. `step` names the layer that rejected.
/// Throwing it allocates nothing unless a claim with a long name is rejected.
public struct JOSEError: Error, Sendable {
    // Code, step and input in one word: an error is copied through every call that it ends.
    private var facts: UInt64
    /// What kind of rejection this is.
    public var code: Code { Code(index: UInt8(truncatingIfNeeded: facts)) }
    /// The step of the work that rejected.
    public var step: Step { Step(index: UInt8(truncatingIfNeeded: facts >> 8)) }
    /// Which of the inputs of a call was rejected, where it takes several: an anchor or a list of a `TrustStore`.
    public var input: Input? { Input(packed: facts >> 16 & 0xff_ffff_ffff) }
    /// The setting that decides about this error, if there is one.
    package var setting: Setting? { Setting(rawValue: UInt8(truncatingIfNeeded: facts >> 56)) }
    /// The name of the rejected claim, parameter or member where `code` is `claimRejected`.
    ///
    /// Where a message chose it, as in a dictionary of claims, it may be hostile: controls, marks of direction and what is
    /// invisible stand as `\u{202e}`, quotation marks and `\` behind a `\`, and what is over 128 bytes ends in `…`.
    public let claim: String?
    /// A fixed English sentence part with its values; never holds input.
    package let reason: Reason

    init(_ code: Code, _ step: Step, _ reason: Reason, claim: String? = nil) {
        facts = UInt64(code.index) | UInt64(step.index) << 8
        self.reason = reason
        self.claim = claim.map { printable($0, atMost: JOSEError.claimBytes) }
    }

    private static let claimBytes = 128

    /// The same rejection, met at another step; an outage, a fault of ours and a mistake of the caller stay where they were met.
    package func met(at step: Step) -> JOSEError {
        guard ![.unavailable, .internal, .misuse].contains(code) else { return self }
        var error = self
        error.facts = facts & ~0xff00 | UInt64(step.index) << 8
        return error
    }

    /// The same error with the input that it is about.
    func of(_ input: Input) -> JOSEError {
        var error = self
        error.facts = facts & 0xff00_0000_0000_ffff | input.packed << 16
        return error
    }

    /// The same error with the setting that decides about it.
    package func by(_ setting: Setting?) -> JOSEError {
        guard let setting else { return self }
        var error = self
        error.facts = facts & 0xff_ffff_ffff_ffff | UInt64(setting.rawValue) << 56
        return error
    }
}

extension JOSEError {
    /// A coarse, stable class of rejection; new ones may be added in later versions.
    public struct Code: Hashable, Sendable {
        let index: UInt8

        /// Text, JSON, base64url or structure is not what the RFCs demand.
        public static let malformed = Code(index: 0)
        /// A bound of `JOSELimits` was passed.
        public static let limitExceeded = Code(index: 1)
        /// Well-formed, but something that this library does not do, such as an unknown critical header.
        public static let unsupported = Code(index: 2)
        /// The policy does not name this algorithm.
        public static let algorithmNotAllowed = Code(index: 3)
        /// The key's type, use, size or consistency does not allow this.
        public static let keyUnusable = Code(index: 4)
        /// No key, or no unique eligible key, for this token.
        public static let keyNotFound = Code(index: 5)
        /// A certificate chain does not lead to the caller's anchors.
        public static let untrustedKey = Code(index: 6)
        /// The signature is not one of this key over these bytes.
        public static let signatureInvalid = Code(index: 7)
        /// Decryption failed; one value for everything after the header was accepted (RFC 7516, 11.5).
        public static let decryptionFailed = Code(index: 8)
        /// A claim is missing, of the wrong type, or does not satisfy the policy.
        public static let claimRejected = Code(index: 9)
        /// A token that may be used once was used before.
        public static let replayed = Code(index: 10)
        /// The calling program asked for something that makes no sense.
        public static let misuse = Code(index: 11)
        /// Random numbers, memory or the crypto provider failed.
        public static let `internal` = Code(index: 12)
        /// A key source, replay store, token or key service cannot answer now: an outage or a time-out. It says nothing
        /// of the token: try again later.
        public static let unavailable = Code(index: 13)

        private static let names: [StaticString] = [
            "malformed", "limit-exceeded", "unsupported", "algorithm-not-allowed", "key-unusable",
            "key-not-found", "untrusted-key", "signature-invalid", "decryption-failed",
            "claim-rejected", "replayed", "misuse", "internal", "unavailable",
        ]

        /// All of them, in the order in which they came.
        package static var all: [Code] { names.indices.map { Code(index: UInt8($0)) } }

        /// The word that command lines and logs use, such as `signature-invalid`.
        public var name: String { Code.names[Int(index)].description }
    }

    /// The layer that rejected.
    public struct Step: Hashable, Sendable {
        let index: UInt8

        /// The outer form of the token: size and parts.
        public static let token = Step(index: 0)
        /// The protected header.
        public static let header = Step(index: 1)
        /// The admission of the algorithm by the policy.
        public static let algorithm = Step(index: 2)
        /// The choice and preparation of a key.
        public static let key = Step(index: 3)
        /// The signature.
        public static let signature = Step(index: 4)
        /// Everything between the encrypted key and the tag.
        public static let decryption = Step(index: 5)
        /// The payload or plaintext as bytes.
        public static let payload = Step(index: 6)
        /// The claims.
        public static let claims = Step(index: 7)
        /// A JWK Set.
        public static let keySet = Step(index: 8)
        /// A certificate or chain.
        public static let certificate = Step(index: 9)
        /// The making of a token or document.
        public static let output = Step(index: 10)
        /// The call itself: its arguments.
        public static let call = Step(index: 11)
        /// A key file.
        public static let keyFile = Step(index: 12)
        /// A message of a protocol: a query, a form, a JSON answer.
        public static let message = Step(index: 13)
        /// A proof of possession beside a token (RFC 9449), whatever part of it was rejected.
        public static let proof = Step(index: 14)

        private static let names: [StaticString] = [
            "token", "header", "algorithm", "key", "signature", "decryption", "payload", "claims",
            "key-set", "certificate", "output", "call", "key-file", "message",
            "proof",
        ]

        /// All of them, in the order in which they came.
        package static var all: [Step] { names.indices.map { Step(index: UInt8($0)) } }

        /// The word that command lines and logs use, such as `header`.
        public var name: String { Step.names[Int(index)].description }
    }

    /// One English sentence without input text but the name of a claim; for `decryptionFailed` always the same.
    public var message: String {
        if let claim { return "claim \(claim): \(reason)" }
        if let input { return "\(input): \(reason)" }
        return reason.description
    }
}

extension JOSEError: Hashable {
    /// Equal in code, step, claim, input and message.
    public static func == (a: JOSEError, b: JOSEError) -> Bool {
        a.code == b.code && a.step == b.step && a.input == b.input
            && ExactString(a.claim) == ExactString(b.claim)
            && a.reason == b.reason
    }

    /// Hashes what `==` compares, less the message.
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
    /// Nothing: what is dumped is the name.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension JOSEError.Step: CustomStringConvertible, CustomReflectable {
    /// The same as `name`.
    public var description: String { name }
    /// Nothing: what is dumped is the name.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension JOSEError: CustomReflectable {
    /// What people may want to see: code, step, input, claim and reason.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "code": code, "step": step, "input": input as Any, "claim": claim as Any,
                "reason": reason.description,
            ])
    }
}
