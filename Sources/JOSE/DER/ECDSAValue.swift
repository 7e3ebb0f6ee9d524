// The signature of ECDSA in DER, read strictly.

import JOSEBytes

/// Ecdsa-Sig-Value (RFC 3279, 2.2.3; RFC 5480, appendix A): a SEQUENCE of r and s.
package enum ECDSAValue {
    /// Writes r and s behind each other, each in half of `signature` (RFC 7518, 3.4).
    ///
    /// Returns false for anything but two minimal, positive numbers that fit, with nothing behind them; whether they are
    /// below the order is the verification's to say.
    package static func read(
        _ der: Span<UInt8>, into signature: inout MutableSpan<UInt8>
    ) -> Bool {
        let half = signature.count / 2
        guard let pair = StrictDER.element(der, at: 0, before: der.count),
            pair.tag == DER.sequence, pair.contents.upperBound == der.count,
            let r = number(der, at: pair.contents.lowerBound, before: der.count, most: half),
            let s = number(der, at: r.upperBound, before: der.count, most: half),
            s.upperBound == der.count
        else { return false }
        write(der, r, to: &signature, before: half)
        write(der, s, to: &signature, before: 2 * half)
        return true
    }

    /// Where the bytes of a positive INTEGER lie, without the zero before a first bit that is set.
    private static func number(
        _ der: Span<UInt8>, at start: Int, before end: Int, most: Int
    ) -> Range<Int>? {
        guard let element = StrictDER.element(der, at: start, before: end),
            element.tag == DER.integer
        else { return nil }
        var bytes = element.contents
        guard let first = bytes.first, der[first] < 0x80 else { return nil }
        if der[first] == 0 {
            guard bytes.count > 1, der[first + 1] >= 0x80 else { return nil }
            bytes = bytes.dropFirst()
        }
        return bytes.count <= most ? bytes : nil
    }

    private static func write(
        _ der: Span<UInt8>, _ number: Range<Int>, to out: inout MutableSpan<UInt8>, before end: Int
    ) {
        let start = end - number.count
        for index in (end - out.count / 2)..<start { out[index] = 0 }
        for (offset, index) in number.enumerated() { out[start + offset] = der[index] }
    }
}
