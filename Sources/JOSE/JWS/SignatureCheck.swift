// The steps of a verification, from the token's form to its signature.

import JOSEBytes
import JOSECrypto

/// Keys, algorithms and limits of a verifier, shared by its copies, and the way of a token through them.
final class SignatureCheck: Sendable {
    let keys: VerificationKeys
    private let admission: SignatureAdmission
    private let memory = HeaderMemory<Choice>()

    /// What came of a header that was read under this rule for `typ`.
    private final class Choice: Sendable {
        let checked: (algorithm: SignatureAlgorithm, keyIndex: Int)
        let operation: SignatureOperation
        let type: TypeRule

        init(_ selected: Selected, _ type: TypeRule) {
            checked = (selected.checked.algorithm, selected.checked.keyIndex)
            operation = selected.operation
            self.type = type
        }
    }

    init(_ keys: VerificationKeys, _ admission: SignatureAdmission) {
        self.keys = keys
        self.admission = admission
    }

    var limits: Limits { admission.limits }

    /// A token whose signature was accepted: where its parts are, and which key it was.
    struct Checked {
        let algorithm: SignatureAlgorithm
        let header: Range<Int>
        let payload: Range<Int>
        let keyIndex: Int

        /// The payload, decoded into one exact array.
        func payloadBytes(_ token: Span<UInt8>) throws(JOSEError) -> [UInt8] {
            guard let payload = Base64URL.decode(token.extracting(payload)) else {
                throw .payloadNotBase64URL
            }
            return payload
        }
    }

    /// A token whose key is known and whose signature is not judged yet.
    struct Selected {
        let parts: CompactJWS
        let operation: SignatureOperation
        let checked: Checked
        /// Whether the header was known from an accepted token.
        let isKnown: Bool
    }

    /// Everything up to and including the signature; the payload is not looked at.
    ///
    /// - Parameters:
    ///   - header: The token's header, where it was admitted before, under the same rule for `typ`.
    ///   - now: The time for keys whose certificates were validated; the system's clock where none is given.
    func verify(
        _ token: Span<UInt8>, header: AdmittedHeader? = nil, type: TypeRule = .any,
        at now: NumericDate? = nil, trace: Trace? = nil
    ) throws(JOSEError) -> Checked {
        let question = Question(
            check: self, header: header, type: type, now: now, trace: trace)
        let selected = try select(CompactJWS(token, limits), token, question)
        try verify(token, selected)
        trace?.passed(.signature, "the signature verifies")
        if !selected.isKnown, keys.areTimeless {
            memory.keep(token.extracting(selected.checked.header), Choice(selected, type))
        }
        return selected.checked
    }

    /// What one token is asked. It is lent to closures and cannot be copied: copies of what it holds, one for each
    /// closure on the way, took a tenth of a microsecond.
    struct Question: ~Copyable {
        let check: SignatureCheck
        var header: AdmittedHeader?
        var type = TypeRule.any
        var now: NumericDate?
        var trace: Trace?

        func select(
            _ fields: HeaderFields, _ text: Span<UInt8>
        ) throws(JOSEError) -> (SignatureAlgorithm, SignatureOperation, Int) {
            try check.select(fields, text, type: type, at: now, trace: trace)
        }
    }

    /// Everything between the token's form and the signature.
    func select(
        _ parts: CompactJWS, _ token: Span<UInt8>, _ question: borrowing Question
    ) throws(JOSEError) -> Selected {
        let header = token.extracting(parts.header)
        if question.trace == nil, let known = memory.outcome(of: header),
            known.type == question.type
        {
            return Selected(
                parts: parts, operation: known.operation,
                checked: Checked(
                    algorithm: known.checked.algorithm, header: parts.header,
                    payload: parts.payload, keyIndex: known.checked.keyIndex), isKnown: true)
        }
        let (algorithm, operation, index) =
            if let admitted = question.header {
                try choose(admitted, at: question.now, trace: question.trace)
            } else {
                try HeaderText.read(header, limits) { (fields, text, _) throws(JOSEError) in
                    try question.select(fields, text)
                }
            }
        return Selected(
            parts: parts, operation: operation,
            checked: Checked(
                algorithm: algorithm, header: parts.header, payload: parts.payload, keyIndex: index
            ), isKnown: false)
    }

    /// The algorithm and key of one header.
    func select(
        _ fields: HeaderFields, _ text: Span<UInt8>, type: TypeRule = .any,
        at now: NumericDate? = nil, trace: Trace? = nil
    ) throws(JOSEError) -> (SignatureAlgorithm, SignatureOperation, Int) {
        let algorithm = try admission.admit(fields, text, type, trace)
        let (operation, index) = try choose(algorithm, fields, text, at: now, trace: trace)
        return (algorithm, operation, index)
    }

    /// The key of a header that was admitted.
    private func choose(
        _ algorithm: SignatureAlgorithm, _ fields: HeaderFields, _ text: Span<UInt8>,
        at now: NumericDate?, trace: Trace?
    ) throws(JOSEError) -> (operation: SignatureOperation, index: Int) {
        trace?.keys(keys.fits(algorithm, keyID: fields.keyID.map { JSON.string($0, in: text) }))
        return try keys.operation(algorithm, keyID: fields.keyID, in: text, at: now)
    }

    private func choose(
        _ header: AdmittedHeader, at now: NumericDate?, trace: Trace?
    ) throws(JOSEError) -> (SignatureAlgorithm, SignatureOperation, Int) {
        let text = header.text
        let (operation, index) = try choose(
            header.algorithm, header.fields, text.span, at: now, trace: trace)
        return (header.algorithm, operation, index)
    }

    /// The `kid` of the key that verified.
    func keyID(_ index: Int) -> String? { keys.keyID(index) }

    /// Judges the signature; what was signed is a prefix of the token.
    func verify(_ token: Span<UInt8>, _ selected: Selected) throws(JOSEError) {
        try verify(
            token.extracting(selected.parts.signingInput),
            encoded: token.extracting(selected.parts.signature), selected.operation)
    }

    /// Judges one signature, given as base64url text.
    func verify(
        _ input: Span<UInt8>, encoded signature: Span<UInt8>, _ operation: SignatureOperation
    ) throws(JOSEError) {
        try withSignature(signature, operation) { (signature) throws(JOSEError) in
            do throws(CryptoFault) {
                try operation.verify(input, signature: signature)
            } catch {
                throw JOSEError(error, rejected: .signatureInvalid)
            }
        }
    }

    /// Lends the decoded signature. Its length must be exact before it is decoded.
    func withSignature<R>(
        _ signature: Span<UInt8>, _ operation: SignatureOperation,
        _ body: (Span<UInt8>) throws(JOSEError) -> R
    ) throws(JOSEError) -> R {
        guard let size = Base64URL.decodedCount(signature.count) else {
            throw .signatureNotBase64URL
        }
        guard size == operation.signatureBytes else {
            guard Base64URL.isValid(signature) else { throw .signatureNotBase64URL }
            throw .signatureInvalid
        }
        return try withScratch(of: UInt8.self, capacity: size) { (bytes) throws(JOSEError) in
            guard Base64URL.decode(signature, into: &bytes) else { throw .signatureNotBase64URL }
            return try body(bytes.span)
        }
    }
}

extension JOSEError {
    static let payloadNotBase64URL = JOSEError.malformed(.payload, "the payload is not base64url")
    fileprivate static let signatureNotBase64URL = JOSEError.malformed(
        .signature, "the signature is not base64url")
}
