// Reads the header and issuer of an unverified compact JWT, only to select its verifier.

import JOSEBytes

/// The header and the issuer of an unverified compact JWT.
///
/// Anyone can write these values. Use them only to select the verifier that must accept the token,
/// for example the verifier of a tenant. The verifier must have a fixed issuer, so that it rejects
/// a token with another `iss`.
///
/// Never use these values for anything else: no access, no URL to fetch keys from, no log entry
/// that looks like a fact. If all verifiers are known in advance, use
/// `JWTVerifier.init(byIssuer:encryption:requiresContentType:limits:)`, which returns no unverified
/// value.
public struct UnverifiedJWT: Sendable {
    /// The protected header; that of the outer token if the JWT is encrypted. Anyone can write it.
    public let unverifiedHeader: JSONObject
    /// `iss` of the claims. For an encrypted token, `iss` of its header (RFC 7519, 5.3), if any.
    /// Anyone can write it.
    public let unverifiedIssuer: String?

    /// Parses a compact JWT without verifying it.
    ///
    /// - Parameters:
    ///   - token: The compact serialisation of a signed or an encrypted JWT.
    ///   - critical: The names of the extensions in `crit` that your verifier checks.
    ///   - limits: Bounds on the token.
    /// - Throws: `malformed`; `limitExceeded`; `claimRejected` if `iss` is not a string;
    ///   `unsupported` if `critical` lacks a name in `crit`; `misuse` if `critical` has an empty
    ///   or registered name.
    public init(
        _ token: String, critical: [String] = [], limits: JOSELimits = .standard
    ) throws(JOSEError) {
        let text = token.utf8.span
        guard text.count <= limits.tokenBytes else { throw .tooLarge(text.count, limits) }
        var dots = 0
        for index in text.indices where text[index] == CompactToken.dot { dots += 1 }
        let isEncrypted = dots == 4
        let header =
            isEncrypted
            ? try UnverifiedHeader.readJWE(text, limits: limits, critical: critical)
            : try UnverifiedHeader.readJWS(text, limits: limits, critical: critical)
        let headerDocument = try UnverifiedJWT.object(header, limits, at: .header)
        let claims =
            isEncrypted
            ? headerDocument
            : try UnverifiedJWT.object(
                UnverifiedJWT.payload(text, limits), limits, at: .payload)
        guard let members = headerDocument.json(at: 0).object else {
            throw .malformed(.header, "the header is not a JSON object")
        }
        unverifiedHeader = members
        guard let index = claims.member("iss") else {
            unverifiedIssuer = nil
            return
        }
        guard let issuer = claims.string(at: index) else {
            throw .claimRejected("iss", "it is not a string")
        }
        unverifiedIssuer = issuer
    }

    private static func payload(
        _ token: Span<UInt8>, _ limits: JOSELimits
    ) throws(JOSEError) -> [UInt8] {
        let encoded = token.extracting(try CompactJWS(token, limits).payload)
        guard let payload = Base64URL.decode(encoded) else {
            throw .notBase64URL(encoded, .payload, "the payload")
        }
        return payload
    }

    private static func object(
        _ json: [UInt8], _ limits: JOSELimits, at step: JOSEError.Step
    ) throws(JOSEError) -> JSONDocument {
        let document: JSONDocument
        do {
            document = try JSONDocument(json, maxDepth: limits.jsonDepth)
        } catch {
            throw JOSEError(error, at: step)
        }
        guard document.kind(at: 0) == .object else {
            throw .malformed(step, "the text is JSON, but not an object")
        }
        return document
    }
}

extension UnverifiedJWT: RedactedDescription {}
