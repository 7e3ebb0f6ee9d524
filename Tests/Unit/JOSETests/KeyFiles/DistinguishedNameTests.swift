// The subject of a certificate as text (RFC 4514): exact bytes for valid input, the position of the
// error for invalid input.

import JOSE
import Testing

@Suite("RFC 4514: names of certificates as text")
struct DistinguishedNameTests {
    private static func attribute(_ identifier: [UInt8], _ tag: UInt8, _ value: [UInt8]) -> [UInt8]
    {
        TestDER.sequence(TestDER.tagged(0x06, identifier) + TestDER.tagged(tag, value))
    }

    private static func x520(_ last: UInt8, _ tag: UInt8, _ value: String) -> [UInt8] {
        attribute([0x55, 0x04, last], tag, Array(value.utf8))
    }

    private static func name(_ relative: [[UInt8]]) -> [UInt8] {
        TestDER.sequence(relative.flatMap { TestDER.tagged(0x31, $0) })
    }

    /// The Name in a request with this subject, after the version.
    private func encoded(_ text: String) throws -> [UInt8] {
        let subject = try CertificateSubject(distinguishedName: text)
        let der = try TestKeys.signing.certificateRequest(subject: subject, .der)
        return try DERValue.all(der)[0].inside()[0].inside()[1].whole
    }

    private static let utf8: UInt8 = 0x0c
    private static let printable: UInt8 = 0x13
    private static let ia5: UInt8 = 0x16

