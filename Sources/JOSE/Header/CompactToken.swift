// The outer form of a compact token: positions of its dots, found before anything is decoded.

import JOSEBytes

/// The three parts of a compact JWS, as positions (RFC 7515, 7.1).
struct CompactJWS {
    let header: Range<Int>
    let payload: Range<Int>
    let signature: Range<Int>

    init(_ token: Span<UInt8>, _ limits: JOSELimits) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .limitExceeded(.token, "the token is too large (JOSELimits.tokenBytes)")
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
            throw .limitExceeded(.token, "the token is too large (JOSELimits.tokenBytes)")
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

    /// Refuses a dot within `ciphertext`, before anything is said of the header or the keys.
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
        let isJSON = !token.isEmpty && token[0] == UInt8(ascii: "{")
        switch form {
        case .jws:
            if isJSON {
                return .malformed(
                    .token, "a compact JWS has three parts, and this is JSON: verifyJSON reads it")
            }
            return dotCount == 4
                ? .malformed(
                    .token,
                    "a compact JWS has three parts, and this has the five of a JWE: it is encrypted"
                )
                : .malformed(.token, "a compact JWS has three parts, with a dot between each two")
        case .jwe:
            if isJSON {
                return .malformed(
                    .token, "a compact JWE has five parts, and this is JSON: decryptJSON reads it")
            }
            return dotCount == 2
                ? .malformed(
                    .token, "a compact JWE has five parts; this has the three of a signed JWS")
                : .malformed(.token, "a compact JWE has five parts, with a dot between each two")
        }
    }
}
