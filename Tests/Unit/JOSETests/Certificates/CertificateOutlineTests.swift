// The fields of a certificate that our own reader parses: times, version, whether it is an
// authority (RFC 5280, 4.1).

import JOSE
import Testing

@Suite("Certificates: the DER reader")
struct CertificateOutlineTests {
    /// An unsigned certificate: the reader checks only the syntax.
    private func certificate(
        version: [UInt8] = [0xa0, 0x03, 0x02, 0x01, 0x02], start: [UInt8] = TestDER.time(0),
        end: [UInt8] = TestDER.time(1_900_000_000), behindKey: [UInt8] = [],
        extensions: [[UInt8]] = []
    ) throws -> [UInt8] {
        var body = version + TestDER.integer([1]) + TestDER.rs256 + TestDER.name("Root")
        body += TestDER.sequence(start + end) + TestDER.name("Leaf")
        body += try TestKeys.client.publicKeyFile(.der)
        body += behindKey
        if !extensions.isEmpty {
            body += TestDER.tagged(0xa3, TestDER.sequence(extensions.flatMap { $0 }))
        }
        return TestDER.sequence(
            TestDER.sequence(body) + TestDER.rs256 + TestDER.tagged(0x03, [0, 1, 2, 3]))
    }

    private func outline(_ bytes: [UInt8]) throws -> CertificateOutline {
        try CertificateOutline(bytes.span)
    }

    private func isRead(_ bytes: [UInt8]) -> Bool { (try? outline(bytes)) != nil }

    private func time(_ tag: UInt8, _ text: String) -> [UInt8] {
        TestDER.tagged(tag, Array(text.utf8))
    }

