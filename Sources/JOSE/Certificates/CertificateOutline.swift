// Parses the positions of the fields of a certificate: key, names, validity, extensions.

import JOSEBytes

/// The positions of the fields of a DER certificate (RFC 5280, 4.1), not validated or trusted.
package struct CertificateOutline: Sendable {
    package let version: Int
    /// The range includes tag and length, as do `subject` and `publicKey`.
    package let issuer: Range<Int>
    package let subject: Range<Int>
    package let publicKey: Range<Int>
    package let notBefore: NumericDate
    package let notAfter: NumericDate
    private let extensions: Range<Int>

    /// Throws `malformed`. Costs less than a microsecond.
    package init(_ bytes: Span<UInt8>) throws(JOSEError) {
        do throws(JOSEError) {
            var whole = DERReader(0..<bytes.count)
            var certificate = DERReader(try whole.next(DER.sequence, bytes))
            try whole.finish()
            var body = DERReader(try certificate.next(DER.sequence, bytes))
            _ = try certificate.next(DER.sequence, bytes)
            _ = try certificate.next(DER.bitString, bytes)
            try certificate.finish()

            version = try CertificateOutline.version(&body, bytes)
            _ = try body.next(DER.integer, bytes)
            _ = try body.next(DER.sequence, bytes)
            issuer = try CertificateOutline.whole(&body, bytes)
            var validity = DERReader(try body.next(DER.sequence, bytes))
            notBefore = try CertificateTime.read(&validity, bytes)
            notAfter = try CertificateTime.read(&validity, bytes)
            try validity.finish()
            subject = try CertificateOutline.whole(&body, bytes)
            publicKey = try CertificateOutline.whole(&body, bytes)
            // Unique identifiers are ignored.
            for tag in [0x81, 0x82] as [UInt8] where body.tag(bytes) == tag {
                try body.skip(bytes)
            }
            var list = body.at..<body.at
            if body.tag(bytes) == 0xa3 {
                var outer = DERReader(try body.next(0xa3, bytes))
                list = try outer.next(DER.sequence, bytes)
                try outer.finish()
            }
            extensions = list
            try body.finish()
        } catch {
            throw .malformed(.certificate, "x5c has an entry that is not a certificate")
        }
    }

    private static func version(
        _ body: inout DERReader, _ bytes: Span<UInt8>
    ) throws(JOSEError) -> Int {
        guard body.tag(bytes) == 0xa0 else { return 1 }
        var outer = DERReader(try body.next(0xa0, bytes))
        let number = try outer.small(bytes)
        try outer.finish()
        guard number <= 2 else { throw .malformed(.certificate, "unknown X.509 version") }
        return Int(number) + 1
    }

    /// Reads a SEQUENCE. The returned range includes its tag and length.
    private static func whole(
        _ body: inout DERReader, _ bytes: Span<UInt8>
    ) throws(JOSEError) -> Range<Int> {
        let start = body.at
        _ = try body.next(DER.sequence, bytes)
        return start..<body.at
    }
}

extension CertificateOutline {
    /// The value of the extension whose identifier ends with the arc `last` (RFC 5280, 4.2.1).
    private func value(
        _ last: UInt8, _ bytes: Span<UInt8>
    ) throws(JOSEError) -> Range<Int>? {
        var list = DERReader(extensions)
        while !list.isAtEnd {
            var one = DERReader(try list.next(DER.sequence, bytes))
            let name = try one.next(DER.identifier, bytes)
            guard OID.matches(bytes, name, [0x55, 0x1d, last]) else { continue }
            if one.tag(bytes) == DER.boolean { try one.skip(bytes) }
            return try one.next(DER.octetString, bytes)
        }
        return nil
    }

    /// Returns nil if the extension is absent or occurs twice, which RFC 5280, 4.2 forbids.
    func uniqueValue(_ last: UInt8, _ bytes: Span<UInt8>) throws(JOSEError) -> Range<Int>? {
        try count(last, bytes) == 1 ? value(last, bytes) : nil
    }

