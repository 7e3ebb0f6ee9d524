// Parses ECDSA signatures in DER strictly.

import JOSEBytes

/// Ecdsa-Sig-Value (RFC 3279, 2.2.3; RFC 5480, appendix A): a SEQUENCE of r and s.
package enum ECDSAValue {
    /// Writes r and s, each into half of `signature` (RFC 7518, 3.4). Returns false unless `der` is
    /// a SEQUENCE of two minimal, positive INTEGERs that fit. Does not compare r and s with the
    /// order of the curve.
    package static func read(
        _ der: Span<UInt8>, into signature: inout MutableSpan<UInt8>
    ) -> Bool {
        let half = signature.count / 2
        do throws(JOSEError) {
            var whole = DERReader(0..<der.count)
            var pair = DERReader(try whole.next(DER.sequence, der))
            try whole.finish()
            let (r, s) = (try pair.number(der), try pair.number(der))
            try pair.finish()
            guard max(r.count, s.count) <= half, der[r.lowerBound] != 0, der[s.lowerBound] != 0
            else { return false }
            for (number, end) in [(r, half), (s, 2 * half)] {
                let start = end - number.count
                for index in (end - half)..<start { signature[index] = 0 }
                for (offset, index) in number.enumerated() {
                    signature[start + offset] = der[index]
                }
            }
            return true
        } catch {
            return false
        }
    }
}
