// Splits compact tokens at their dots, before anything is decoded.

import JOSEBytes

/// The parts of a compact JWS (RFC 7515, 7.1), as ranges in the token.
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

    /// A prefix of the token as received (RFC 7515, 5.2).
    var signingInput: Range<Int> { 0..<payload.upperBound }
}

/// The parts of a compact JWE (RFC 7516, 7.1), as ranges in the token.
struct CompactJWE {
    let header: Range<Int>
    let encryptedKey: Range<Int>
    let iv: Range<Int>
    let ciphertext: Range<Int>
    let tag: Range<Int>

    /// Finds the first three dots and the last one. `ciphertext` may contain further dots:
    /// `checkCount` finds them, and base64url decoding rejects them.
    init(_ token: Span<UInt8>, _ limits: JOSELimits) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .tooLarge(token.count, limits)
        }
        let dots = ByteOffsets(of: CompactToken.dot, in: token, firstAndLast: true)
        guard dots.count == 4 else { throw CompactToken.other(dots.count, token, expected: .jwe) }
        let (first, second, third, fourth, _) = dots.offsets
        header = 0..<first
        encryptedKey = (first + 1)..<second
        iv = (second + 1)..<third
        ciphertext = (third + 1)..<fourth
        tag = (fourth + 1)..<token.count
    }

    /// Rejects a dot in `ciphertext`. Callers report this error before any header or key error.
    func checkCount(_ token: Span<UInt8>) throws(JOSEError) {
        let more = ByteOffsets(of: CompactToken.dot, in: token.extracting(ciphertext))
        guard more.count == 0 else { throw CompactToken.other(5, token, expected: .jwe) }
    }
}

enum CompactToken {
    static let dot = UInt8(ascii: ".")

    /// Only a part of at least this many characters is decoded while its hash or tag is computed.
    static let longText = 16_384

    enum Form {
        case jws, jwe

        var name: StaticString { self == .jws ? "JWS" : "JWE" }
        var partCount: Int { self == .jws ? 3 : 5 }
        var jsonReader: StaticString { self == .jws ? "verifyJSON" : "decryptJSON" }
    }

    /// Returns an error that names what the text seems to be. `dotCount` 5 means 5 or more.
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
    @inline(never)
    package static func tooLarge(_ bytes: Int, _ limits: JOSELimits) -> JOSEError {
        JOSEError.limitExceeded(
            .token, "the token has {} bytes; at most {} are accepted (JOSELimits.tokenBytes)",
            .number(bytes), .number(limits.tokenBytes)
        ).withSetting(.tokenBytes)
    }

    @inline(never)
    static func outputTooLarge(_ bytes: Int, _ limits: JOSELimits) -> JOSEError {
        .limitExceeded(
            .output,
            "the token would have {} bytes or more; up to {} are accepted (JOSELimits.tokenBytes)",
            .number(bytes), .number(limits.tokenBytes))
    }

    @inline(never)
    static func headerTooLarge(_ bytes: Int, _ limits: JOSELimits) -> JOSEError {
        .limitExceeded(
            .header, "the header has {} bytes; at most {} are accepted (JOSELimits.headerBytes)",
            .number(bytes), .number(limits.headerBytes))
    }
}
