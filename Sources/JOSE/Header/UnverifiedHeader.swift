// Reads the header of an unverified token, before a key or algorithm is selected.

import JOSEBytes

/// Checks limits, parts and header as the verifiers do, without any policy. A returned header
/// proves nothing about its author.
package enum UnverifiedHeader {
    /// Returns the header's JSON. Throws `malformed`, `limitExceeded`, `unsupported`, `misuse`.
    package static func readJWS(
        _ token: Span<UInt8>, limits: JOSELimits, critical: [String] = []
    ) throws(JOSEError) -> [UInt8] {
        try read(token.extracting(CompactJWS(token, limits).header), limits, critical)
    }

    /// Returns the header's JSON text; throws as `readJWS`.
    package static func readJWE(
        _ token: Span<UInt8>, limits: JOSELimits, critical: [String] = []
    ) throws(JOSEError) -> [UInt8] {
        let parts = try CompactJWE(token, limits)
        try parts.checkCount(token)
        return try read(token.extracting(parts.header), limits, critical)
    }

    private static func read(
        _ encoded: Span<UInt8>, _ limits: JOSELimits, _ critical: [String]
    ) throws(JOSEError) -> [UInt8] {
        try HeaderText.read(encoded, limits, understanding: CriticalHeader.Extensions(critical)) {
            (_, text, _) throws(JOSEError) in
            [UInt8](capacity: text.count) { $0.append(copying: text) }
        }
    }
}
