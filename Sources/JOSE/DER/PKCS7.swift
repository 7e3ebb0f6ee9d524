// Reads certificates and revocation lists from PKCS#7 and CMS SignedData (RFC 2315, 9.1; RFC 5652,
// 5.1), in which certification authorities send chains.

import JOSEBytes

/// The contents of a `.p7b` or `.p7c` file. Its signatures are ignored: nothing becomes trusted.
struct PKCS7 {
    /// DER certificates in the order of the file, which has no meaning: they are a set.
    private(set) var certificates: [[UInt8]] = []
    private(set) var revocationLists: [[UInt8]] = []
    /// The number of certificates and lists of other kinds, such as attribute certificates.
    private(set) var otherCount = 0

    /// 1.2.840.113549.1.7, the identifier without its last arc.
    private static let prefix: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07]
    /// Labels of RFC 7468, 8 and 9, and one of older writers.
    static func hasLabel(_ label: String) -> Bool {
        ["PKCS7", "CMS", "PKCS #7 SIGNED DATA"].contains { label.isExactly($0) }
    }

    static func isRecognised(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 12, bytes[0] == DER.sequence else { return false }
        let start = bytes[1] < 0x80 || bytes[1] == 0x80 ? 2 : 2 + Int(bytes[1] & 0x7f)
        guard start + 11 <= bytes.count, bytes[start] == DER.identifier, bytes[start + 1] == 9
        else { return false }
        return OID.matches(bytes, start + 2..<start + 10, prefix)
    }

    /// Throws `malformed`; `unsupported` for indefinite lengths (BER) or content other than signed
    /// data; `limitExceeded` for more than `limit` certificates and lists, including the `count`
    /// values of earlier PEM blocks.
    init(_ bytes: Span<UInt8>, atMost limit: Int, existing count: Int = 0) throws(JOSEError) {
        guard bytes.count < 2 || bytes[1] != 0x80 else { throw ForeignFile.indefinitePKCS7 }
        guard StrictDER.isOneValue(bytes) else {
            throw .malformed(.certificate, "the PKCS#7 file is not exactly one DER value")
        }
        do throws(JOSEError) {
            try read(bytes, limit, count)
        } catch {
            guard error.code == .malformed else { throw error }
            throw .malformed(.certificate, "the PKCS#7 file does not have the expected structure")
        }
    }

    private mutating func read(
        _ bytes: Span<UInt8>, _ limit: Int, _ count: Int
    ) throws(JOSEError) {
        var whole = DERReader(0..<bytes.count)
        var outer = DERReader(try whole.next(DER.sequence, bytes))
        let kind = try outer.next(DER.identifier, bytes)
        guard kind.count == 9, bytes[kind.upperBound - 1] == 2 else {
            throw .unsupported(
                .certificate,
                """
                found PKCS#7 that is not signed data; expected certificates: openssl crl2pkcs7 \
                -nocrl -certfile chain.pem makes such a file
                """
            )
        }
        var tagged = DERReader(try outer.next(0xa0, bytes))
        try outer.finish()
        var signed = DERReader(try tagged.next(DER.sequence, bytes))
        try tagged.finish()
        _ = try signed.next(DER.integer, bytes)
        _ = try signed.next(DER.set, bytes)
        _ = try signed.next(DER.sequence, bytes)
        if signed.tag(bytes) == 0xa0 {
            certificates = try values(try signed.next(0xa0, bytes), bytes, limit, count)
        }
        if signed.tag(bytes) == 0xa1 {
            revocationLists = try values(
                try signed.next(0xa1, bytes), bytes, limit, count + certificates.count)
        }
        _ = try signed.next(DER.set, bytes)
        try signed.finish()
    }

    static func tooMany(_ limit: Int) -> JOSEError {
        .limitExceeded(
            .certificate, "the file has more than {} certificates and revocation lists",
            .number(limit))
    }

    /// Returns the SEQUENCEs of a set, and counts the other values in `otherCount`.
    private mutating func values(
        _ range: Range<Int>, _ bytes: Span<UInt8>, _ limit: Int, _ count: Int
    ) throws(JOSEError) -> [[UInt8]] {
        var reader = DERReader(range)
        var values: [[UInt8]] = []
        while !reader.isAtEnd {
            let start = reader.at
            guard reader.tag(bytes) == DER.sequence else {
                try reader.skip(bytes)
                otherCount += 1
                continue
            }
            try reader.skip(bytes)
            guard count + values.count < limit else { throw PKCS7.tooMany(limit) }
            let value = bytes.extracting(start..<reader.at)
            values.append([UInt8](capacity: value.count) { $0.append(copying: value) })
        }
        return values
    }
}