    @Test("4.1.2.5: the first and last second of every month are read, over many years")
    func months() throws {
        // Days counted by the calendar's rule, not with the reader's closed formula.
        var days: Int64 = 0
        for year in 1970...2105 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths: [Int64] = [
                31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31,
            ]
            for length in lengths {
                let start = days * 86_400
                let end = (days + length) * 86_400 - 1
                let read = try outline(
                    certificate(start: TestDER.time(start), end: TestDER.time(end)))
                #expect(read.notBefore.seconds == start)
                #expect(read.notAfter.seconds == end)
                days += length
            }
        }
    }

    @Test(
        "4.1.2.5: two-digit and four-digit years, and the limits of NumericDate",
        arguments: [
            (0x17, "491231235959Z", 2_524_607_999), (0x17, "700101000000Z", 0),
            (0x18, "20500101000000Z", 2_524_608_000), (0x17, "500101000000Z", 0),
            (0x18, "99991231235959Z", 253_402_300_799), (0x17, "691231235959Z", 0),
            (0x18, "20240229120000Z", 1_709_208_000), (0x18, "00000101000000Z", 0),
            (0x17, "000229010203Z", 951_786_123),
        ] as [(UInt8, String, Int64)])
    func years(_ tag: UInt8, _ text: String, _ seconds: Int64) throws {
        #expect(try outline(certificate(start: time(tag, text))).notBefore.seconds == seconds)
        #expect(try outline(certificate(end: time(tag, text))).notAfter.seconds == seconds)
    }

    @Test(
        "4.1.2.5: invalid times are rejected",
        arguments: [
            (0x17, "250001000000Z"), (0x17, "251301000000Z"), (0x17, "250100000000Z"),
            (0x17, "250132000000Z"), (0x17, "250101240000Z"), (0x17, "250101006000Z"),
            (0x17, "250101000060Z"), (0x17, "2501010000Z"), (0x17, "250101000000z"),
            (0x17, "250101000000+0100"), (0x17, "25010100000Z"), (0x17, "2501010000000Z"),
            (0x17, "20250101000000Z"), (0x18, "250101000000Z"), (0x18, "20250101000000.1Z"),
            (0x18, "2025010100000Z"), (0x17, "/50101000000Z"), (0x17, ":50101000000Z"),
            (0x17, "2/0101000000Z"), (0x17, "2:0101000000Z"), (0x17, ""), (0x16, "250101000000Z"),
        ] as [(UInt8, String)])
    func noTime(_ tag: UInt8, _ text: String) throws {
        #expect(try !isRead(certificate(start: time(tag, text))))
        #expect(try !isRead(certificate(end: time(tag, text))))
    }

    @Test("4.1.2.1: versions are checked")
    func versions() throws {
        #expect(try outline(certificate(version: [])).version == 1)
        for number in 0...2 as ClosedRange<UInt8> {
            let read = try outline(certificate(version: [0xa0, 0x03, 0x02, 0x01, number]))
            #expect(read.version == Int(number) + 1)
        }
        for wrong in [
            [0xa0, 0x03, 0x02, 0x01, 0x03], [0xa0, 0x03, 0x02, 0x01, 0xff], [0xa0, 0x00],
            [0xa0, 0x06, 0x02, 0x01, 0x02, 0x02, 0x01, 0x02],
        ] as [[UInt8]] {
            #expect(try !isRead(certificate(version: wrong)), "\(wrong)")
        }
    }

    @Test("4.1.2.8: unique identifiers are skipped, other values are not")
    func uniqueIdentifiers() throws {
        let one: [UInt8] = [0x81, 0x02, 0x00, 0x01]
        let two: [UInt8] = [0x82, 0x02, 0x00, 0x01]
        for good in [one, two, one + two] {
            #expect(try isRead(certificate(behindKey: good)))
        }
        let others: [[UInt8]] = [[0x80, 0x00], [0x83, 0x00], [0xa3, 0x00], [0x05, 0x00]]
        for bad in [two + one, one + one] + others {
            #expect(try !isRead(certificate(behindKey: bad)), "\(bad)")
        }
    }

    @Test("truncated, lengthened and padded certificates are rejected")
    func damaged() throws {
        let whole = try certificate(extensions: [constraints([0x01, 0x01, 0xff])])
        #expect(isRead(whole))
        for count in 0..<whole.count { #expect(!isRead(Array(whole[..<count])), "\(count)") }
        #expect(!isRead(whole + [0]))
        // An extra NULL at the end of each sequence around the previous one.
        let signed = TestDER.rs256 + TestDER.tagged(0x03, [0, 1])
        let empty = TestDER.sequence([])
        #expect(!isRead(TestDER.sequence(empty + signed)))
        let body = try DERValue.all(whole)[0].inside()[0].contents
        #expect(isRead(TestDER.sequence(TestDER.sequence(body) + signed)))
        #expect(!isRead(TestDER.sequence(TestDER.sequence(body) + signed + [0x05, 0x00])))
        #expect(!isRead(TestDER.sequence(TestDER.sequence(body + [0x05, 0x00]) + signed)))
        #expect(!isRead(TestDER.sequence(TestDER.sequence(body) + TestDER.rs256)))
        #expect(
            try !isRead(certificate(end: TestDER.time(1_900_000_000) + TestDER.time(1_900_000_000)))
        )
    }

    private func named(_ last: UInt8, _ value: [UInt8], critical: [UInt8] = []) -> [UInt8] {
        TestDER.sequence(
            [0x06, 0x03, 0x55, 0x1d, last] + critical + TestDER.tagged(0x04, value))
    }

    private func constraints(_ inner: [UInt8]) -> [UInt8] {
        named(19, TestDER.sequence(inner), critical: [0x01, 0x01, 0xff])
    }

    private func isAuthority(_ bytes: [UInt8]) throws -> Bool {
        try outline(bytes).isAuthority(bytes.span)
    }

    @Test("4.2.1.3 and 4.2.1.9: which certificates may sign certificates")
    func authorities() throws {
        let isCA: [UInt8] = [0x01, 0x01, 0xff]
        let signs = named(15, [0x03, 0x02, 0x01, 0x06])
        func verdict(
            _ extensions: [[UInt8]], version: [UInt8] = [0xa0, 0x03, 0x02, 0x01, 0x02]
        ) throws -> Bool {
            try isAuthority(certificate(version: version, extensions: extensions))
        }
        #expect(try verdict([constraints(isCA)]))
        #expect(try verdict([constraints(isCA + [0x02, 0x01, 0x00])]))
        #expect(try verdict([constraints(isCA), signs]))
        #expect(try verdict([signs, named(14, [0x04, 0x01, 0x07]), constraints(isCA)]))
        #expect(try verdict([named(19, TestDER.sequence(isCA)), signs]))
        #expect(try !verdict([signs]))
        #expect(try !verdict([]))
        #expect(try !verdict([constraints([])]))
        #expect(try !verdict([constraints([0x02, 0x01, 0x00])]))
        for wrong in [
            [0x01, 0x01, 0x00], [0x01, 0x01, 0x01], [0x01, 0x02, 0xff, 0xff], [0x01, 0x00],
        ] as [[UInt8]] {
            #expect(try !verdict([constraints(wrong)]), "\(wrong)")
        }
        // keyCertSign is the sixth bit. Neither another bit nor another extension replaces it.
        for bits in [0x00, 0x02, 0x08, 0xfb] as [UInt8] {
            #expect(try !verdict([constraints(isCA), named(15, [0x03, 0x02, 0x00, bits])]))
        }
        #expect(try verdict([constraints(isCA), named(15, [0x03, 0x02, 0x00, 0x04])]))
        #expect(try !verdict([constraints(isCA), named(15, [0x03, 0x01, 0x00])]))
        #expect(try !verdict([named(18, TestDER.sequence(isCA))]))
        for version in [[], [0xa0, 0x03, 0x02, 0x01, 0x01]] as [[UInt8]] {
            #expect(try !verdict([constraints(isCA)], version: version))
        }
    }
}
