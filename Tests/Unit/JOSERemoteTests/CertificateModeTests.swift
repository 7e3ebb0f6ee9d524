// Remote sets that require certificates: skipped keys, the effect of a 304, and refreshes when a
// chain expires.

import Foundation
import JOSE
import Synchronization
import Testing

@testable import JOSERemote

/// A provider with its own CA, whose keys have chains.
struct CertifiedProvider {
    static let root = Result {
        let (key, pem) = (try read("root.key"), try read("root.pem"))
        let root = try KeyFileContents(pem).certificates
        return (key: try KeyFileContents(key).key().withCertificates(root), certificates: root)
    }
    /// The origin of the wall clock. The CA's certificate began before it.
    static let origin = NumericDate.now

    static func date(_ seconds: Int64) throws -> NumericDate {
        try #require(NumericDate(exactly: origin.seconds + seconds))
    }

    static func store() throws -> TrustStore {
        try TrustStore(anchors: root.get().certificates)
    }

    /// The same key with a chain that expires after this number of seconds.
    static func certified(_ key: JWK, until seconds: Int64) throws -> JWK {
        try key.withCertificate(
            issuedBy: root.get().key, subject: CertificateSubject(commonName: "provider"),
            from: date(0), until: date(seconds))
    }

    static func key(_ keyID: String) throws -> JWK {
        try JWK.generate(.rsa, keyID: keyID, use: .signature, algorithm: "RS256")
    }

    static func response(_ keys: [JWK], tag: String? = nil) throws -> JWKSetResponse {
        JWKSetResponse(
            status: 200, body: Array(try JWKSet(keys: keys).publicKeys.json().utf8), entityTag: tag,
            cacheControl: "max-age=7200")
    }

    private static func read(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: TestAuthority.path(name))))
    }
}

/// A remote set with `.require`, whose two clocks advance together.
struct CertifiedFixture {
    let clock = TestClock()
    let log = EventLog()
    let set: RemoteJWKSet
    let verifier: AsyncJWTVerifier

    init(
        _ transport: some JWKSetTransport, url: String = "https://op.example/jwks",
        _ rule: CertificateRule? = nil
    ) throws {
        var settings = RemoteJWKSetSettings()
        settings.certificates = try rule ?? .require(CertifiedProvider.store())
        set = try RemoteJWKSet(
            url: url, settings: settings, transport: transport,
            observe: { [log] in log.note($0) }, clock: { [clock] in clock.now },
            now: { [clock] in CertifiedFixture.wall(clock) })
        verifier = try AsyncJWTVerifier(
            policy: ClaimsPolicy(issuer: .any, audience: .any), keys: set, algorithms: [.rs256])
    }

    static func wall(_ clock: TestClock) -> NumericDate {
        let seconds = CertifiedProvider.origin.seconds + clock.now.components.seconds
        return NumericDate(exactly: seconds) ?? .latest
    }

    /// The error code for a token of this key at the present time. Nil if it is accepted.
    func verdict(_ key: JWK) async throws -> String? {
        let issuer = try JWTIssuer(
            key: key, algorithm: .rs256, lifetime: .seconds(80_000))
        let token = try issuer.issue(["sub": "s"], at: CertifiedProvider.date(0))
        return await code { () throws(JOSEError) in
            _ = try await verifier.verify(token, at: CertifiedFixture.wall(clock))
        }
    }
}

@Suite("Remote key set: certificates")
struct CertificateModeTests {
    private let first = Result { try CertifiedProvider.key("1") }
    private let second = Result { try CertifiedProvider.key("2") }

    @Test("each rule is applied to each key, and the number of skipped keys is reported")
    func rules() async throws {
        let good = try CertifiedProvider.certified(first.get(), until: 3_600)
        let bare = try second.get()
        let stranger = try CertifiedProvider.key("3")
        let alone = try stranger.withSelfSignedCertificate(
            subject: CertificateSubject(commonName: "me"), from: CertifiedProvider.date(0),
            until: CertifiedProvider.date(3_600))
        let store = try CertifiedProvider.store()
        let wanted: [(CertificateRule, [String?], Int)] = [
            (.ignore, [nil, nil, nil], 0),
            (.requireWhenPresent(store), [nil, nil, "untrusted-key"], 1),
            (.require(store), [nil, "untrusted-key", "untrusted-key"], 2),
        ]
        for (rule, codes, skipped) in wanted {
            let transport = FakeTransport(
                .success(try CertifiedProvider.response([good, bare, alone])))
            let fixture = try CertifiedFixture(transport, rule)
            for (key, code) in zip([good, bare, stranger], codes) {
                #expect(try await fixture.verdict(key) == code)
            }
            #expect(transport.requests.count == 1)
            #expect(fixture.log.all.last?.skippedCount == skipped)
            #expect(fixture.log.all.last?.keyCount == 3)
        }
    }