    @Test("2.1: the last relative name comes first, and each type has its string")
    func types() throws {
        let domain: [UInt8] = [0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 0x01]
        let email: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x01]
        let rows: [(String, [[UInt8]])] = [
            ("CN=a", [Self.x520(3, Self.utf8, "a")]),
            ("O=a", [Self.x520(10, Self.utf8, "a")]),
            (
                "CN=client,serialNumber=00000001234567890000,O=Example,C=NL",
                [
                    Self.x520(6, Self.printable, "NL"), Self.x520(10, Self.utf8, "Example"),
                    Self.x520(5, Self.printable, "00000001234567890000"),
                    Self.x520(3, Self.utf8, "client"),
                ]
            ),
            (
                "CN=c,organizationIdentifier=NTRBE-0123456789",
                [Self.x520(97, Self.utf8, "NTRBE-0123456789"), Self.x520(3, Self.utf8, "c")]
            ),
            (
                "2.5.4.97=x,OID.2.5.4.5=1,oid.2.5.4.3=n",
                [
                    Self.x520(3, Self.utf8, "n"), Self.x520(5, Self.printable, "1"),
                    Self.x520(97, Self.utf8, "x"),
                ]
            ),
            (
                "emailAddress=a@b,DC=example,dc=com",
                [
                    Self.attribute(domain + [25], Self.ia5, Array("com".utf8)),
                    Self.attribute(domain + [25], Self.ia5, Array("example".utf8)),
                    Self.attribute(email, Self.ia5, Array("a@b".utf8)),
                ]
            ),
            (
                "UID=u,GN=g,surname=s,SN=t,title=T,postalCode=1,ST=x,L=l,street=y,OU=o",
                [
                    Self.x520(11, Self.utf8, "o"), Self.x520(9, Self.utf8, "y"),
                    Self.x520(7, Self.utf8, "l"), Self.x520(8, Self.utf8, "x"),
                    Self.x520(17, Self.utf8, "1"), Self.x520(12, Self.utf8, "T"),
                    Self.x520(4, Self.utf8, "t"), Self.x520(4, Self.utf8, "s"),
                    Self.x520(42, Self.utf8, "g"),
                    Self.attribute(domain + [1], Self.utf8, Array("u".utf8)),
                ]
            ),
            (
                "1.3.6.1.4.1.11591.4.11=v,CN=c",
                [
                    Self.x520(3, Self.utf8, "c"),
                    Self.attribute(
                        [0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x04, 0x0b], Self.utf8,
                        Array("v".utf8)),
                ]
            ),
        ]
        for (text, relative) in rows {
            #expect(try encoded(text) == Self.name(relative), "\(text)")
        }
    }

    @Test("CN, O and C alone keep openssl's order, in any spelling")
    func usual() throws {
        let wanted = Self.name([
            Self.x520(6, Self.printable, "BE"), Self.x520(10, Self.utf8, "Example"),
            Self.x520(3, Self.utf8, "client"),
        ])
        for text in [
            "CN=client,O=Example,C=BE", "C=BE,O=Example,CN=client", "O=Example,CN=client,C=BE",
            "CN=client, O=Example, C=BE", " cn = client , o = Example , c = BE ",
            "commonName=client,organizationName=Example,countryName=BE",
        ] {
            #expect(try encoded(text) == wanted, "\(text)")
            let subject = try CertificateSubject(distinguishedName: text)
            #expect(
                subject
                    == CertificateSubject(
                        commonName: "client", organization: "Example", country: "BE"))
        }
    }

    @Test("2.4: escapes, hexadecimal pairs, spaces and DER values")
    func values() throws {
        let rows: [(String, String)] = [
            ("a\\, b", "a, b"), ("a\\+b\\\"\\\\\\<\\>\\;\\=\\#", "a+b\"\\<>;=#"), ("\\#a", "#a"),
            ("a#b=c", "a#b=c"), ("\\ a\\ ", " a "), ("  a  b  ", "a  b"), ("a\\20", "a "),
            ("\\20a", " a"), ("Lu\\C4\\8Di\\C4\\87", "Lučić"), ("Lučić", "Lučić"),
            ("a\\2Cb", "a,b"), ("a\\2cb", "a,b"), ("日本", "日本"), ("\\41", "A"),
        ]
        for (text, value) in rows {
            let wanted = Self.name([Self.x520(10, Self.utf8, value)])
            #expect(try encoded("O=" + text) == wanted, "\(text)")
        }
        let der = Self.name([Self.x520(3, Self.utf8, "c"), Self.x520(10, 0x1e, "\u{0}a")])
        #expect(try encoded("O=#1E020061,CN=c") == der)
        #expect(try encoded("O = #1e020061 , CN=c") == der)
    }

    @Test("2.2: a multi-valued relative name is a set in DER order")
    func sets() throws {
        let parts = Self.x520(3, Self.utf8, "a") + Self.x520(5, Self.printable, "1")
        let wanted = Self.name([Self.x520(10, Self.utf8, "o"), parts])
        let texts = [
            "CN=a+serialNumber=1,O=o", "serialNumber=1+CN=a,O=o", "CN=a + serialNumber=1 , O=o",
        ]
        for text in texts { #expect(try encoded(text) == wanted, "\(text)") }
    }

    @Test("a syntax error is misuse with its position")
    func rejected() throws {
        let rows: [(String, Int)] = [
            ("", 1), (" ", 2), ("CN", 1), ("CN=", 4), ("CN=a,", 6), (",CN=a", 1), ("CN=a,,C=BE", 6),
            ("CN=a,O=b, Inc", 11), ("/C=BE/CN=a", 1), ("XX=1", 1), ("CN=a,XX=1", 6), ("=a", 1),
            ("CN=a;O=b", 5), ("CN=\"a\"", 4), ("CN=a<b", 5), ("CN=a\\", 5), ("CN=a\\q", 5),
            ("CN=é\\q", 5), ("CN=a\\2", 5), ("CN=\\ff", 4), ("CN=a\\00b", 5), ("CN=a\u{1}", 5),
            ("C=be,CN=a", 3), ("C=BEL,CN=a", 3), ("CN=a,serialNumber=é", 19), ("DC=é", 4),
            ("CN=" + String(repeating: "a", count: 65), 4), ("CN=#", 4), ("CN=#0c", 4),
            ("CN=#0c0161zz", 11), ("CN=#0c01616", 11), ("CN=#0c0161 x", 12), ("CN=#0c016100", 4),
            ("CN=a+CN=b", 6), ("CN=a+", 6), ("1=a", 1), ("1.=a", 1), ("3.1=a", 1), ("1.40=a", 1),
            ("1..2=a", 1), ("01.2=a", 1), ("1.2.03=a", 1), ("1.2.9999999999999999999999=a", 1),
            ("OID.=a", 1), ("CN=a+ =b", 7), ("dnQualifier=a*b", 13),
        ]
        for (text, position) in rows {
            expectRejection("misuse", text, says: "at character \(position):") {
                _ = try CertificateSubject(distinguishedName: text)
            }
        }
        for (text, part) in [
            ("CN=a+CN=b", "this type is repeated: '+' joins different types; use ',' instead"),
            ("CN=\\ff", "escape all bytes of a character, such as \\C3\\A9"),
            ("CN=#0c0161zz", "expected hexadecimal digits, ',', '+' or the end"),
        ] {
            let error = expectRejection("misuse", text) {
                _ = try CertificateSubject(distinguishedName: text)
            }
            #expect(error?.message.hasSuffix(part) == true, "\(error?.message ?? "")")
        }
        // What these messages advise is accepted.
        for text in ["CN=a,CN=b", "CN=\\C3\\A9", "CN=#0c0161+serialNumber=1"] {
            #expect(throws: Never.self, "\(text)") {
                _ = try CertificateSubject(distinguishedName: text)
            }
        }
        let long = "CN=a,description=" + String(repeating: "a", count: 4_096)
        expectRejection("misuse") { _ = try CertificateSubject(distinguishedName: long) }
        #expect(throws: Never.self) {
            _ = try CertificateSubject(
                distinguishedName: "CN=" + String(repeating: "é", count: 64))
        }
    }
}
