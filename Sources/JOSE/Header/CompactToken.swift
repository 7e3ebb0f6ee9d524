// The outer form of a compact token: positions of its dots, found before anything is decoded.

import JOSEBytes

/// The three parts of a compact JWS, as positions (RFC 7515, 7.1).
struct CompactJWS {
    let header: Range<Int>
    let payload: Range<Int>
    let signature: Range<Int>

    init(_ token: Span<UInt8>, _ limits: JOSELimits) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else {
            throw .limitExceeded(.token, "the token is too large")
        }
        let dots = Places(of: CompactToken.dot, in: token)
        guard dots.count == 2 else { throw .malformed(.token, "a compact JWS has three parts") }
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
            throw .limitExceeded(.token, "the token is too large")
        }
        let dots = Places(outer: CompactToken.dot, in: token)
        guard dots.count == 4 else { throw CompactJWE.otherParts }
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
        guard more.count == 0 else { throw CompactJWE.otherParts }
    }

    private static let otherParts = JOSEError.malformed(.token, "a compact JWE has five parts")
}

enum CompactToken {
    static let dot = UInt8(ascii: ".")
}