    func has(_ last: UInt8, _ bytes: Span<UInt8>) throws(JOSEError) -> Bool {
        try count(last, bytes) > 0
    }

    private func count(_ last: UInt8, _ bytes: Span<UInt8>) throws(JOSEError) -> Int {
        var list = DERReader(extensions)
        var count = 0
        while !list.isAtEnd {
            var one = DERReader(try list.next(DER.sequence, bytes))
            let name = try one.next(DER.identifier, bytes)
            if OID.matches(bytes, name, [0x55, 0x1d, last]) { count += 1 }
        }
        return count
    }

    /// subjectKeyIdentifier.
    func keyID(_ bytes: Span<UInt8>) throws(JOSEError) -> [UInt8]? {
        guard let value = try value(14, bytes) else { return nil }
        var reader = DERReader(value)
        return try reader.next(DER.octetString, bytes).map { bytes[$0] }
    }

    /// Whether issuer and subject are the same name, byte for byte, as in a root certificate.
    package func isSelfIssued(_ bytes: Span<UInt8>) -> Bool {
        guard issuer.count == subject.count else { return false }
        for (a, b) in zip(issuer, subject) where bytes[a] != bytes[b] { return false }
        return true
    }

    /// Whether basicConstraints marks a CA and keyUsage, if present, lets it sign certificates (RFC
    /// 5280, 4.2.1.3, 4.2.1.9).
    package func isAuthority(_ bytes: Span<UInt8>) throws(JOSEError) -> Bool {
        guard version == 3, let constraints = try value(19, bytes) else { return false }
        var outer = DERReader(constraints)
        var reader = DERReader(try outer.next(DER.sequence, bytes))
        guard reader.tag(bytes) == DER.boolean else { return false }
        let isCA = try reader.next(DER.boolean, bytes)
        guard isCA.count == 1, bytes[isCA.lowerBound] == 0xff else { return false }
        guard let usage = try value(15, bytes) else { return true }
        var bits = DERReader(usage)
        let value = try bits.next(DER.bitString, bytes)
        return value.count >= 2 && bytes[value.lowerBound + 1] & 0x04 != 0
    }
}

/// UTCTime and GeneralizedTime as RFC 5280, 4.1.2.5 requires: to the second, in UTC.
enum CertificateTime {
    static func read(
        _ reader: inout DERReader, _ bytes: Span<UInt8>
    ) throws(JOSEError) -> NumericDate {
        let isShort = reader.tag(bytes) == DER.utcTime
        let text = try reader.next(isShort ? DER.utcTime : DER.generalizedTime, bytes)
        guard text.count == (isShort ? 13 : 15), bytes[text.upperBound - 1] == UInt8(ascii: "Z")
        else { throw failure }
        var at = text.lowerBound
        var year = try pair(bytes, &at)
        if isShort {
            year += year < 50 ? 2000 : 1900
        } else {
            year = year * 100 + (try pair(bytes, &at))
        }
        let (month, day) = (try pair(bytes, &at), try pair(bytes, &at))
        let (hour, minute) = (try pair(bytes, &at), try pair(bytes, &at))
        let second = try pair(bytes, &at)
        guard 1...12 ~= month, 1...31 ~= day, hour < 24, minute < 60, second < 60 else {
            throw failure
        }
        let days = CivilDate.daysSince1970(year, month, day)
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
        return seconds < 0
            ? .earliest : NumericDate(exactly: Int64(seconds)) ?? .latest
    }

    private static let failure = JOSEError.malformed(.certificate, "malformed validity time")

    private static func pair(_ bytes: Span<UInt8>, _ at: inout Int) throws(JOSEError) -> Int {
        let (high, low) = (Int(bytes[at]) - 0x30, Int(bytes[at + 1]) - 0x30)
        guard 0...9 ~= high, 0...9 ~= low else { throw failure }
        at += 2
        return high * 10 + low
    }
}
