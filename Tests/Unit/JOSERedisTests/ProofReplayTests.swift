// DPoP proofs at several servers that share one Redis: each proof works once, at whichever server.

import JOSE
import JOSEOpenID
import JOSERedis
import Testing

@Suite("DPoP proofs in a shared Redis store")
struct ProofReplayTests {
    private static let resource = "https://api.example"

    /// Resource servers with the same rules, each with its own store for one Redis server.
    private struct Machines {
        /// Stops when it is released.
        let redis: TestRedis
        let servers: [ResourceServer]
        let prover: DPoPProver
        let token: String

        init(_ redis: TestRedis, _ count: Int) throws {
            self.redis = redis
            let issuer = "https://idp.example"
            let signing = try JWK.generate(.curve(.p256), algorithm: .es256)
            let prover = try DPoPProver.fresh()
            self.prover = prover
            servers = try (0..<count).map { _ in
                let machine = try Fixture(redis.port) { $0.maxLeeway = .seconds(60) }
                return try ResourceServer(
                    issuer: issuer, audiences: [resource], keys: JWKSet(keys: [signing]).publicKeys,
                    proofs: DPoPVerifier(server: resource, replays: machine.store))
            }
            let now = later.seconds
            let claims: JSONValue = [
                "iss": .string(issuer), "sub": "user-1", "aud": .string(resource),
                "client_id": "c", "jti": "t", "iat": .integer(now), "exp": .integer(now + 300),
                "cnf": ["jkt": .string(prover.keyThumbprint)],
            ]
            token = try JWTIssuer(key: signing, algorithm: .es256, type: "at+jwt").issue(claims)
        }

        func request() throws -> ResourceRequest {
            let url = resource + "/things"
            return try ResourceRequest(
                method: "GET", url: url, authorization: "DPoP " + token,
                proofs: [
                    prover.proof(method: "GET", url: url, accessToken: token, at: later)
                ])
        }

        /// Nil if it was accepted.
        func ask(_ machine: Int, _ request: ResourceRequest) async -> JOSEError? {
            do {
                _ = try await servers[machine].verify(request, at: later)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("RFC 9449 11.1: a proof accepted by one server is rejected by the other, and only that")
    func twoMachines() async throws {
        let redis = try TestRedis()
        let machines = try Machines(redis, 2)
        let (first, second) = (try machines.request(), try machines.request())
        #expect(await machines.ask(0, first)?.code == nil)
        let rejected = await machines.ask(1, first)
        #expect(rejected?.code == .replayed && rejected?.step == .proof)
        #expect(await machines.ask(0, first)?.code == .replayed)
        #expect(await machines.ask(1, second)?.code == nil)
        #expect(await machines.ask(0, second)?.code == .replayed)
    }

    @Test("one proof sent to four servers at once is accepted exactly once")
    func atOnce() async throws {
        let redis = try TestRedis()
        let machines = try Machines(redis, 4)
        for _ in 0..<20 {
            let request = try machines.request()
            let outcomes = await withTaskGroup(of: JOSEError?.self) { group in
                for caller in 0..<32 { group.addTask { await machines.ask(caller % 4, request) } }
                return await group.reduce(into: [JOSEError?]()) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == nil } == 1)
            #expect(outcomes.count { $0?.code == .replayed } == 31)
        }
    }

    @Test("without Redis no proof is accepted, and no client is blamed")
    func outage() async throws {
        let redis = try TestRedis()
        let machines = try Machines(redis, 1)
        #expect(try await machines.ask(0, machines.request())?.code == nil)
        redis.stop()
        #expect(try await machines.ask(0, machines.request())?.code == .unavailable)
    }
}
