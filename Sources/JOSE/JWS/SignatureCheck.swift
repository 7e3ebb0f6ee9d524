// The steps of a verification, from the token's form to its signature.

import JOSEBytes
import JOSECrypto

/// Keys, algorithms and limits of a verifier, shared by its copies, and the way of a token through them.
final class SignatureCheck: Sendable {
    let keys: VerificationKeys
    let admission: SignatureHeaderPolicy
    private let memory = HeaderCache<KnownHeader>()

    /// What came of a header that was read under this rule for `typ`.
    private final class KnownHeader: Sendable {
        let algorithm: SignatureAlgorithm
        let keyIndex: Int
        let operation: SignatureOperation
        let type: MediaTypeRule

        init(_ token: PendingToken, _ type: MediaTypeRule) {
            algorithm = token.accepted.algorithm
            keyIndex = token.accepted.keyIndex
            operation = token.operation
            self.type = type
        }
    }

    init(_ keys: VerificationKeys, _ admission: SignatureHeaderPolicy) {
        self.keys = keys
        self.admission = admission
    }

    var limits: JOSELimits { admission.limits }

    /// A token whose signature was accepted: where its parts are, and which key it was.
    struct AcceptedToken {
        let algorithm: SignatureAlgorithm
        let header: Range<Int>
        let payload: Range<Int>
        let keyIndex: Int

        /// The payload, decoded into one exact array.
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

    /// A token whose key is known and whose signature is not judged yet.
    struct PendingToken {
        let parts: CompactJWS
        let operation: SignatureOperation
        /// What it is once its signature was accepted.
        let accepted: AcceptedToken
        /// Whether the header was known from an accepted token.
        let isKnown: Bool
    }

    /// What becomes of a payload; a long one that is wanted is decoded beside its hash.
    enum PayloadDestination {
        case unwanted
        case wanted
        case taken([UInt8])
        case malformed

        /// The payload of an accepted token: one array, which nothing else holds then.
        mutating func take(
            _ accepted: AcceptedToken, of token: Span<UInt8>
        ) throws(JOSEError) -> [UInt8] {
            switch self {
            case .unwanted, .wanted: return try accepted.payloadBytes(token)
            case .malformed: throw accepted.malformedPayload(token)
            case .taken(let payload):
                self = .unwanted
                return payload
            }
        }
    }

    /// Everything up to and including the signature.
    ///
    /// - Parameters:
    ///   - payload: Where the payload goes that is decoded on the way; nobody looks at it before
    ///     the signature was accepted.
    ///   - header: The token's header, where it was admitted before, under the same rule for `typ`.
    @inline(__always)
    func verify(
        _ token: Span<UInt8>, payload: inout PayloadDestination, header: ValidatedHeader? = nil,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> AcceptedToken {
        if let trace = context.trace {
            return try explain(token, payload: &payload, header: header, context, trace)
        }
        return try accept(token, payload: &payload, header: header, context)
    }

    @inline(__always)
    private func accept(
        _ token: Span<UInt8>, payload: inout PayloadDestination, header: ValidatedHeader?,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> AcceptedToken {
        let unjudged = try selectKey(CompactJWS(token, limits), token, header: header, context)
        if unjudged.parts.payload.count >= CompactToken.longText, case .wanted = payload {
            try SignatureCheck.verify(token, unjudged, payload: &payload)
        } else {
            try SignatureCheck.verify(token, unjudged)
        }
        context.trace?.passed(.signature, "the signature verifies")
        if !unjudged.isKnown, keys.areTimeless {
            memory.keep(
                token.extracting(unjudged.accepted.header), KnownHeader(unjudged, context.type))
        }
        return unjudged.accepted
    }

    /// The same, with what is behind an error noted in the trace.
    @inline(never)
    private func explain(
        _ token: Span<UInt8>, payload: inout PayloadDestination, header: ValidatedHeader?,
        _ context: borrowing VerificationContext, _ trace: Trace
    ) throws(JOSEError) -> AcceptedToken {
        do throws(JOSEError) {
            return try accept(token, payload: &payload, header: header, context)
        } catch {
            SignatureRejection(keys: keys, admission: admission, type: context.type, trace: trace)
                .explain(error, token)
            throw error
        }
    }

    /// Everything between the token's form and the signature; nothing where the header is known.
    func selectKey(
        _ parts: CompactJWS, _ token: Span<UInt8>, header: ValidatedHeader? = nil,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> PendingToken {
        if context.trace == nil, let known = memory.outcome(of: token.extracting(parts.header)),
            known.type == context.type
        {
            return PendingToken(
                parts: parts, operation: known.operation,
                accepted: AcceptedToken(
                    algorithm: known.algorithm, header: parts.header,
                    payload: parts.payload, keyIndex: known.keyIndex), isKnown: true)
        }
        return try readHeader(parts, token, header: header, context)
    }

    /// Reads the header and selects the key; a function apart, so that nothing of it is prepared
    /// for tokens that end before.
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
                token.extracting(parts.header), limits, understanding: admission.extensions
            ) { (fields, text, _) throws(JOSEError) in try admitKey(fields, text, context) }
        }
        return PendingToken(
            parts: parts, operation: selected.operation,
            accepted: AcceptedToken(
                algorithm: selected.algorithm, header: parts.header, payload: parts.payload,
                keyIndex: selected.index), isKnown: false)
    }

    /// The one key that a token gets, with its operation.
    struct SelectedKey {
        let algorithm: SignatureAlgorithm
        let operation: SignatureOperation
        let index: Int
    }

    /// The key of a header, once the rules admit it.
    func admitKey(
        _ fields: HeaderFields, _ text: Span<UInt8>, _ context: borrowing VerificationContext
    ) throws(JOSEError) -> SelectedKey {
        try key(for: admission.admit(fields, text, context), fields, text, context)
    }

    /// The key of a header that was admitted.
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

    /// Judges the signature; what was signed is a prefix of the token.
    static func verify(_ token: Span<UInt8>, _ unjudged: PendingToken) throws(JOSEError) {
        do throws(JOSEError) {
            try verify(
                token.extracting(unjudged.parts.signingInput),
                encoded: token.extracting(unjudged.parts.signature), unjudged.operation)
        } catch {
            throw naming(error, token.extracting(unjudged.parts.payload))
        }
    }

    /// Judges the signature and decodes the payload, on the way where that can be.
    @inline(never)
    private static func verify(
        _ token: Span<UInt8>, _ unjudged: PendingToken, payload: inout PayloadDestination
    ) throws(JOSEError) {
        let parts = unjudged.parts
        let operation = unjudged.operation
        let encoded = token.extracting(parts.signature)
        try withSignature(encoded, operation) { (signature) throws(JOSEError) in
            var fate = PayloadResult.left
            let room = Base64URL.decodedCount(parts.payload.count) ?? 0
            let bytes = try [UInt8](byteCapacity: room) { (out) throws(JOSEError) in
                do throws(CryptoError) {
                    fate = try operation.verify(
                        token.extracting(parts.signingInput), signature: signature,
                        payloadFrom: parts.payload.lowerBound, into: &out)
                } catch {
                    throw naming(
                        JOSEError(error, rejected: .signatureInvalid),
                        token.extracting(parts.payload))
                }
                if fate == .left {
                    let isRead = Base64URL.decode(token.extracting(parts.payload), into: &out)
                    fate = isRead ? .read : .malformed
                }
            }
            payload = fate == .read ? .taken(bytes) : .malformed
        }
    }

    /// Judges one signature, given as base64url text.
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

    /// Lends the decoded signature. Its length must be exact before it is decoded.
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
    ).by(.detachedPayload)
}
