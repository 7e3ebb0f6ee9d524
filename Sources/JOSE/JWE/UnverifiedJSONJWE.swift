// What a JWE of the JSON serialisations says of itself, for those who look at tokens without a key.

import JOSEBytes

/// The headers of a token of which nothing but the form was checked.
package struct UnverifiedJSONJWE {
    /// The JSON texts of the headers, one for each recipient: all members, protected or not.
    package let headers: [[UInt8]]

    /// - Throws: `malformed` or `limitExceeded` for a fault of form, `unsupported` for a `crit` that is not understood.
    package init(_ token: Span<UInt8>, limits: JOSELimits, critical: [String] = [])
        throws(JOSEError)
    {
        headers = try JWEText(
            token, limits, understanding: CriticalHeader.Extensions(critical)
        ).recipients.map { $0.header.document.bytes }
    }
}
