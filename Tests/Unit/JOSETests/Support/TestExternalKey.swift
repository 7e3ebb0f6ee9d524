// External keys for tests: correct ones with a device, and those that misbehave as a test defines.

import JOSE
import JOSEBytes
import Testing

/// Responds with closures and counts its calls.
final class TestExternalKey: ExternalKey {
    let capabilities: ExternalKeyCapabilities
    let calls = Lock(0)
    let underWay = Lock((now: 0, most: 0))
    var callCount: Int { calls.withLock { $0 } }

    // nil: a failure.
    typealias Signing = @Sendable (ExternalSigningRequest) async -> ExternalSignature?
    typealias Unwrapping = @Sendable (ExternalUnwrappingRequest) async -> ExternalUnwrappedKey?
    typealias Agreeing = @Sendable (ExternalAgreementRequest) async -> ExternalKeySecret?
    private let failure: ExternalKeyError
    private let signing: Signing
    private let unwrapping: Unwrapping
    private let agreeing: Agreeing

    init(
        capabilities: ExternalKeyCapabilities = TestExternalKey.everything,
        failure: ExternalKeyError = .failed,
        sign: @escaping Signing = { _ in nil }, unwrap: @escaping Unwrapping = { _ in nil },
        agree: @escaping Agreeing = { _ in nil }
    ) {
        self.failure = failure
        self.capabilities = capabilities
        signing = sign
        unwrapping = unwrap
        agreeing = agree
    }

    static let everything = ExternalKeyCapabilities(
        signatures: SignatureAlgorithm.all, keyManagement: KeyManagementAlgorithm.all)

    private func count<Response>(
        _ work: () async -> Response?
    ) async throws(ExternalKeyError) -> Response {
        calls.withLock { $0 += 1 }
        underWay.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
        defer { underWay.withLock { $0.now -= 1 } }
        guard let response = await work() else { throw failure }
        return response
    }

    func sign(_ request: ExternalSigningRequest) async throws(ExternalKeyError) -> ExternalSignature
    {
        try await count { await signing(request) }
    }
    func unwrap(_ request: ExternalUnwrappingRequest) async throws(ExternalKeyError)
        -> ExternalUnwrappedKey
    {
        try await count { await unwrapping(request) }
    }
    func agree(_ request: ExternalAgreementRequest) async throws(ExternalKeyError)
        -> ExternalKeySecret
    {
        try await count { await agreeing(request) }
    }
}

extension TestExternalKey {
    /// The kinds of result of RSA-OAEP.
    enum ResultKind: String, CaseIterable, Sendable { case contentKey, block }

    /// A correct external key.
    convenience init(_ key: JWK, _ resultKind: ResultKind = .contentKey) throws {
        let device = try SoftDevice(key)
        self.init(
            sign: { request in
                guard let bytes = device.sign(request) else { return nil }
                return request.algorithm.name.hasPrefix("ES") ? .der(bytes) : .plain(bytes)
            },
            unwrap: { request in
                switch resultKind {
                case .block: device.raw(request.encryptedKey).map { .block(secret($0)) }
                case .contentKey: device.unwrap(request).map { .contentKey(secret($0)) }
                }
            },
            agree: { request in
                guard let bytes = try? device.agree(request) else { return nil }
                return secret(bytes)
            })
    }
}

/// The bytes in the form that an external key returns.
func secret(_ bytes: [UInt8]) -> ExternalKeySecret {
    ExternalKeySecret(count: bytes.count) { out in for byte in bytes { out.append(byte) } }
}

/// The messages to the operator.
final class OperatorEvents: Sendable {
    private let events = Lock<[String]>([])
    private let count = Gauge()
    var all: [String] { events.withLock { $0 } }
    func rule(
        maxConcurrent: Int = 64, maxWaiting: Int = 1_000, timeout: Duration = ample
    ) -> ExternalKeyOptions {
        ExternalKeyOptions(
            maxConcurrent: maxConcurrent, maxWaiting: maxWaiting, timeout: timeout
        ) { event in
            guard let event = event as? ExternalKeyEvent else { return }
            self.events.withLock { $0.append("\(event.operation) \(event.kind)") }
            self.count.rise()
        }
    }
    /// Waits until the number is reached.
    func reach(_ wanted: Int) async { await count.reach(wanted) }
}

/// A rising number for which tasks can wait without polling.
final class Gauge: Sendable {
    private let state = Lock<(value: Int, waiting: [(Int, CheckedContinuation<Void, Never>)])>(
        (0, []))

    var value: Int { state.withLock { $0.value } }

    func rise() {
        let ready = state.withLock { state in
            state.value += 1
            let ready = state.waiting.filter { $0.0 <= state.value }.map(\.1)
            state.waiting.removeAll { $0.0 <= state.value }
            return ready
        }
        for continuation in ready { continuation.resume() }
    }

    func reach(_ wanted: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.value < wanted { state.waiting.append((wanted, continuation)) }
                return state.value >= wanted
            }
            if isReached { continuation.resume() }
        }
    }
}

/// Expects that `body` is rejected with this code, and returns the error.
@discardableResult
func expectRejection(
    _ verdict: String, _ comment: @autoclosure () -> String = "", message: String? = nil,
    says: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async -> JOSEError? {
    var outcome: Result<Void, any Error> = .success(())
    do { try await body() } catch { outcome = .failure(error) }
    return expectRejection(
        verdict, comment(), message: message, says: says, sourceLocation: sourceLocation
    ) { try outcome.get() }
}

/// Long enough for every test that does not wait for its end, even if the tests keep every thread
/// busy.
let ample = Duration.seconds(3_600)

extension JWK {
    /// The same key as an external key with an ample timeout, for tests that set no options.
    func withExternalKey(_ externalKey: TestExternalKey) throws -> JWK {
        try withExternalKey(externalKey, options: OperatorEvents().rule())
    }
}