    @Test("a chain that expires between two requests is rejected at once and causes a refresh")
    func end() async throws {
        let (first, second) = (try first.get(), try second.get())
        let short = try CertifiedProvider.certified(first, until: 100)
        let long = try CertifiedProvider.certified(second, until: 80_000)
        let transport = FakeTransport(.success(try CertifiedProvider.response([short, long])))
        let fixture = try CertifiedFixture(transport)
        #expect(try await fixture.verdict(first) == nil)
        fixture.clock.advance(100)
        #expect(try await fixture.verdict(first) == nil, "its last second")
        #expect(await eventually { fixture.log.all.last?.kind != .started })
        // The server is down: the expired chain is rejected, the other key still serves.
        transport.reply(.failure(.unreachable))
        fixture.clock.advance(11)
        #expect(try await fixture.verdict(first) == "untrusted-key")
        #expect(try await fixture.verdict(second) == nil)
        // The server returns with a new certificate for the same key.
        let renewed = try CertifiedProvider.certified(first, until: 9_000)
        transport.reply(.success(try CertifiedProvider.response([renewed, long])))
        fixture.clock.advance(60)
        _ = try await fixture.verdict(second)
        #expect(await eventually { fixture.log.all.last?.kind == .replaced })
        #expect(try await fixture.verdict(first) == nil)
        #expect(fixture.log.all.last?.skippedCount == 0)
    }

    @Test("a 304 validates the chains again, and keeps prepared keys") func unchanged()
        async throws
    {
        let (first, second) = (try first.get(), try second.get())
        let short = try CertifiedProvider.certified(first, until: 100)
        let long = try CertifiedProvider.certified(second, until: 80_000)
        let transport = FakeTransport(
            .success(try CertifiedProvider.response([short, long], tag: "\"v1\"")))
        let fixture = try CertifiedFixture(transport)
        let before = try await fixture.set.keys(keyID: "1")
        #expect(before.keys().count == 2)
        transport.reply(.success(JWKSetResponse(status: 304, cacheControl: "max-age=7200")))
        fixture.clock.advance(101)
        let after = try await fixture.set.keys(keyID: "1")
        #expect(after.storage === before.storage)
        #expect(after.keys().map(\.keyID) == ["2"] && after.skipped.map(\.index) == [0])
        #expect(transport.requests.map(\.entityTag) == [nil, "\"v1\""])
        #expect(fixture.log.all.last?.kind == .unchanged)
        #expect(fixture.log.all.last?.skippedCount == 1)
        #expect(try await fixture.verdict(first) == "untrusted-key")
        #expect(try await fixture.verdict(second) == nil)
        // Without the short chain the set is fresh as long as the server says.
        fixture.clock.advance(5_000)
        #expect(try await fixture.verdict(second) == nil)
        #expect(transport.requests.count == 2)
    }

    @Test("a certified set is fetched over HTTPS from a real server") func server() async throws {
        let server = try TestServer()
        let good = try CertifiedProvider.certified(first.get(), until: 3_600)
        let text = try JWKSet(keys: [good, second.get()]).publicKeys.json()
        try server.tell(["body": text, "etag": "\"1\""])
        let fixture = try CertifiedFixture(
            CurlTransport(certificateAuthorities: TestAuthority.path("root.pem")),
            url: "https://127.0.0.1:\(server.port)/jwks")
        #expect(try await fixture.verdict(good) == nil)
        #expect(try await fixture.verdict(second.get()) == "untrusted-key")
        fixture.clock.advance(3_601)
        #expect(try await fixture.verdict(good) == "untrusted-key")
        #expect(try server.tell().revalidations == 1)
    }
}
