// PKCS#11 URIs, parsed by bytes.

import JOSE
@testable import JOSEPKCS11
import Testing

@Suite("PKCS#11 URIs")
struct URITests {
    @Test("RFC 7512: every attribute is read, percent-decoded once")
    func whole() throws {
        let uri = try PKCS11URI(
            "pkcs11:token=a%20b;manufacturer=m;serial=01;model=x;object=k%3b%25;id=%00%fF%41;"
                + "type=private;"
                + "slot-id=18446744073709551615;slot-description=d&e;slot-manufacturer=f;"
                + "library-description=g;library-manufacturer=h;library-version=3.14"
                + "?module-name=n&module-path=/usr/lib/p|q?&pin-source=file:/etc/pin")
        #expect(uri.token == Array("a b".utf8))
        #expect(uri.manufacturer == Array("m".utf8))
        #expect(uri.serial == Array("01".utf8))
        #expect(uri.model == Array("x".utf8))
        #expect(uri.object == Array("k;%".utf8))
        #expect(uri.id == [0, 0xff, 0x41])
        #expect(uri.kind == .privateKey)
        #expect(uri.slotID == .max)
        #expect(uri.slotDescription == Array("d&e".utf8))
        #expect(uri.slotManufacturer == Array("f".utf8))
        #expect(uri.libraryDescription == Array("g".utf8))
        #expect(uri.libraryManufacturer == Array("h".utf8))
        #expect(uri.libraryVersion == [3, 14])
        #expect(uri.moduleName == Array("n".utf8))
        #expect(uri.modulePath == Array("/usr/lib/p|q?".utf8))
        #expect(uri.pinSource == Array("file:/etc/pin".utf8))
    }

    @Test("an absent attribute is nil, an empty one is empty")
    func absent() throws {
        #expect(try PKCS11URI("pkcs11:").token == nil)
        #expect(try PKCS11URI("pkcs11:token=").token == [])
        #expect(try PKCS11URI("pkcs11:library-version=2").libraryVersion == [2, 0])
    }

    @Test(
        "a string that is no URI of RFC 7512 is malformed",
        arguments: [
            "", "pkcs11", "PKCS11:", "pkcs12:", "pkcs11:token", "pkcs11:token=a;",
            "pkcs11:;token=a",
            "pkcs11:token=a;;object=b", "pkcs11:token=%", "pkcs11:token=%4", "pkcs11:token=%4g",
            "pkcs11:token=%+4", "pkcs11:token=a b", "pkcs11:token=a/b", "pkcs11:token=a#b",
            "pkcs11:token=\u{e9}", "pkcs11:token=a\u{301}", "pkcs11:token=a\u{37e}object=b",
            "pkcs11:tok%65n=a", "pkcs11:Token=a", "pkcs11: token=a", "pkcs11:token=a\n",
            "pkcs11:token=a\0", "pkcs11:x-vendor=a", "pkcs11:unknown=a", "pkcs11:token=a;token=a",
            "pkcs11:id=a;id=a", "pkcs11:type=private;type=private", "pkcs11:type=Private",
            "pkcs11:type=key", "pkcs11:type=", "pkcs11:slot-id=", "pkcs11:slot-id=-1",
            "pkcs11:slot-id=01", "pkcs11:slot-id=18446744073709551616",
            "pkcs11:slot-id=1;slot-id=1",
            "pkcs11:library-version=", "pkcs11:library-version=1.", "pkcs11:library-version=.1",
            "pkcs11:library-version=1.2.3", "pkcs11:library-version=256",
            "pkcs11:?token=a", "pkcs11:module-path=/a", "pkcs11:?module-path=/a&module-path=/a",
            "pkcs11:?unknown=a", "pkcs11:?module-path", "pkcs11:?module-path=/a;token=b",
            "pkcs11:?module-path=/a&", "pkcs11:a?b?c",
        ])
    func malformed(_ text: String) {
        #expect {
            _ = try PKCS11URI(text)
        } throws: {
            ($0 as? JOSEError)?.code == .malformed
        }
    }

    @Test("a PIN in a URI is rejected, whatever else the URI contains")
    func pin() {
        for text in ["pkcs11:?pin-value=1234", "pkcs11:token=a?module-path=/b&pin-value="] {
            #expect {
                _ = try PKCS11URI(text)
            } throws: {
                guard let error = $0 as? JOSEError else { return false }
                return error.code == .unsupported && !"\(error)".contains("1234")
            }
        }
    }

    @Test("a URI has at most 4,096 bytes")
    func long() throws {
        let room = 4_096 - "pkcs11:token=".utf8.count
        let most = "pkcs11:token=" + String(repeating: "a", count: room)
        #expect(try PKCS11URI(most).token?.count == room)
        #expect {
            _ = try PKCS11URI(most + "a")
        } throws: {
            ($0 as? JOSEError)?.code == .limitExceeded
        }
    }

    @Test("its description is an equivalent URI without the query")
    func description() throws {
        let text = "pkcs11:id=%01%02;object=a%20b;token=t;type=cert;slot-id=3;library-version=1.2"
        let uri = try PKCS11URI(text + "?pin-source=/secret")
        let again = try PKCS11URI("\(uri)")
        #expect(try again == PKCS11URI(text))
        #expect(!"\(uri)".contains("secret"))
    }

    @Test("every byte of a label round-trips, and no other value is equal")
    func bytes() throws {
        for byte in UInt8.min...UInt8.max {
            let uri = PKCS11URI(id: [byte], label: [byte, byte])
            let again = try PKCS11URI("\(uri)")
            #expect(again == uri && again.id == [byte])
        }
        #expect(try PKCS11URI("pkcs11:object=K") != PKCS11URI("pkcs11:object=%E2%84%AA"))
    }
}
