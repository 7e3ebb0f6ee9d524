// Reads a JWS of the JSON serialisations without verifying it.

import JOSEBytes

/// The headers and payload of an unverified token; only its format was checked.
package struct UnverifiedJSONJWS {
    /// The JSON texts of the headers of each signature: all members, protected or not.
    package let headers: [[UInt8]]
    /// The payload's bytes; nil if it is detached.
    package let payload: [UInt8]?

    /// - Throws: `malformed` or `limitExceeded` for a wrong format; `unsupported` for an extension
    ///   in `crit` that `critical` does not name.
    package init(_ token: Span<UInt8>, limits: JOSELimits, critical: [String] = [])
        throws(JOSEError)
    {
        let rules = JSONSignatureRules(
            requirement: .any, encodings: [.base64URL, .unencoded], algorithmLocation: .anyHeader,
            extensions: try CriticalHeader.Extensions(critical))
        let text = try JWSText(token, rules, limits)
        var headers: [[UInt8]] = []
        for entry in text.entries { headers.append(try entry.get().header.document.bytes) }
        self.headers = headers
        guard let signed = text.payload, text.encoding == .base64URL else {
            payload = text.payload
            return
        }
        guard let payload = Base64URL.decode(signed.span) else {
            throw .notBase64URL(signed.span, .payload, "the payload")
        }
        self.payload = payload
    }
}
