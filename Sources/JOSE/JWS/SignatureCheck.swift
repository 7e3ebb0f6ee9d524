// Verifies a signed token step by step, from its format to its signature.

import JOSEBytes
import JOSECrypto

/// Verifies with the keys and rules of a `JWSVerifier`, whose copies share one instance.
final class SignatureCheck: Sendable {
    let keys: VerificationKeys
    let headerPolicy: SignatureHeaderPolicy
    private let cache = HeaderCache<KnownHeader>()

    /// What `cache` keeps for a header that was accepted under the rule `type` for `typ`.
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

    /// A token's parts, and the algorithm and key that its header selects.
    struct SelectedToken {
        let algorithm: SignatureAlgorithm
        let header: Range<Int>
        let payload: Range<Int>
        let keyIndex: Int

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
        /// Whether `cache` had the header.
        let isKnown: Bool
    }

    /// The payload, if it is decoded while the signature is verified: for `.wanted` and at least
    /// `CompactToken.longText` base64url characters. `take` decodes any other payload.
    enum EarlyPayload {
        case notWanted
        case wanted
        case decoded([UInt8])
        case malformed

        /// Returns the payload of a verified token. `self` keeps no copy: the caller can wipe it.
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

    /// Verifies the format, the header and the signature of a compact token.
    ///
    /// - Parameters:
    ///   - payload: If `.wanted` and the payload is long, set to `.decoded` or `.malformed` after
    ///     the signature was accepted.
    ///   - header: The header, if it was validated before under the same rule for `typ`.
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
            payload = try SignatureCheck.verifyAndDecode(token, pending)
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

    /// As `accept`, and records the cause of an error in the trace.
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

    /// Selects the key of a token. Without a trace, a header in `cache` is not parsed again.
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

    /// Not inlined: tokens with a cached header do not pay for its stack frame.
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

    func keyID(_ index: Int) -> String? { keys.keyID(index) }

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
    private static func verifyAndDecode(
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
                        throw JOSEError(error, ifRejected: .signatureInvalid)
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

    static func verify(
        _ input: Span<UInt8>, encoded signature: Span<UInt8>, _ operation: SignatureOperation
    ) throws(JOSEError) {
        try withSignature(signature, operation) { (signature) throws(JOSEError) in
            do throws(CryptoError) {
                try operation.verify(input, signature: signature)
            } catch {
                throw JOSEError(error, ifRejected: .signatureInvalid)
            }
        }
    }

    /// Calls `body` with the decoded signature. Throws for another size than `signatureBytes`.
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
