// The store of pushed requests: its limits, its expiry, and its outages.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Pushed request store")
struct PushedRequestStoreTests {
    /// A received pushed request of a client.
    private func request(
        _ env: TestEnvironment, _ clientID: String = TestEnvironment.clientID, state: String? = nil,
        at seconds: Int64 = 0
    ) async throws -> PushedRequest {
        let client = try env.provider.client(TestEnvironment.registration(clientID))
        let party = try TestEnvironment.party(env.profile, env.metadata, clientID: clientID)
        var asked = env.request
        if let state { asked.additional = [OpenIDParameter("own", state)] }
        let pushed = try await party.push(asked, at: .testNow)
        return try await client.receivePushedRequest(
            pushed.request.body, authorization: pushed.request.authorization,
            at: TestEnvironment.at(seconds)
        ).accepted()
    }

    @Test("a client over its quota gets 429, and other clients are served")
    func quota() async throws {
        let store = MemoryPushedRequestStore(capacity: 8, quota: 3)
        let env = try TestEnvironment(.openID, pushed: store)
        for _ in 0..<3 { _ = try await request(env) }
        let pushed = try await env.party.push(env.request, at: .testNow)
        let verdict = await env.client.receive(pushed)
        #expect(try rejection(verdict) == ["limit-exceeded", "invalid_request", "429"])
        for number in 0..<5 { _ = try await request(env, "other-\(number)") }
        #expect(store.count == 8)
        let late = await env.client.receivePushedRequest(
            pushed.request.body, authorization: pushed.request.authorization,
            at: TestEnvironment.at(60))
        #expect(try rejection(late) == ["accepted"])
        #expect(store.count == 1, "what ended makes room")
    }

    @Test("a full store responds 503 to all clients and evicts no request")
    func full() async throws {
        let env = try TestEnvironment(
            .openID, pushed: MemoryPushedRequestStore(capacity: 2, quota: 2))
        let kept = [try await request(env), try await request(env)]
        await expectRejection("unavailable") { _ = try await request(env, "client-2") }
        for one in kept {
            let verdict = try await env.client.browse(
                "client_id=client-1&request_uri=\(one.reference)")
            _ = try verdict.accepted()
        }
    }

    @Test("a large request counts as several") func weight() async throws {
        let env = try TestEnvironment(
            .openID, pushed: MemoryPushedRequestStore(capacity: 8, quota: 8))
        let large = String(repeating: "a", count: 16_384)
        _ = try await request(env, state: large)
        await expectRejection("limit-exceeded") { _ = try await request(env, state: large) }
        for _ in 0..<3 { _ = try await request(env) }
        await expectRejection("limit-exceeded") { _ = try await request(env) }
    }

    @Test("a request of exactly 4 KB counts as one, of one byte more as two")
    func weightBoundary() async throws {
        let env = try TestEnvironment(.openID)
        let small = try await request(env, state: "a").byteCount
        for (size, fits) in [(4_096, true), (4_097, false)] {
            let state = String(repeating: "a", count: size - small + 1)
            let sized = try await request(env, state: state)
            #expect(sized.byteCount == size)
            let store = MemoryPushedRequestStore(capacity: 1, quota: 1)
            do throws(PushedRequestStoreError) {
                try await store.store(sized, at: .testNow)
                #expect(fits)
            } catch {
                #expect(!fits && error == .quotaExceeded)
            }
        }
    }

    @Test("many small parameters count by the memory of their list")
    func manyParameters() async throws {
        let env = try TestEnvironment(.openID)
        var counts: [Int] = []
        for count in [0, 40] {
            let pushed = try await env.party.push(env.request, at: .testNow).request
            let more = (0..<count).map { "&a\($0)=b" }.joined()
            let verdict = await env.client.receivePushedRequest(
                pushed.body + more, authorization: pushed.authorization, at: .testNow)
            let request = try verdict.accepted()
            counts.append(request.byteCount)
        }
        #expect(counts[1] - counts[0] >= 40 * 32)
    }

    @Test("requests are found and removed by exact reference until they expire")
    func store() async throws {
        let env = try TestEnvironment(.openID)
        let kept = try await request(env)
        let store = MemoryPushedRequestStore()
        try await store.store(kept, at: .testNow)
        try await store.store(kept, at: .testNow)
        #expect(store.count == 1)
        let last = kept.expires.advanced(by: .milliseconds(-1))
        #expect(try await store.find(kept.reference, at: last) != nil)
        #expect(try await store.find(kept.reference, at: kept.expires) == nil)
        #expect(try await store.find(kept.reference + "a", at: .testNow) == nil)
        try await store.remove(kept.reference + "a", at: .testNow)
        #expect(store.count == 1)
        try await store.remove(kept.reference, at: .testNow)
        #expect(try await store.find(kept.reference, at: .testNow) == nil && store.count == 0)
    }

    @Test("a shared store holds the request, and all servers together grant it once")
    func shared() async throws {
        let store = TextStore()
        let env = try TestEnvironment(.netsEIDBroker, pushed: store)
        let login = try await PushedLogin(env)
        #expect(store.count == 1)
        let first = try await login.receive()
        let second = try await login.receive()
        #expect(first.isSigned && first.parameters == second.parameters)
        _ = try await env.client.grant(first, at: .testNow)
        await expectRejection("replayed") { _ = try await env.client.grant(second, at: .testNow) }
        // A caller that keeps the request during the page may encode it too.
        let again = try coded(second)
        await expectRejection("replayed") { _ = try await env.client.grant(again, at: .testNow) }
    }

    @Test("an outage blames no client: 503 at one endpoint, a page at the other")
    func outage() async throws {
        let env = try TestEnvironment(.openID, pushed: DeadStore())
        let pushed = try await env.party.push(env.request, at: .testNow)
        let verdict = await env.client.receive(pushed)
        #expect(try rejection(verdict) == ["unavailable", "temporarily_unavailable", "503"])
        let error = await expectRejection("unavailable") {
            _ = try await env.client.browse(
                "client_id=client-1&request_uri=urn:ietf:params:oauth:request_uri:a")
        }
        #expect(try OpenIDHTTPResponse.page(rejecting: need(error)).status == 503)
    }
}

/// A store that encodes its entries, as one shared by several servers does.
private final class TextStore: PushedRequestStore, @unchecked Sendable {
    private let lock = NSLock()
    private var texts: [String: Data] = [:]

    var count: Int { lock.withLock { texts.count } }

    func store(_ request: PushedRequest, at now: NumericDate) async throws(PushedRequestStoreError)
    {
        guard let text = try? JSONEncoder().encode(request) else { throw .unavailable }
        lock.withLock { texts[request.reference] = text }
    }

    func find(
        _ reference: String, at now: NumericDate
    ) async throws(PushedRequestStoreError) -> PushedRequest? {
        lock.withLock { texts[reference] }
            .flatMap { try? JSONDecoder().decode(PushedRequest.self, from: $0) }
    }

    /// It removes nothing early, like one whose replicas lag.
    func remove(_ reference: String, at now: NumericDate) async throws(PushedRequestStoreError) {
        throw .unavailable
    }
}

private struct DeadStore: PushedRequestStore {
    func store(_ request: PushedRequest, at now: NumericDate) async throws(PushedRequestStoreError)
    {
        throw .unavailable
    }
    func find(
        _ reference: String, at now: NumericDate
    ) async throws(PushedRequestStoreError) -> PushedRequest? { throw .unavailable }
    func remove(_ reference: String, at now: NumericDate) async throws(PushedRequestStoreError) {
        throw .unavailable
    }
}
