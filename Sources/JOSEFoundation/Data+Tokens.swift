// Data where the public API takes the bytes of tokens and payloads.

public import Foundation
public import JOSE

extension JWSSigner {
    /// Signs a payload; see the same function over a span.
    public func sign(_ payload: Data) throws(JOSEError) -> String { try sign(payload.span) }

    /// Signs a payload that stays out of the token; see the same function over an array of bytes.
    public func signDetached(
        _ payload: Data, encoding: PayloadEncoding = .base64URL
    ) throws(JOSEError) -> String {
        try signDetached(Array(payload), encoding: encoding)
    }
}

extension JWSVerifier {
    /// Verifies the bytes of a token; see the same function over a string.
    public func verify(_ token: Data) throws(JOSEError) -> VerifiedJWS {
        try verify(Array(token))
    }

    /// Verifies a token whose payload came apart; see the same function over an array of bytes.
    public func verifyDetached(
        _ token: String, payload: Data, encodings: [PayloadEncoding] = [.base64URL]
    ) throws(JOSEError) -> VerifiedJWS {
        try verifyDetached(token, payload: Array(payload), encodings: encodings)
    }
}

extension JWEEncrypter {
    /// Encrypts a plaintext; see the same function over a span.
    public func encrypt(_ plaintext: Data) throws(JOSEError) -> String {
        try encrypt(plaintext.span)
    }
}

extension JWEDecrypter {
    /// Decrypts the bytes of a token; see the same function over a string.
    public func decrypt(_ token: Data) throws(JOSEError) -> DecryptedJWE {
        try decrypt(Array(token))
    }

    /// Decrypts the bytes of a token in JSON; see the same function over a string.
    public func decryptJSON(_ token: Data) throws(JOSEError) -> DecryptedJSONJWE {
        try decryptJSON(Array(token))
    }
}

extension JWTIssuer {
    /// Issues a token over claims that are JSON already; see the same function over an array of bytes.
    public func issue(
        json claims: Data, encryptedFor recipient: JWTRecipient? = nil
    ) throws(JOSEError) -> String {
        try issue(json: Array(claims), encryptedFor: recipient)
    }
}

extension JWTVerifier {
    /// Verifies the bytes of a token; see the same function over a string.
    public func verify(
        _ token: Data, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedJWT {
        try verify(Array(token), expecting: expectation, at: now)
    }
}
