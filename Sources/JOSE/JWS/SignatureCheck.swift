// Verifies a signed token step by step, from its format to its signature.

import JOSEBytes
import JOSECrypto

/// Verifies tokens with the keys, algorithms and limits of a verifier. All copies of the verifier
/// share one instance.
final class SignatureCheck: Sendable {
    let keys: VerificationKeys
    let headerPolicy: SignatureHeaderPolicy
    private let cache = HeaderCache<KnownHeader>()

    /// The key and algorithm of a header that was accepted under this rule for `typ`.
    private final class KnownHeader: Sendable {
        let algorithm: SignatureAlgorithm
        let keyIndex: Int
        let operation: SignatureOperation
        let type: MediaTypeRule

        init(_ token: PendingToken, _ type: MediaTypeRule) {
            algorithm = token.selected.algorithm
            keyIndex = token.selected.keyIndex
            operation = token.operation
            self.type = type
        }
    }

    init(_ keys: VerificationKeys, _ headerPolicy: SignatureHeaderPolicy) {
        self.keys = keys
        self.headerPolicy = headerPolicy
    }

    var limits: JOSELimits { headerPolicy.limits }

    /// The ranges of a token's parts, and its selected key.
    struct SelectedToken {
        let algorithm: SignatureAlgorithm
        let header: Range<Int>
        let payload: Range<Int>
        let keyIndex: Int

        /// The payload, decoded into one array of the exact size.
        func payloadBytes(_ token: Span<UInt8>) throws(JOSEError) -> [UInt8] {
            guard let payload = Base64URL.decode(token.extracting(payload)) else {
                throw malformedPayload(token)
            }
            return payload
        }

        func malformedPayload(_ token: Span<UInt8>) -> JOSEError {
            .notBase64URL(token.extracting(payload), .payload, "the payload")
        }
    }

    /// A token whose key is selected and whose signature is not verified yet.
    struct PendingToken {
        let parts: CompactJWS
        let operation: SignatureOperation
        let selected: SelectedToken
        /// Whether the header was cached from an accepted token.
        let isKnown: Bool
    }

    /// The payload that is decoded while the hash of the signing input is computed. Only a long
    /// payload is decoded this early; `take` decodes a short one.
    enum EarlyPayload {
        case notWanted
        case wanted
        case decoded([UInt8])
        case malformed

        /// Returns the payload of a verified token, in an array that has no other owner.
        mutating func take(
            _ verified: SelectedToken, of token: Span<UInt8>
        ) throws(JOSEError) -> [UInt8] {
            switch self {
            case .notWanted, .wanted: return try verified.payloadBytes(token)
            case .malformed: throw verified.malformedPayload(token)
            case .decoded(let payload):
                self = .notWanted
                return payload
            }
        }
    }

