// Overloads with Data for tokens and payloads.

public import Foundation
public import JOSE

extension JWSSigner {
    /// Signs a payload; see the function with a span.
    public func sign(_ payload: Data) throws(JOSEError) -> String { try sign(payload.span) }

    /// Signs a detached payload; see the function with an array of bytes.
    public func signDetached(
        _ payload: Data, encoding: PayloadEncoding = .base64URL
    ) throws(JOSEError) -> String {
        try signDetached(Array(payload), encoding: encoding)
    }
}

extension JWSVerifier {
    /// Verifies a token; see the function with a string.
    public func verify(_ token: Data) throws(JOSEError) -> VerifiedJWS {
        try verify(Array(token))
    }

    /// Verifies a token with a detached payload; see the function with an array of bytes.
    public func verifyDetached(
        _ token: String, payload: Data, encodings: [PayloadEncoding] = [.base64URL]
    ) throws(JOSEError) -> VerifiedJWS {
        try verifyDetached(token, payload: Array(payload), encodings: encodings)
    }
}

extension JWEEncrypter {
    /// Encrypts a plaintext; see the function with a span.
    public func encrypt(_ plaintext: Data) throws(JOSEError) -> String {
        try encrypt(plaintext.span)
    }
}

extension JWEDecrypter {
    /// Decrypts a token; see the function with a string.
    public func decrypt(_ token: Data) throws(JOSEError) -> DecryptedJWE {
        try decrypt(Array(token))
    }

    /// Decrypts a token in the JSON serialisation; see the function with a string.
    public func decryptJSON(_ token: Data) throws(JOSEError) -> DecryptedJSONJWE {
        try decryptJSON(Array(token))
    }
}

extension JWTIssuer {
    /// Issues a token with claims that are already JSON; see the function with an array of bytes.
    public func issue(
        json claims: Data, encryptedFor recipient: JWTRecipient? = nil
    ) throws(JOSEError) -> String {
        try issue(json: Array(claims), encryptedFor: recipient)
    }
}

extension JWTVerifier {
    /// Verifies a token; see the function with a string.
    public func verify(
        _ token: Data, expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate? = nil
    ) throws(JOSEError) -> VerifiedJWT {
        try verify(Array(token), expecting: expectation, at: now)
    }
}
