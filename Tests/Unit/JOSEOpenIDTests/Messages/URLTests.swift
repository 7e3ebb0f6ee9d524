// URLs in rules: no spelling of a local host is accepted as a public one.

import JOSE
import JOSEOpenID
import Testing

@Suite("URLs")
struct URLTests {
    private static let env = {
        do {
            return try TestEnvironment(.itsme1)
        } catch {
            preconditionFailure("no world: \(error)")
        }
    }()

    /// The rule that a `request_uri` at this host violates. Nil if it is accepted.
    private func breach(_ host: String, port: String = ":443") async throws -> String? {
        var request = Self.env.request
        request.delivery = .byReference("https://\(host)\(port)/objects/1")
        do {
            _ = try await Self.env.party.start(request, at: .testNow)
            return nil
        } catch {
            return error.message
        }
    }

    private func isEndpoint(_ host: String) -> Bool {
        (try? TestEnvironment.metadata(.itsme1, ["jwks_uri": .string("https://\(host)/keys")]))
            != nil
    }

    @Test(
        "local host names and addresses are not publicly reachable",
        arguments: [
            "localhost", "LOCALHOST", "LocalHost", "x.localhost", "a.b.LOCALHOST", "printer.local",
            "localhost.localdomain", "db.internal", "files.corp", "nas.lan", "router.home",
            "x.home.arpa", "wiki.intranet", "x.private", "intranet", "ip6-localhost", "a",
            "127.0.0.1", "127.255.255.255", "0.0.0.0", "10.0.0.1", "169.254.169.254",
            "192.168.0.1", "8.8.8.8", "255.255.255.255", "[::1]", "[::]", "[::ffff:127.0.0.1]",
            "[fe80::1]", "[2001:db8::1]", "[1:2:3:4:5:6:7:8]", "[::FFFF:7f00:1]",
        ])
    func local(_ host: String) async throws {
        #expect(try await breach(host)?.contains("not a local one") == true)
        // An endpoint may be local, as the operator configured it.
        #expect(isEndpoint(host))
    }

    @Test(
        "a host has only one accepted spelling",
        arguments: [
            "localhost.", "localhost..", "x.localhost.", "rp.example.", ".", "..", "a..b", ".a",
            "127.0.0.1.", "127.0x0.0x0.1", "127.1", "127.0.1", "0", "00", "1", "2130706433",
            "017700000001", "0x7f000001", "0X7F000001", "0x7f.1", "0x", "0x7f.0.0.1", "1.0x",
            "127.0.0.01", "0127.0.0.1", "127.0.0.0x1", "256.0.0.1", "1.2.3.4.5", "1.2.3",
            "a.1", "rp.example.1", "rp.example.0x1f", "127.0.0.1e0.1", "999999999999999999999",
            "[]", "[:]", "[:::]", "[::1", "::1", "[::1]x", "x[::1]", "[1:2:3:4:5:6:7]",
            "[1:2:3:4:5:6:7:8:9]", "[1::2::3]", "[1:2:3:4::5:6:7:8]", "[:1:2:3:4:5:6:7]",
            "[1:2:3:4:5:6:7:]", "[12345::]", "[g::1]", "[::127.0.0.1:1]", "[::1.2.3]",
            "[::1.2.3.256]", "[::01.2.3.4]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[v1.x]",
            "[127.0.0.1]", "[::ffff:127.0.0.1.]",
            "user@localhost", "user:pw@rp.example", "@rp.example", "rp.example@", "a%40b",
            "rp.example\\@evil.example", "rp.example\\", "%6cocalhost", "localhost%00",
            "local\thost", "local\nhost", " localhost", "rp.example ", "l\u{f6}calhost.example",
            "\u{24db}ocalhost", "127\u{3002}0\u{3002}0\u{3002}1", "\u{ff11}27.0.0.1",
            "rp_example.test", "-rp.example", "rp-.example", "rp.-example", "rp.example-",
            "rp.exa,mple", "rp.example;x", "rp$.example", "",
        ])
    func spellings(_ host: String) async throws {
        #expect(try await breach(host)?.contains("https URL") == true)
        #expect(!isEndpoint(host))
    }

