// Makes compact JWS.

import JOSEBytes

/// Makes compact JSON Web Signatures (RFC 7515) with one key and one algorithm.
///
/// Prepared once, used from many threads.
public struct JWSSigner: Sendable {
    let signing: SigningKey
    private let algorithm: SignatureAlgorithm
    private let keyID: String?
    private let header: HeaderParameters
    private let encodedHeader: [UInt8]
    let limits: JOSELimits

    /// A signer.
    ///
    /// - Parameters:
    ///   - key: A private key; its `kid` is written to the header.
    ///   - algorithm: The signature algorithm.
    ///   - header: Further header members for every token.
    ///   - limits: What a reader with the same limits would accept; larger tokens are rejected.
    /// - Throws: `keyUnusable` if the key is public, says that it is for something else or is held by an external key that does
    ///   not offer the algorithm, `misuse` for a registered header member.
    public init(
        key: JWK, algorithm: SignatureAlgorithm, header: HeaderParameters = HeaderParameters(),
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        let match = key.match(.signing(algorithm))
        guard match == .matches else { throw match.error(.signing(algorithm), key.names) }
        signing = try key.prepared.signing(algorithm)
        encodedHeader = try header.encoded(algorithm: algorithm.word, keyID: key.keyID)
        keyID = key.keyID
        self.algorithm = algorithm
        self.header = header
        self.limits = limits
    }

    /// The base64url text of the header for a payload of this encoding.
    func encodedHeader(_ encoding: PayloadEncoding) throws(JOSEError) -> [UInt8] {
        guard encoding == .unencoded else { return encodedHeader }
        return try header.encoded(algorithm: algorithm.word, keyID: keyID, isUnencoded: true)
    }

    /// The names of the members of the header that this signer adds by request.
    var headerNames: [String] {
        Array(header.additional.keys)
    }

    /// The base64url text of the protected header that replaces the signer's.
    func encodedHeader(_ header: HeaderParameters) throws(JOSEError) -> [UInt8] {
        try header.encoded(algorithm: algorithm.word, keyID: keyID)
    }

    /// Signs a payload.
    ///
    /// - Parameter payload: Any bytes.
    /// - Throws: `limitExceeded` if the token would pass the limit, `internal` if OpenSSL fails, `misuse` for a key that is
    ///   held elsewhere: `sign(_:timeout:)` is for such keys too.
    /// - Returns: The compact serialisation.
    ///
    /// Costs the raw signature and one allocation, the token. Source: RFC 7515, 5.1.
    public func sign(_ payload: Span<UInt8>) throws(JOSEError) -> String {
        try sign(payload, header: encodedHeader.span)
    }

    /// Signs a payload, under a header of its own where there is one.
    ///
    /// - Parameters:
    ///   - payload: Any bytes.
    ///   - header: Members instead of those of the signer; the signer's if left out.
    /// - Throws: As `sign(_:)` over a span, and `misuse` for a registered header member.
    @inlinable
    public func sign(
        _ payload: [UInt8], header: HeaderParameters? = nil
    ) throws(JOSEError) -> String {
        // Inlined: nobody who gives no header pays for the optional.
        guard let header else { return try sign(payload.span) }
        return try sign(payload, ownHeader: header)
    }

    @usableFromInline
    func sign(_ payload: [UInt8], ownHeader header: HeaderParameters) throws(JOSEError) -> String {
        let encoded = try encodedHeader(header)
        return try sign(payload.span, header: encoded.span)
    }

    /// Signs the UTF-8 bytes of a text; see `sign(_:)` over a span.
    public func sign(_ payload: String) throws(JOSEError) -> String {
        try sign(payload.utf8.span)
    }

    private func sign(
        _ payload: Span<UInt8>, header: Span<UInt8>
    ) throws(JOSEError) -> String {
        let size = try tokenBytes(payload.count, header: header.count)
        return try String(asciiCapacity: size) { (out) throws(JOSEError) in
            try append(payload, header: header, to: &out)
        }
    }

    /// The signing input of a token, with capacity for the whole token.
    ///
    /// - Parameter header: The base64url text of the header; the signer's if left out.
    func draft(
        _ payload: Span<UInt8>, header: [UInt8]? = nil
    ) throws(JOSEError) -> [UInt8] {
        let header = header ?? encodedHeader
        return [UInt8](byteCapacity: try tokenBytes(payload.count, header: header.count)) {
            layOut(payload, header: header.span, to: &$0)
        }
    }

    /// The exact size of the token over a payload of this size.
    func tokenBytes(_ payloadBytes: Int) throws(JOSEError) -> Int {
        try tokenBytes(payloadBytes, header: encodedHeader.count)
    }

    /// Appends the token to `out`, which has room for `tokenBytes`.
    func append(_ payload: Span<UInt8>, to out: inout OutputSpan<UInt8>) throws(JOSEError) {
        try append(payload, header: encodedHeader.span, to: &out)
    }

    private func tokenBytes(_ payloadBytes: Int, header: Int) throws(JOSEError) -> Int {
        // One place that throws: each takes room where nothing is thrown, too.
        let size =
            payloadBytes > limits.tokenBytes
            ? payloadBytes
            : header + 2 + Base64URL.encodedCount(payloadBytes)
                + Base64URL.encodedCount(signing.signatureBytes)
        guard size <= limits.tokenBytes else {
            throw .outputTooLarge(size, limits)
        }
        return size
    }

    private func append(
        _ payload: Span<UInt8>, header: Span<UInt8>, to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        let start = out.count
        layOut(payload, header: header, to: &out)
        let end = out.count
        out.append(0x2e)
        try out.appendBase64URL(count: signing.signatureBytes) {
            (written, signature) throws(JOSEError) in
            try signing.sign(written.extracting(start..<end), into: &signature)
        }
    }

    /// Appends the signing input (RFC 7515, 5.1).
    @inline(__always)
    private func layOut(
        _ payload: Span<UInt8>, header: Span<UInt8>, to out: inout OutputSpan<UInt8>
    ) {
        out.append(copying: header)
        out.append(0x2e)
        out.appendBase64URL(of: payload)
    }
}

extension JWSSigner: RedactedDescription {
    package var shownAs: String { "JWS signer" }
}
