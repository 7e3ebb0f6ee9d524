// Until when a certificate is valid, read by hand for keys lint.

import JOSE
import JOSEBytes

enum CertificateEnd {
    /// notAfter of a DER certificate; nil where it cannot be read.
    static func read(_ der: [UInt8]) -> NumericDate? {
        let bytes = der.span
        guard let whole = StrictDER.element(bytes, at: 0, before: bytes.count),
            let body = StrictDER.element(
                bytes, at: whole.contents.lowerBound, before: whole.contents.upperBound),
            var field = StrictDER.element(
                bytes, at: body.contents.lowerBound, before: body.contents.upperBound)
        else { return nil }
        // The version may be missing; serial, algorithm and issuer come before the validity.
        for _ in 0..<(field.tag == 0xa0 ? 4 : 3) {
            guard
                let next = StrictDER.element(
                    bytes, at: field.contents.upperBound, before: body.contents.upperBound)
            else { return nil }
            field = next
        }
        let end = field.contents.upperBound
        guard let start = StrictDER.element(bytes, at: field.contents.lowerBound, before: end),
            let last = StrictDER.element(bytes, at: start.contents.upperBound, before: end)
        else { return nil }
        return date(last.contents.map { bytes[$0] }, isShort: last.tag == 0x17)
    }

    /// UTCTime or GeneralizedTime, both in UTC.
    private static func date(_ text: [UInt8], isShort: Bool) -> NumericDate? {
        guard text.count == (isShort ? 13 : 15), text.last == UInt8(ascii: "Z") else { return nil }
        var digits = Array(text.dropLast())
        if isShort { digits = Array((digits[0] < UInt8(ascii: "5") ? "20" : "19").utf8) + digits }
        func part(_ start: Int, _ count: Int) -> String {
            String(decoding: digits[start..<(start + count)], as: UTF8.self)
        }
        return Timestamp.read(
            "\(part(0, 4))-\(part(4, 2))-\(part(6, 2))T\(part(8, 2)):\(part(10, 2)):\(part(12, 2))Z"
        )
    }
}
