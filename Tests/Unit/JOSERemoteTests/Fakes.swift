// A controllable clock, a transport whose responses the test sets, and sets without real keys.

import JOSE
import JOSERemote
import JOSEBytes
import Synchronization

/// A clock that only the test advances.
final class TestClock: Sendable {
    private let time = Lock<Duration>(.zero)
    var now: Duration { time.withLock { $0 } }
    func advance(_ seconds: Double) { time.withLock { $0 += .seconds(seconds) } }
}

/// Responds to each request as the test configured, or holds it until the test releases it.
final class FakeTransport: JWKSetTransport {
    typealias Reply = Result<JWKSetResponse, JWKSetTransportError>
    private struct State {
        var reply: Reply
        var holds = false
        var held: [CheckedContinuation<Void, Never>] = []
        var requests: [JWKSetRequest] = []
    }
    private let state: Lock<State>

    init(_ reply: Reply) { state = Lock(State(reply: reply)) }

    convenience init(_ keyIDs: String...) { self.init(.success(.set(keyIDs))) }

    var requests: [JWKSetRequest] { state.withLock { $0.requests } }
    var externalCount: Int { state.withLock { $0.held.count } }

    func reply(_ reply: Reply) { state.withLock { $0.reply = reply } }
    func hold() { state.withLock { $0.holds = true } }
    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.holds = false
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    func fetch(_ request: JWKSetRequest) async throws(JWKSetTransportError) -> JWKSetResponse {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                state.requests.append(request)
                if state.holds { state.held.append(continuation) }
                return state.holds
            }
            if !waits { continuation.resume() }
        }
        return try state.withLock { $0.reply }.get()
    }
}

extension JWKSetResponse {
    /// A set of keys of an unknown type, which have a kid and are cheap to read.
    static func set(
        _ keyIDs: [String], tag: String? = nil, cacheControl: String? = nil
    ) -> JWKSetResponse {
        JWKSetResponse(
            status: 200, body: Array(setText(keyIDs).utf8), entityTag: tag,
            cacheControl: cacheControl)
    }
}

/// The JSON of such a set.
func setText(_ keyIDs: [String]) -> String {
    #"{"keys":["# + keyIDs.map { #"{"kty":"X","kid":"\#($0)"}"# }.joined(separator: ",") + "]}"
}

/// Records the events.
final class EventLog: Sendable {
    private let events = Lock<[RemoteJWKSetEvent]>([])
    var all: [RemoteJWKSetEvent] { events.withLock { $0 } }
    func note(_ event: any JOSEEvent) {
        guard let event = event as? RemoteJWKSetEvent else { return }
        events.withLock { $0.append(event) }
    }
    func count(_ kind: RemoteJWKSetEvent.Kind) -> Int { all.count { $0.kind == kind } }
    var lastFailure: String? { all.last { $0.kind == .failed }?.failure }
}

/// The code of the thrown error, or nil.
func code(_ body: () async throws(JOSEError) -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch {
        return error.code.name
    }
}

/// Yields to other tasks until the condition holds, at most ten seconds.
func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<2_000 {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return condition()
}
