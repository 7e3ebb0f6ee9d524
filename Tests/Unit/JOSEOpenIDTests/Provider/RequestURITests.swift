// The allowed URLs of a client's request objects: lists, prefixes and application rules.

import JOSE
import JOSEOpenID
import Synchronization
import Testing

@Suite("request_uri rules")
struct RequestURITests {
    private static func client(
        _ rules: [RequestURIRule], listed: [String] = [], writesPort: Bool = false
    ) throws -> RegisteredClient {
        let env = try TestEnvironment(
            .openID.with { $0.requestObject.requiresRequestURIPort443 = writesPort })
        var registration = TestEnvironment.registration(requestURIs: listed)
        registration.requestURIRules = rules
        return try env.provider.client(registration)
    }

    /// Whether an object is fetched from the URL. A rejection must be about the URL.
    private static func isFetched(
        _ address: String, _ client: RegisteredClient
    ) async throws -> Bool {
        let asked = Atomic(false)
        let outer = TestEnvironment.form(["request_uri": address])
        let verdict = try await client.browse(
            outer,
            fetch: { url in
                #expect(url == address)
                asked.store(true, ordering: .relaxed)
                return "x"
            })
        guard case .rejected(let rejected) = verdict else {
            Issue.record("x was accepted")
            return true
        }
        let wasAsked = asked.load(ordering: .relaxed)
        #expect(rejected.error.code == (wasAsked ? .invalidRequestObject : .invalidRequestURI))
        return wasAsked
    }

    @Test(
        "a prefix is scheme, host, port and whole path segments",
        arguments: ["https://rp.example/objects", "https://rp.example:443/objects/"])
    func below(_ prefix: String) async throws {
        let client = try Self.client([.below(prefix)])
        for good in [
            "https://rp.example/objects", "https://rp.example/objects/",
            "https://rp.example/objects/1", "https://rp.example:443/objects/1",
            "https://RP.example/objects/1", "https://rp.example/objects/a/b.c~d_e-f/",
            "https://rp.example/objects?x=1", "https://rp.example/objects/1?x=%2e%2e%2f;/../",
            "https://rp.example/objects/...", "https://rp.example/objects/a..b",
        ] { #expect(try await Self.isFetched(good, client), "\(good)") }
        for bad in [
            "https://rp.example/", "https://rp.example", "https://rp.example/object",
            "https://rp.example/objects2", "https://rp.example/objectsx/1",
            "https://rp.example/Objects/1", "https://rp.example/x/objects/1",
            "https://rp.example//objects/1", "https://rp.example/objects//1",
            "https://rp.example/objects/../x", "https://rp.example/objects/..",
            "https://rp.example/objects/.", "https://rp.example/objects/./1",
            "https://rp.example/objects/../objects/1", "https://rp.example/./objects/1",
            "https://rp.example/objects/%2e%2e/x", "https://rp.example/objects/%2E%2E/x",
            "https://rp.example/objects/.%2e/x", "https://rp.example/objects%2f..%2fx",
            "https://rp.example/objects/%252e%252e/x", "https://rp.example/objects/%00",
            "https://rp.example/%6fbjects/1", "https://rp.example/objects/..;/x",
            "https://rp.example/objects;x/1", "https://rp.example/objects/%5c..%5cx",
            "https://rp.example/objects\\..\\x", "https://rp.example/objects/\\",
            "https://rp.example/objects/1#part", "https://rp.example/x?/objects/1",
            "http://rp.example/objects/1", "https://rp.example:8443/objects/1",
            "https://rp.example:80/objects/1", "https://rp.example.evil.example/objects/1",
            "https://evil.example/objects/1", "https://x.rp.example/objects/1",
            "https://rp.example@evil.example/objects/1", "https://user@rp.example/objects/1",
            "https://rp.example./objects/1", "https://rp.example/objects/\u{e9}",
            "https://evil.example/https://rp.example/objects/1", "/objects/1", "objects/1",
        ] { #expect(try await !Self.isFetched(bad, client), "\(bad)") }
    }

    @Test("a prefix without a path allows the whole server") func server() async throws {
        for prefix in ["https://rp.example", "https://rp.example/"] {
            let client = try Self.client([.below(prefix)])
            for good in ["https://rp.example", "https://rp.example/", "https://rp.example/a/b?c"] {
                #expect(try await Self.isFetched(good, client), "\(good)")
            }
            for bad in ["https://rp.example:1/", "https://rp.example/a/..", "https://b.example/"] {
                #expect(try await !Self.isFetched(bad, client), "\(bad)")
            }
        }
    }

    @Test("an application's rule is called for valid URIs only, and its result decides")
    func admitted() async throws {
        let asked = Mutex<[String]>([])
        let client = try Self.client([
            .matching { address in
                asked.withLock { $0.append(address) }
                return address.hasSuffix("yes")
            }
        ])
        #expect(try await Self.isFetched("https://a.example/yes", client))
        #expect(try await !Self.isFetched("https://a.example/no", client))
        for bad in [
            "http://a.example/yes", "https://localhost/yes", "https://10.0.0.1/yes",
            "https://u@a.example/yes", "https://a.example/#yes", "yes",
            "https://a.example/" + String(repeating: "x", count: 512) + "yes",
        ] { #expect(try await !Self.isFetched(bad, client), "\(bad)") }
        #expect(asked.withLock { $0 } == ["https://a.example/yes", "https://a.example/no"])
    }

    @Test("the list or any one rule suffices, and without either nothing is fetched")
    func several() async throws {
        let client = try Self.client(
            [.below("https://a.example/x"), .matching { $0 == "https://b.example/" }],
            listed: ["https://c.example/%2e?y"])
        for good in ["https://a.example/x/1", "https://b.example/", "https://c.example/%2e?y"] {
            #expect(try await Self.isFetched(good, client), "\(good)")
        }
        #expect(try await !Self.isFetched("https://c.example/%2e?z", client))
        let none = try Self.client([])
        #expect(try await !Self.isFetched("https://a.example/x/1", none))
    }

    @Test("the profile's port rule applies in addition") func port() async throws {
        let client = try Self.client([.below("https://rp.example/o")], writesPort: true)
        #expect(try await Self.isFetched("https://rp.example:443/o/1", client))
        #expect(try await !Self.isFetched("https://rp.example/o/1", client))
    }

    @Test(
        "an ambiguous prefix is misuse",
        arguments: [
            "", "rp.example/o", "http://rp.example/o", "https://", "https://rp.example/o?x",
            "https://rp.example/o#x", "https://u@rp.example/o", "https://rp.example/a/../o",
            "https://rp.example/%6f", "https://rp.example/a//o", "https://rp.example/o;x",
            "https://*.example/o", "https://rp.example/a/./",
        ]) func prefixes(_ prefix: String) async
    { await expectRule("prefix of a request_uri") { _ = try Self.client([.below(prefix)]) } }
}