    /// Verifies a token up to and including its signature.
    ///
    /// - Parameters:
    ///   - payload: The payload, if it is decoded early. It is not read before the signature is
    ///     accepted.
    ///   - header: The token's header, if it was validated before under the same rule for `typ`.
    @inline(__always)
    func verify(
        _ token: Span<UInt8>, payload: inout EarlyPayload, header: ValidatedHeader? = nil,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> SelectedToken {
        if let trace = context.trace {
            return try explain(token, payload: &payload, header: header, context, trace)
        }
        return try accept(token, payload: &payload, header: header, context)
    }

    @inline(__always)
    private func accept(
        _ token: Span<UInt8>, payload: inout EarlyPayload, header: ValidatedHeader?,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> SelectedToken {
        let pending = try selectKey(CompactJWS(token, limits), token, header: header, context)
        if pending.parts.payload.count >= CompactToken.longText, case .wanted = payload {
            payload = try SignatureCheck.verifyReading(token, pending)
        } else {
            try SignatureCheck.verify(token, pending)
        }
        context.trace?.passed(.signature, "the signature verifies")
        if !pending.isKnown, keys.selectionIgnoresTime {
            cache.keep(
                token.extracting(pending.selected.header), KnownHeader(pending, context.type))
        }
        return pending.selected
    }

    /// Verifies as `accept` does, and records the cause of an error in the trace.
    @inline(never)
    private func explain(
        _ token: Span<UInt8>, payload: inout EarlyPayload, header: ValidatedHeader?,
        _ context: borrowing VerificationContext, _ trace: Trace
    ) throws(JOSEError) -> SelectedToken {
        do throws(JOSEError) {
            return try accept(token, payload: &payload, header: header, context)
        } catch {
            SignatureRejection(
                keys: keys, headerPolicy: headerPolicy, type: context.type, trace: trace
            ).explain(error, token)
            throw error
        }
    }

    /// Selects the key of a token. A cached header is not read again.
    func selectKey(
        _ parts: CompactJWS, _ token: Span<UInt8>, header: ValidatedHeader? = nil,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> PendingToken {
        if context.trace == nil, let known = cache.outcome(of: token.extracting(parts.header)),
            known.type == context.type
        {
            return PendingToken(
                parts: parts, operation: known.operation,
                selected: SelectedToken(
                    algorithm: known.algorithm, header: parts.header,
                    payload: parts.payload, keyIndex: known.keyIndex), isKnown: true)
        }
        return try readHeader(parts, token, header: header, context)
    }

    /// Reads the header and selects the key. It is a separate function so that tokens with a cached
    /// header do not pay for its stack frame.
    @inline(never)
    private func readHeader(
        _ parts: CompactJWS, _ token: Span<UInt8>, header: ValidatedHeader?,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> PendingToken {
        let selected: SelectedKey
        if let header {
            let text = header.text
            selected = try key(for: header.algorithm, header.fields, text.span, context)
        } else {
            selected = try HeaderText.read(
                token.extracting(parts.header), limits, understanding: headerPolicy.extensions
            ) { (fields, text, _) throws(JOSEError) in try selectKey(fields, text, context) }
        }
        return PendingToken(
            parts: parts, operation: selected.operation,
            selected: SelectedToken(
                algorithm: selected.algorithm, header: parts.header, payload: parts.payload,
                keyIndex: selected.index), isKnown: false)
    }

    /// The selected key of a token, with its operation.
    struct SelectedKey {
        let algorithm: SignatureAlgorithm
        let operation: SignatureOperation
        let index: Int
    }

    func selectKey(
        _ fields: HeaderFields, _ text: Span<UInt8>, _ context: borrowing VerificationContext
    ) throws(JOSEError) -> SelectedKey {
        try key(for: headerPolicy.validate(fields, text, context), fields, text, context)
    }

    private func key(
        for algorithm: SignatureAlgorithm, _ fields: HeaderFields, _ text: Span<UInt8>,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> SelectedKey {
        if let trace = context.trace {
            let skipped = keys.skipped
            KeyDiagnosis.skipped(skipped, trace)
            trace.keys(
                keys.rejections(
                    algorithm, keyID: fields.keyID.map { JSON.string($0, in: text) },
                    at: context.now, except: skipped),
                skipped: skipped.count)
        }
        let (operation, index) = try keys.operation(
            algorithm, keyID: fields.keyID, in: text, at: context.now)
        return SelectedKey(algorithm: algorithm, operation: operation, index: index)
    }

    /// The `kid` of the key that verified.
    func keyID(_ index: Int) -> String? { keys.keyID(index) }

    /// Verifies the signature. The signing input is a prefix of the token.
    static func verify(_ token: Span<UInt8>, _ pending: PendingToken) throws(JOSEError) {
        do throws(JOSEError) {
            try verify(
                token.extracting(pending.parts.signingInput),
                encoded: token.extracting(pending.parts.signature), pending.operation)
        } catch {
            throw addingCause(to: error, payload: token.extracting(pending.parts.payload))
        }
    }

    /// Verifies the signature and decodes the payload, in one pass if the operation supports it.
    @inline(never)
    private static func verifyReading(
        _ token: Span<UInt8>, _ pending: PendingToken
    ) throws(JOSEError) -> EarlyPayload {
        let parts = pending.parts
        let operation = pending.operation
        do throws(JOSEError) {
            return try withSignature(token.extracting(parts.signature), operation) {
                (signature) throws(JOSEError) in
                var result = PayloadResult.notDecoded
                let capacity = Base64URL.decodedCount(parts.payload.count) ?? 0
                let bytes = try [UInt8](byteCapacity: capacity) { (out) throws(JOSEError) in
                    do throws(CryptoError) {
                        result = try operation.verify(
                            token.extracting(parts.signingInput), signature: signature,
                            payloadFrom: parts.payload.lowerBound, into: &out)
                    } catch {
                        throw JOSEError(error, rejected: .signatureInvalid)
                    }
                    if result == .notDecoded {
                        let isRead = Base64URL.decode(token.extracting(parts.payload), into: &out)
                        result = isRead ? .decoded : .malformed
                    }
                }
                return result == .decoded ? .decoded(bytes) : .malformed
            }
        } catch {
            throw addingCause(to: error, payload: token.extracting(parts.payload))
        }
    }

    /// Verifies one signature, given as base64url text.
    static func verify(
        _ input: Span<UInt8>, encoded signature: Span<UInt8>, _ operation: SignatureOperation
    ) throws(JOSEError) {
        try withSignature(signature, operation) { (signature) throws(JOSEError) in
            do throws(CryptoError) {
                try operation.verify(input, signature: signature)
            } catch {
                throw JOSEError(error, rejected: .signatureInvalid)
            }
        }
    }

    /// Calls `body` with the decoded signature. A signature of another length than the operation's
    /// is rejected before it is decoded.
    static func withSignature<R>(
        _ signature: Span<UInt8>, _ operation: SignatureOperation,
        _ body: (Span<UInt8>) throws(JOSEError) -> R
    ) throws(JOSEError) -> R {
        guard let size = Base64URL.decodedCount(signature.count) else {
            throw .notBase64URL(signature, .signature, "the signature")
        }
        guard size == operation.signatureBytes else {
            guard Base64URL.isValid(signature) else {
                throw .notBase64URL(signature, .signature, "the signature")
            }
            throw .signatureInvalid
        }
        return try withScratch(of: UInt8.self, capacity: size) { (bytes) throws(JOSEError) in
            guard Base64URL.decode(signature, into: &bytes) else {
                throw .notBase64URL(signature, .signature, "the signature")
            }
            return try body(bytes.span)
        }
    }
}

extension JOSEError {
    static let signatureInvalidDetached = JOSEError(
        .signatureInvalid, .signature,
        "the signature does not verify over an empty payload; is the payload detached?"
    ).withSetting(.detachedPayload)
}
