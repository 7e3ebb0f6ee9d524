// The table of the page about keys behind a URL: the result for a token, by its kid, the age of the
// set, and the server's state.

import JOSE
import JOSERemote
import Testing

@Suite("Remote key set: outages")
struct OutageTableTests {
    /// How a token names its key.
    enum Name: String, CaseIterable {
        /// The set has this kid.
        case known
        /// The set lacks it.
        case unknown
        case absent
    }

    /// The age of the set, with 5 minutes of freshness and an hour of `staleFor`.
    enum Age: Double, CaseIterable {
        case fresh = 20
        /// Past its freshness, within the hour.
        case expired = 400
        /// Past the hour too.
        case tooOld = 4_000
    }

    enum Server: CaseIterable {
        case there
        case away
        case nonsense
        case broken

        var reply: FakeTransport.Reply? {
            switch self {
            case .there: nil
            case .away: .failure(.unreachable)
            case .nonsense: .success(JWKSetResponse(status: 200, body: Array("<html>".utf8)))
            case .broken: .success(JWKSetResponse(status: 503))
            }
        }
    }

    private let own = Result { try JWK.generate(.curve(.p256), keyID: "a") }
    private let newer = Result { try JWK.generate(.curve(.p256), keyID: "b") }
    private let wide = Result { try JWK.generate(.curve(.p384), keyID: "a") }

    private static func published(_ keys: JWK...) throws -> JWKSetResponse {
        JWKSetResponse(status: 200, body: Array(try PublicJWKSet(keys: keys).json().utf8))
    }

    /// A token signed by this key under this kid.
    private static func token(_ key: JWK, _ name: Name) throws -> String {
        var key = key
        switch name {
        case .known: key.keyID = "a"
        case .unknown: key.keyID = "b"
        case .absent: key.keyID = nil
        }
        let algorithm: SignatureAlgorithm = key.curve == .p384 ? .es384 : .es256
        return try JWTIssuer(key: key, algorithm: algorithm, lifetime: .seconds(300))
            .issue(["sub": "s"], at: now)
    }

    private static let now = NumericDate.now

    private struct Fixture {
        let clock = TestClock()
        let transport: FakeTransport
        let verifier: AsyncJWTVerifier

        init(_ first: JWKSetResponse) throws {
            transport = FakeTransport(.success(first))
            let set = try RemoteJWKSet(
                url: "https://op.example/jwks", transport: transport,
                clock: { [clock] in clock.now })
            verifier = try AsyncJWTVerifier(
                policy: ClaimsPolicy(issuer: .any, audience: .any), keys: set,
                algorithms: [.es256, .es384])
        }

        func verdict(_ token: String) async -> String? {
            await code { () throws(JOSEError) in
                _ = try await verifier.verify(token, at: OutageTableTests.now)
            }
        }
    }

    /// The cell of the table: for a token by the set's key, by a missing key, and with an algorithm
    /// that no key of the set has.
    private static func cell(_ name: Name, _ age: Age, _ isThere: Bool) -> [String?] {
        let rejection = "unavailable"
        switch (name, age, isThere) {
        case (_, .tooOld, false): return [rejection, rejection, rejection]
        case (.known, _, _): return [nil, "signature-invalid", "key-unusable"]
        case (.unknown, _, true): return ["key-not-found", "key-not-found", "key-not-found"]
        case (.unknown, _, false): return [rejection, rejection, rejection]
        case (.absent, .expired, false): return [nil, rejection, rejection]
        case (.absent, _, _): return [nil, "signature-invalid", "key-not-found"]
        }
    }

    @Test(
        "each combination, at the first call and at later calls",
        arguments: Name.allCases, Age.allCases)
    func cells(_ name: Name, _ age: Age) async throws {
        let tokens = try [own, newer, wide].map { try Self.token($0.get(), name) }
        for server in Server.allCases {
            let wanted = Self.cell(name, age, server == .there)
            // Whichever token comes first sees the set in this state.
            for first in tokens.indices {
                let fixture = try Fixture(Self.published(own.get()))
                #expect(try await fixture.verdict(Self.token(own.get(), .known)) == nil)
                if let reply = server.reply { fixture.transport.reply(reply) }
                fixture.clock.advance(age.rawValue)
                for turn in 0..<6 {
                    let index = (first + turn) % tokens.count
                    #expect(
                        await fixture.verdict(tokens[index]) == wanted[index],
                        "\(name), \(age), \(server), token \(index), turn \(turn)")
                }
            }
        }
    }

    @Test("the newer set applies as soon as the server responds again", arguments: Name.allCases)
    func back(_ name: Name) async throws {
        let byNewer = try Self.token(newer.get(), name)
        let fixture = try Fixture(Self.published(own.get()))
        #expect(try await fixture.verdict(Self.token(own.get(), .absent)) == nil)
        fixture.transport.reply(.failure(.timeLimit))
        fixture.clock.advance(400)
        let during = name == .known ? "signature-invalid" : "unavailable"
        #expect(await fixture.verdict(byNewer) == during)
        // A set with only this key, under the kid that the token uses.
        var key = try newer.get()
        if name == .known { key.keyID = "a" }
        fixture.transport.reply(.success(try Self.published(key)))
        fixture.clock.advance(4_000)
        #expect(await fixture.verdict(byNewer) == nil)
        #expect(try await fixture.verdict(Self.token(own.get(), name)) == "signature-invalid")
    }

    @Test("a fresh set applies unchanged during a later outage")
    func freshThroughout() async throws {
        let stranger = try Self.token(newer.get(), .absent)
        let fixture = try Fixture(Self.published(own.get()))
        #expect(await fixture.verdict(stranger) == "signature-invalid")
        fixture.transport.reply(.failure(.unreachable))
        // A request for another kid fails, and so does the early refresh.
        fixture.clock.advance(20)
        #expect(try await fixture.verdict(Self.token(newer.get(), .unknown)) == "unavailable")
        #expect(await fixture.verdict(stranger) == "signature-invalid")
        fixture.clock.advance(270)
        #expect(await fixture.verdict(stranger) == "signature-invalid")
        fixture.clock.advance(15)
        #expect(await fixture.verdict(stranger) == "unavailable")
        #expect(try await fixture.verdict(Self.token(own.get(), .absent)) == nil)
    }

    @Test("invalid claims and malformed tokens are rejected as such, also in an outage")
    func others() async throws {
        let fixture = try Fixture(Self.published(own.get()))
        let good = try Self.token(own.get(), .absent)
        #expect(await fixture.verdict(good) == nil)
        fixture.transport.reply(.failure(.unreachable))
        fixture.clock.advance(400)
        #expect(await fixture.verdict(good) == nil)
        let late = try #require(NumericDate(exactly: Self.now.seconds + 4_000))
        #expect(
            await code { () throws(JOSEError) in
                _ = try await fixture.verifier.verify(good, at: late)
            } == "claim-rejected")
        #expect(await fixture.verdict("a.b") == "malformed")
    }
}