    @Test(
        "public names are accepted",
        arguments: [
            "rp.example", "RP.Example", "a.b", "a-b.c-d.example", "xn--bcher-kva.example",
            "1.example", "1.2.3.4.example", "0x7f.example", "127.0.0.1.example",
            "localhost.example", "local.example", "notlocalhost.example", "mylocal.org",
            "x.mylocalhost.com", "example.x0", "example.0xg", "3com.com", "a.e1",
        ])
    func named(_ host: String) async throws {
        #expect(try await breach(host) == nil)
        #expect(isEndpoint(host))
    }

    @Test("labels have at most 63 characters, a name has at most 253") func lengths() throws {
        let label = String(repeating: "a", count: 63)
        #expect(isEndpoint(label + ".example"))
        #expect(!isEndpoint(label + "a.example"))
        let long = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect(long.utf8.count == 253)
        #expect(isEndpoint(long) && !isEndpoint(long + "b"))
    }

    @Test(
        "the port is written once, in decimal, without leading zeros",
        arguments: [
            ":0443", ":00443", ":0", ":", ":65536", ":443443", ":+443", ":-443", ":4 43", ":443:",
            ":443:443", ":0x1bb", "::443", ":\u{0664}\u{0664}\u{0663}", ":443@evil.example",
        ])
    func ports(_ port: String) async throws {
        #expect(try await breach("rp.example", port: port)?.contains("https URL") == true)
        #expect(!isEndpoint("rp.example" + port))
    }

    @Test("the provider rejects every local spelling too, and fetches nothing")
    func provider() async throws {
        for host in ["localhost.", "127.0x0.0x0.1", "2130706433", "127.1", "[::1]", "LOCALHOST"] {
            let address = "https://\(host):443/objects/1"
            let client = try Self.env.provider.client(
                TestEnvironment.registration(requestURIs: [address], secret: nil))
            let outer = TestEnvironment.form(
                ["request_uri": address], scope: "openid service:LOGIN")
            let rejected = try await client.browse(
                outer,
                fetch: { _ in
                    Issue.record("\(address) was fetched")
                    return ""
                }
            ).rejected()
            #expect(rejected.error.code == .invalidRequestURI)
        }
    }

    @Test(
        "a development profile may allow local addresses, and no other invalid URL",
        arguments: [
            ("https://rp.localhost:443/o", true), ("https://127.0.0.1:443/o", true),
            ("https://rp.example:443/o", true), ("http://rp.localhost:443/o", false),
            ("https://localhost.:443/o", false), ("https://127.1:443/o", false),
            ("https://u@rp.localhost:443/o", false), ("https://rp.localhost/o", false),
        ])
    func allowedLocal(_ address: String, _ isTaken: Bool) async throws {
        var profile = OpenIDProfile.itsme1
        #expect(!profile.requestObject.allowsLocalReference)
        profile.requestObject.allowsLocalReference = true
        let env = try TestEnvironment(profile)
        let started = try? await env.start { $0.delivery = .byReference(address) }
        #expect((started != nil) == isTaken)

        let client = try env.provider.client(
            TestEnvironment.registration(requestURIs: [address], secret: nil))
        let outer = TestEnvironment.form(["request_uri": address], scope: "openid service:LOGIN")
        let object = started?.requestObject ?? ""
        let verdict = try await client.browse(
            outer,
            fetch: {
                #expect($0 == address && isTaken)
                return object
            })
        if case .rejected(let rejected) = verdict {
            #expect(!isTaken && rejected.error.code == .invalidRequestURI)
        } else {
            #expect(isTaken)
        }
    }
}
