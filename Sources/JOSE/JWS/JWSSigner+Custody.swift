// Signing with a key that may be elsewhere.

import JOSEBytes

extension JWSSigner {
    /// Signs a payload with a key that may be held elsewhere.
    ///
    /// - Parameters:
    ///   - payload: Any bytes.
    ///   - time: How long the call may take; a key's custodian may have less by its rule.
    /// - Throws: As `sign(_:)` over a span; `unavailable` where the custodian cannot answer in time, or the task was
    ///   cancelled; `internal` where what it answers is no signature of this key; `limitExceeded` for a message that is
    ///   longer than it takes.
    /// - Returns: The compact serialisation, verified with the public key.
    public func sign(_ payload: [UInt8], within time: Duration) async throws(JOSEError) -> String {
        try await HeldAnswers.asking(within: time) { () throws(JOSEError) in try sign(payload) }
    }

    /// Signs the UTF-8 bytes of a text with a key that may be held elsewhere; see `sign(_:within:)` over bytes.
    public func sign(_ payload: String, within time: Duration) async throws(JOSEError) -> String {
        try await HeldAnswers.asking(within: time) { () throws(JOSEError) in try sign(payload) }
    }

    /// Signs a payload under a header of its own with a key that may be held elsewhere; see `sign(_:within:)`.
    ///
    /// - Throws: As there, and `misuse` for a registered header member.
    public func sign(
        _ payload: [UInt8], header: HeaderParameters, within time: Duration
    ) async throws(JOSEError) -> String {
        try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try sign(payload, header: header)
        }
    }

    /// Signs a payload that travels apart with a key that may be held elsewhere; see `signDetached(_:encoding:)` and
    /// `sign(_:within:)`.
    public func signDetached(
        _ payload: [UInt8], encoding: PayloadEncoding = .base64URL, within time: Duration
    ) async throws(JOSEError) -> String {
        try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try signDetached(payload, encoding: encoding)
        }
    }

    /// Signs a payload that stands in the compact token as it is, with a key that may be held elsewhere; see
    /// `signUnencoded(_:)` and `sign(_:within:)`.
    public func signUnencoded(
        _ payload: String, within time: Duration
    ) async throws(JOSEError) -> String {
        try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try signUnencoded(payload)
        }
    }
}

extension JWSJSONSigner {
    /// Signs a payload with keys of which some may be held elsewhere; see `sign(_:as:encoding:)`.
    ///
    /// - Parameters:
    ///   - payload: Any bytes; UTF-8 text where it stands unencoded.
    ///   - form: General where nothing is said; flattened only with one signature.
    ///   - encoding: How the payload is signed and written.
    ///   - time: How long the call may take, all its signatures together.
    /// - Throws: As there, and as `JWSSigner.sign(_:within:)`.
    public func sign(
        _ payload: [UInt8], as form: JSONForm = .general,
        encoding: PayloadEncoding = .base64URL, within time: Duration
    ) async throws(JOSEError) -> String {
        try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try sign(payload, as: form, encoding: encoding)
        }
    }

    /// Signs a payload that travels apart with keys of which some may be held elsewhere; see
    /// `signDetached(_:as:encoding:)` and `sign(_:as:encoding:within:)`.
    public func signDetached(
        _ payload: [UInt8], as form: JSONForm = .general,
        encoding: PayloadEncoding = .base64URL, within time: Duration
    ) async throws(JOSEError) -> String {
        try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try signDetached(payload, as: form, encoding: encoding)
        }
    }
}
