// Reads a JWE of the JSON serialisations without decrypting it.

import JOSEBytes

/// The headers of a token that is not decrypted; only its format was checked.
package struct UnverifiedJSONJWE {
    /// The JSON texts of the headers, one for each recipient: all members, protected or not.
    package let headers: [[UInt8]]

    /// - Throws: `malformed` or `limitExceeded` for a wrong format; `unsupported` for an extension
    ///   in `crit` that `critical` does not name.
    package init(_ token: Span<UInt8>, limits: JOSELimits, critical: [String] = [])
        throws(JOSEError)
    {
        headers = try JWEText(
            token, limits, understanding: CriticalHeader.Extensions(critical)
        ).recipients.map { $0.header.document.bytes }
    }
}
