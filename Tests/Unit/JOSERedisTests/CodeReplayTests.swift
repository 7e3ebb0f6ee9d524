// Codes, pushed requests and backchannel requests with Redis: a server start rejects none for long.

import Foundation
import JOSE
import JOSEOpenID
import JOSERedis
import Testing

@Suite("Codes in a shared Redis store", .serialized)
struct CodeReplayTests {
    private enum Way: CaseIterable { case code, pushed, backchannel }

    /// One of several servers of a provider, and its client.
    private struct Machine {
        let client: RegisteredClient

        init(_ redis: TestRedis, epoch: NumericDate = start) throws {
            let store = try Fixture(redis.port, epoch: epoch) { $0.maxLeeway = .seconds(300) }
                .store
            let issuer = "https://idp.example"
            var profile = OpenIDProfile.openID
            profile.authorization.requiresPKCE = false
            profile.backchannel.lifetime = .seconds(600)
            profile.backchannel.maxObjectValidity = .seconds(300)
            let metadata = try ProviderMetadata(
                issuer: issuer, authorizationEndpoint: issuer + "/a", tokenEndpoint: issuer + "/t",
                jwksURI: issuer + "/k", pushedRequestEndpoint: issuer + "/p",
                backchannelEndpoint: issuer + "/b", profile: profile)
            let provider = try OpenIDProvider(
                profile: profile, metadata: metadata,
                keys: JWKSet(keys: [JWK.generate(.rsa, use: .signature)]), replays: store,
                pushedRequests: MemoryPushedRequestStore())
            var registration = ClientRegistration(
                clientID: "c", redirectURIs: ["https://rp.example/cb"], secret: ClientSecret("s"))
            registration.backchannel = BackchannelRegistration()
            client = try provider.client(
                registration, keys: PublicJWKSet(json: #"{"keys":[]}"#))
        }
    }

    private static let query =
        "response_type=code&client_id=c&scope=openid&nonce=n&state=s"
        + "&redirect_uri=https%3A%2F%2Frp.example%2Fcb"
    /// `c` and `s`.
    private static let basic = "Basic Yzpz"

    /// A value issued at a time, to be used once, encoded as by a database in between.
    private func give(
        _ way: Way, _ machine: Machine, at now: NumericDate
    ) async throws -> @Sendable (Machine, NumericDate) async -> String {
        let client = machine.client
        switch way {
        case .code:
            let request = try await accepted(Self.query, client, now)
            let kept = try JSONEncoder().encode(try await client.grant(request, at: now))
            let grant = try JSONDecoder().decode(CodeGrant.self, from: kept)
            return { machine, now in
                await self.said {
                    let asked = try await machine.client.receiveTokenRequest(
                        "grant_type=authorization_code&code=\(grant.code)"
                            + "&redirect_uri=https%3A%2F%2Frp.example%2Fcb",
                        authorization: Self.basic, at: now)
                    try await machine.client.redeem(asked, grant, at: now)
                }
            }
        case .pushed:
            let verdict = await client.receivePushedRequest(
                Self.query, authorization: Self.basic, at: now)
            guard case .accepted(let pushed) = verdict else { throw Rejected() }
            let reference = pushed.reference.replacing(":", with: "%3A")
            let request = try await accepted("client_id=c&request_uri=" + reference, client, now)
            let kept = try JSONEncoder().encode(request)
            let read = try JSONDecoder().decode(ReceivedAuthorization.self, from: kept)
            return { machine, now in
                await self.said { _ = try await machine.client.grant(read, at: now) }
            }
        case .backchannel:
            let verdict = await client.receiveBackchannelRequest(
                "scope=openid&login_hint=a", authorization: Self.basic, at: now)
            guard case .accepted(let received) = verdict else { throw Rejected() }
            var waiting = try client.pending(received, at: now)
            waiting.decision = .granted
            let kept = try JSONEncoder().encode(waiting)
            let pending = try JSONDecoder().decode(PendingAuthentication.self, from: kept)
            return { machine, now in
                await self.said {
                    let poll = try await machine.client.receiveBackchannelPoll(
                        "grant_type=urn%3Aopenid%3Aparams%3Agrant-type%3Aciba"
                            + "&auth_req_id=\(pending.requestID)",
                        authorization: Self.basic, at: now)
                    _ = try await machine.client.redeem(poll, pending, at: now)
                }
            }
        }
    }

    private struct Rejected: Error {}

    private func accepted(
        _ query: String, _ client: RegisteredClient, _ now: NumericDate
    ) async throws -> ReceivedAuthorization {
        guard
            case .accepted(let request) = try await client.receiveAuthorizationRequest(
                query, at: now)
        else { throw Rejected() }
        return request
    }

    private func said(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "accepted"
        } catch let error as JOSEError {
            return error.code.name + (error.claim.map { " \($0)" } ?? "")
        } catch {
            return "\(error)"
        }
    }

    /// The error for a value too old to be known, which differs from that for reuse.
    private func tooOld(_ way: Way) -> String {
        switch way {
        case .code: "claim-rejected code"
        case .pushed: "claim-rejected request_uri"
        case .backchannel: "claim-rejected auth_req_id"
        }
    }

    @Test("a login works from a minute after the first start, and only once")
    func firstStart() async throws {
        let redis = try TestRedis()
        let machine = try Machine(redis)
        let first = start
        for way in Way.allCases {
            for second in [-1, 0, 30, 60] as [Int64] {
                let now = first.advanced(by: .seconds(second))
                let use = try await give(way, machine, at: now)
                #expect(await use(machine, now) == tooOld(way), "\(way) \(second)")
                // Waiting does not make it newer.
                let late = first.advanced(by: .seconds(61))
                #expect(await use(machine, late) == tooOld(way), "\(way) \(second)")
            }
            for second in [61, 62, 300, 900] as [Int64] {
                let now = first.advanced(by: .seconds(second))
                let use = try await give(way, machine, at: now)
                #expect(await use(machine, now) == "accepted", "\(way) \(second)")
                #expect(await use(machine, now) == "replayed", "\(way) \(second)")
            }
        }
    }

    @Test("uses before a data loss stay rejected after it, with clocks that differ")
    func loss() async throws {
        for way in Way.allCases {
            for ahead in [0, 30, 60] as [Int64] {
                let redis = try TestRedis()
                // The clock of the issuing server is ahead of the one that will see the loss.
                let real = start.advanced(by: .seconds(600))
                let before = try Machine(redis)
                let theirs = real.advanced(by: .seconds(ahead))
                let use = try await give(way, before, at: theirs)
                #expect(await use(before, theirs) == "accepted")
                #expect(await use(before, theirs) == "replayed")
                redis.stop()
                try redis.start()
                let after = try Machine(redis, epoch: real)
                for second in [0, 1, 59] as [Int64] {
                    let now = theirs.advanced(by: .seconds(second))
                    #expect(await use(after, now) == tooOld(way), "\(way) \(ahead) \(second)")
                }
                let now = real.advanced(by: .seconds(61))
                let next = try await give(way, after, at: now)
                #expect(await next(after, now) == "accepted")
                #expect(await next(after, now) == "replayed")
            }
        }
    }
}
