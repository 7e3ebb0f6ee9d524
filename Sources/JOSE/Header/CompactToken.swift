// Splits compact tokens into parts at their dots, before anything is decoded.

import JOSEBytes

/// The three parts of a compact JWS as ranges (RFC 7515, 7.1).
struct CompactJWS {
    let header: Range<Int>
    let payload: Range<Int>
    let signature: Range<Int>

    init(_ token: Span<UInt8>, _ limits: JOSELimits) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .tooLarge(token.count, limits)
        }
        let dots = ByteOffsets(of: CompactToken.dot, in: token)
        guard dots.count == 2 else { throw CompactToken.other(dots.count, token, expected: .jws) }
        let (first, second, _, _, _) = dots.offsets
        header = 0..<first
        payload = (first + 1)..<second
        signature = (second + 1)..<token.count
    }

    /// The signing input: a prefix of the token as received.
    var signingInput: Range<Int> { 0..<payload.upperBound }
}

/// The five parts of a compact JWE as ranges (RFC 7516, 7.1).
struct CompactJWE {
    let header: Range<Int>
    let encryptedKey: Range<Int>
    let iv: Range<Int>
    let ciphertext: Range<Int>
    let tag: Range<Int>

    /// Finds the parts from both ends. A further dot would be in `ciphertext`, which is then not
    /// base64url.
    init(_ token: Span<UInt8>, _ limits: JOSELimits) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .tooLarge(token.count, limits)
        }
        let dots = ByteOffsets(of: CompactToken.dot, in: token, outer: true)
        guard dots.count == 4 else { throw CompactToken.other(dots.count, token, expected: .jwe) }
        let (first, second, third, fourth, _) = dots.offsets
        header = 0..<first
        encryptedKey = (first + 1)..<second
        iv = (second + 1)..<third
        ciphertext = (third + 1)..<fourth
        tag = (fourth + 1)..<token.count
    }

    /// Rejects a dot in `ciphertext` before the header or the keys are checked.
    func checkCount(_ token: Span<UInt8>) throws(JOSEError) {
        let more = ByteOffsets(of: CompactToken.dot, in: token.extracting(ciphertext))
        guard more.count == 0 else { throw CompactToken.other(5, token, expected: .jwe) }
    }
}

enum CompactToken {
    static let dot = UInt8(ascii: ".")

    /// The size from which a part is decoded while its hash or tag is computed.
    static let longText = 16_384

    enum Form {
        case jws, jwe

        var name: StaticString { self == .jws ? "JWS" : "JWE" }
        var partCount: Int { self == .jws ? 3 : 5 }
        var jsonReader: StaticString { self == .jws ? "verifyJSON" : "decryptJSON" }
    }

    /// The error for a text that is not of the expected form; it names what the text seems to be.
    ///
    /// - Parameter dotCount: The number of dots; five means five or more.
    @inline(never)
    static func other(_ dotCount: Int, _ token: Span<UInt8>, expected form: Form) -> JOSEError {
        let first = token.indices.first { token[$0] > 0x20 }
        if let first, token[first] == UInt8(ascii: "{") {
            return JOSEError.malformed(
                .token,
                "this is JSON, not a compact {} of {} parts: {} reads the JSON serialisation",
                .name(form.name), .number(form.partCount), .name(form.jsonReader)
            ).withSetting(.jsonForm)
        }
        switch (form, dotCount) {
        case (.jws, 4):
            return JOSEError.malformed(
                .token, "a JWS has 3 parts; this has the 5 of a JWE: it is encrypted"
            ).withSetting(.encrypted)
        case (.jwe, 2):
            return JOSEError.malformed(
                .token, "a JWE has 5 parts; this has the 3 of a JWS: it is not encrypted"
            ).withSetting(.notEncrypted)
        case _ where token.isEmpty: return .malformed(.token, "the token is empty")
        case (_, 5...):
            return .malformed(
                .token, "a compact {} has {} parts, not 6 or more", .name(form.name),
                .number(form.partCount))
        default:
            return .malformed(
                .token, "a compact {} has {} parts with dots between them, not {}; was it cut off?",
                .name(form.name), .number(form.partCount), .number(dotCount + 1))
        }
    }
}

extension JOSEError {
    /// The error for a token over the limit.
    @inline(never)
    package static func tooLarge(_ bytes: Int, _ limits: JOSELimits) -> JOSEError {
        JOSEError.limitExceeded(
            .token, "the token has {} bytes; at most {} are accepted (JOSELimits.tokenBytes)",
            .number(bytes), .number(limits.tokenBytes)
        ).withSetting(.tokenBytes)
    }

    /// The error for a token that would be over the limit if it were created.
    @inline(never)
    static func outputTooLarge(_ bytes: Int, _ limits: JOSELimits) -> JOSEError {
        .limitExceeded(
            .output,
            "the token would have {} bytes; at most {} are accepted (JOSELimits.tokenBytes)",
            .number(bytes), .number(limits.tokenBytes))
    }

    /// The error for a protected header over the limit.
    @inline(never)
    static func headerTooLarge(_ bytes: Int, _ limits: JOSELimits) -> JOSEError {
        .limitExceeded(
            .header, "the header has {} bytes; at most {} are accepted (JOSELimits.headerBytes)",
            .number(bytes), .number(limits.headerBytes))
    }
}
