// The outer form of a compact token: positions of its dots, found before anything is decoded.

import JOSEBytes

/// The three parts of a compact JWS, as positions (RFC 7515, 7.1).
struct CompactJWS {
    let header: Range<Int>
    let payload: Range<Int>
    let signature: Range<Int>

    init(_ token: Span<UInt8>, _ limits: JOSELimits) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .tooLarge(token.count, limits)
        }
        let dots = Places(of: CompactToken.dot, in: token)
        guard dots.count == 2 else { throw CompactToken.other(dots.count, token, wanted: .jws) }
        let (first, second, _, _, _) = dots.place
        header = 0..<first
        payload = (first + 1)..<second
        signature = (second + 1)..<token.count
    }

    /// What was signed: a prefix of the token, never rebuilt.
    var signingInput: Range<Int> { 0..<payload.upperBound }
}

/// The five parts of a compact JWE, as positions (RFC 7516, 7.1).
struct CompactJWE {
    let header: Range<Int>
    let encryptedKey: Range<Int>
    let iv: Range<Int>
    let ciphertext: Range<Int>
    let tag: Range<Int>

    /// Finds the parts from both ends: a dot more would lie within `ciphertext`, which is no base64url then.
    init(_ token: Span<UInt8>, _ limits: JOSELimits) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .tooLarge(token.count, limits)
        }
        let dots = Places(of: CompactToken.dot, in: token, outer: true)
        guard dots.count == 4 else { throw CompactToken.other(dots.count, token, wanted: .jwe) }
        let (first, second, third, fourth, _) = dots.place
        header = 0..<first
        encryptedKey = (first + 1)..<second
        iv = (second + 1)..<third
        ciphertext = (third + 1)..<fourth
        tag = (fourth + 1)..<token.count
    }

    /// Rejects a dot within `ciphertext`, before anything is said of the header or the keys.
    func checkCount(_ token: Span<UInt8>) throws(JOSEError) {
        let more = Places(of: CompactToken.dot, in: token.extracting(ciphertext))
        guard more.count == 0 else { throw CompactToken.other(5, token, wanted: .jwe) }
    }
}

enum CompactToken {
    static let dot = UInt8(ascii: ".")

    /// From so many characters on a part is decoded beside its hash.
    static let longText = 16_384

    enum Form { case jws, jwe }

    /// Why a text is not of the wanted form, and what it seems to be.
    ///
    /// - Parameter dotCount: How many dots it has; five means five or more.
    @inline(never)
    static func other(_ dotCount: Int, _ token: Span<UInt8>, wanted form: Form) -> JOSEError {
        let first = token.indices.first { token[$0] > 0x20 }
        if let first, token[first] == UInt8(ascii: "{") {
            switch form {
            case .jws:
                return JOSEError.malformed(
                    .token,
                    "this is JSON, not a compact JWS of 3 parts: verifyJSON reads the JSON serialisation"
                ).by(.jsonForm)
            case .jwe:
                return JOSEError.malformed(
                    .token,
                    "this is JSON, not a compact JWE of 5 parts: decryptJSON reads the JSON serialisation"
                ).by(.jsonForm)
            }
        }
        switch (form, dotCount) {
        case (.jws, 4):
            return JOSEError.malformed(
                .token,
                "a JWS has 3 parts; this has the 5 of a JWE: it is encrypted"
            ).by(.encrypted)
        case (.jwe, 2):
            return JOSEError.malformed(
                .token,
                "a JWE has 5 parts; this has the 3 of a JWS: it is not encrypted"
            ).by(.notEncrypted)
        case _ where token.isEmpty: return .malformed(.token, "the token is empty")
        case (.jws, 5...): return .malformed(.token, "a compact JWS has 3 parts, not 6 or more")
        case (.jwe, 5...): return .malformed(.token, "a compact JWE has 5 parts, not 6 or more")
        case (.jws, _):
            return .malformed(
                .token, "a compact JWS has 3 parts with dots between them, not {}; was it cut off?",
                .number(dotCount + 1))
        case (.jwe, _):
            return .malformed(
                .token, "a compact JWE has 5 parts with dots between them, not {}; was it cut off?",
                .number(dotCount + 1))
        }
    }
}

extension JOSEError {
    /// A token over the limit.
    @inline(never)
    package static func tooLarge(_ bytes: Int, _ limits: JOSELimits) -> JOSEError {
        JOSEError.limitExceeded(
            .token, "the token has {} bytes; at most {} are accepted (JOSELimits.tokenBytes)",
            .number(bytes), .number(limits.tokenBytes)
        ).by(.tokenBytes)
    }

    /// A token that is made and would be over the limit.
    @inline(never)
    static func outputTooLarge(_ bytes: Int, _ limits: JOSELimits) -> JOSEError {
        .limitExceeded(
            .output,
            "the token would have {} bytes; at most {} are accepted (JOSELimits.tokenBytes)",
            .number(bytes), .number(limits.tokenBytes))
    }

    /// A protected header over the limit.
    @inline(never)
    static func headerTooLarge(_ bytes: Int, _ limits: JOSELimits) -> JOSEError {
        .limitExceeded(
            .header, "the header has {} bytes; at most {} are accepted (JOSELimits.headerBytes)",
            .number(bytes), .number(limits.headerBytes))
    }
}
