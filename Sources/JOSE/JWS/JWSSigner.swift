// Creates compact JWS.

import JOSEBytes

/// Creates compact JSON Web Signatures (RFC 7515) with one key and one algorithm.
///
/// Create it once and use it from any thread.
public struct JWSSigner: Sendable {
    let signing: SigningKey
    private let algorithm: SignatureAlgorithm
    private let keyID: String?
    private let header: HeaderParameters
    private let encodedHeader: [UInt8]
    let limits: JOSELimits

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: A private key; its `kid` is written to the header.
    ///   - algorithm: The signature algorithm.
    ///   - header: Further members of every header.
    ///   - limits: Limits on the token. Pass those that its readers apply.
    /// - Throws: `keyUnusable` if the key is public, for another use, or external and lacks the
    ///   algorithm; `misuse` for a header that is too large, or has a name that
    ///   `HeaderParameters.additional` rejects or a value that JSON cannot represent.
    public init(
        key: JWK, algorithm: SignatureAlgorithm, header: HeaderParameters = HeaderParameters(),
        limits: JOSELimits = .standard
    ) throws(JOSEError) {
        let match = key.match(.signing(algorithm))
        guard match == .matches else { throw match.error(.signing(algorithm), key.names) }
        signing = try key.prepared.signing(algorithm)
        encodedHeader = try header.encoded(algorithm: algorithm.staticName, keyID: key.keyID)
        keyID = key.keyID
        self.algorithm = algorithm
        self.header = header
        self.limits = limits
    }

    func encodedHeader(_ encoding: PayloadEncoding) throws(JOSEError) -> [UInt8] {
        guard encoding == .unencoded else { return encodedHeader }
        return try header.encoded(algorithm: algorithm.staticName, keyID: keyID, isUnencoded: true)
    }

    /// The names of the additional members of the signer's header.
    var headerNames: [String] { Array(header.additional.keys) }

    func encodedHeader(_ header: HeaderParameters) throws(JOSEError) -> [UInt8] {
        try header.encoded(algorithm: algorithm.staticName, keyID: keyID)
    }

    /// Signs a payload.
    ///
    /// - Parameter payload: Any bytes.
    /// - Throws: `limitExceeded` if the token is over the limit; `internal` if OpenSSL fails;
    ///   `misuse` for an external key: use `sign(_:header:timeout:)`.
    /// - Returns: The compact serialisation.
    ///
    /// Costs the raw signature and one allocation, the token. Source: RFC 7515, 5.1.
    public func sign(_ payload: Span<UInt8>) throws(JOSEError) -> String {
        try sign(payload, header: encodedHeader.span)
    }

    /// Signs a payload, optionally with other header members.
    ///
    /// - Parameters:
    ///   - payload: Any bytes.
    ///   - header: Replaces the signer's `header`; nil keeps it. `alg` and `kid` stay.
    /// - Throws: As `sign(_:)` over a span, and `misuse` for a header that the initialiser rejects.
    @inlinable
    public func sign(
        _ payload: [UInt8], header: HeaderParameters? = nil
    ) throws(JOSEError) -> String {
        // Inlined, so that the optional costs nothing in a call without a header.
        guard let header else { return try sign(payload.span) }
        return try sign(payload, ownHeader: header)
    }

    @usableFromInline
    func sign(_ payload: [UInt8], ownHeader header: HeaderParameters) throws(JOSEError) -> String {
        let encoded = try encodedHeader(header)
        return try sign(payload.span, header: encoded.span)
    }

    /// Signs the UTF-8 bytes of a string; see `sign(_:)` over a span.
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

    /// The signing input, with capacity for the token. `header` is base64url; nil for the signer's.
    func draft(
        _ payload: Span<UInt8>, header: [UInt8]? = nil
    ) throws(JOSEError) -> [UInt8] {
        let header = header ?? encodedHeader
        return [UInt8](byteCapacity: try tokenBytes(payload.count, header: header.count)) {
            appendSigningInput(payload, header: header.span, to: &$0)
        }
    }

    /// The exact size of the token in bytes. Throws `limitExceeded` if it is over the limit.
    func tokenBytes(_ payloadBytes: Int) throws(JOSEError) -> Int {
        try tokenBytes(payloadBytes, header: encodedHeader.count)
    }

    /// Appends the signed token. `out` must have a free capacity of at least `tokenBytes`.
    func append(_ payload: Span<UInt8>, to out: inout OutputSpan<UInt8>) throws(JOSEError) {
        try append(payload, header: encodedHeader.span, to: &out)
    }

    private func tokenBytes(_ payloadBytes: Int, header: Int) throws(JOSEError) -> Int {
        // One throw only: each costs code size on the path that does not throw.
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
        appendSigningInput(payload, header: header, to: &out)
        let end = out.count
        out.append(0x2e)
        try out.appendBase64URL(count: signing.signatureBytes) {
            (written, signature) throws(JOSEError) in
            try signing.sign(written.extracting(start..<end), into: &signature)
        }
    }

    @inline(__always)
    private func appendSigningInput(
        _ payload: Span<UInt8>, header: Span<UInt8>, to out: inout OutputSpan<UInt8>
    ) {
        out.append(copying: header)
        out.append(0x2e)
        out.appendBase64URL(of: payload)
    }
}

extension JWSSigner: RedactedDescription {}
