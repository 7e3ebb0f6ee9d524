// Permits of external keys: returned once at the end of an operation, also if a caller is busy.

import Dispatch
import Testing

@testable import JOSE

@Suite("Permits of external keys")
struct ExternalKeyPermitTests {
    private let clock = ExternalKeyClock()

    private func makeQueue() -> ExternalKeyQueue {
        ExternalKeyQueue(ExternalKeyOptions(maxConcurrent: 1))
    }

    @Test("an ended operation returns its permit once, while its caller still has it")
    func ended() async throws {
        let queue = makeQueue()
        try await queue.enter(before: .now + .seconds(60), clock)
        let permit = ExternalKeyPermit(of: queue)
        permit.giveBack()
        permit.giveBack()
        try await queue.enter(before: .now + .seconds(60), clock)
        await #expect(throws: ExternalKeyWaitError.timedOut) {
            try await queue.enter(before: .now + .milliseconds(20), clock)
        }
        withExtendedLifetime(permit) {}
    }

    private final class QueueExecutor: SerialExecutor {
        private let queue = DispatchQueue(label: "caller")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    /// Has a thread of its own, which `block` occupies.
    private actor Caller {
        private let executor = QueueExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }
        let blocked = Gauge()

        func sign(_ signer: JWSSigner, _ timeout: Duration) async throws -> String {
            try await signer.sign([2], timeout: timeout)
        }

        /// Returns false if it ends before the signal.
        func block(until end: DispatchSemaphore) -> Bool {
            blocked.rise()
            return end.wait(timeout: .now() + 300) == .success
        }
    }

    /// Returns once the caller's thread is blocked. The value is false if it ends before the signal.
    private func occupy(
        _ caller: Caller, until end: DispatchSemaphore
    ) async -> Task<Bool, Never> {
        let busy = Task { await caller.block(until: end) }
        await caller.blocked.reach(1)
        return busy
    }

    /// An external key with one operation at a time, which ends when `release` rises.
    private struct SlowKey {
        let began = Gauge()
        let release = Gauge()
        let signer: JWSSigner

        init(maxWaiting: Int) throws {
            let key = TestKeys.bare(TestKeys.signing)
            let device = try TestExternalKey(key)
            let slow = TestExternalKey(sign: { [began, release] request in
                began.rise()
                await release.reach(1)
                return try? await device.sign(request)
            })
            let options = ExternalKeyOptions(
                maxConcurrent: 1, maxWaiting: maxWaiting, timeout: ample)
            signer = try JWSSigner(
                key: key.publicKey.withExternalKey(slow, options: options), algorithm: .rs256)
        }
    }

    @Test("a waiting operation begins although its caller is busy")
    func busyCaller() async throws {
        let key = try SlowKey(maxWaiting: 10)
        let (caller, end) = (Caller(), DispatchSemaphore(value: 0))
        let first = Task { try await key.signer.sign([1], timeout: ample) }
        await key.began.reach(1)
        let second = Task { try await caller.sign(key.signer, ample) }
        let busy = await occupy(caller, until: end)
        key.release.rise()
        _ = try await first.value
        await key.began.reach(2)
        _ = try await key.signer.sign([3], timeout: ample)
        end.signal()
        #expect(await busy.value)
        _ = try await second.value
    }

    @Test("an operation is cancelled although its caller is busy")
    func cancelled() async throws {
        let (began, ended) = (Gauge(), Gauge())
        let slow = TestExternalKey(sign: { _ in
            began.rise()
            try? await Task.sleep(for: .seconds(300))
            ended.rise()
            return nil
        })
        let signer = try JWSSigner(
            key: TestKeys.bare(TestKeys.signing).publicKey.withExternalKey(
                slow, options: ExternalKeyOptions(maxConcurrent: 1, timeout: ample)),
            algorithm: .rs256)
        let (caller, end) = (Caller(), DispatchSemaphore(value: 0))
        let cancelled = Task { try await caller.sign(signer, ample) }
        await began.reach(1)
        let busy = await occupy(caller, until: end)
        cancelled.cancel()
        await ended.reach(1)
        let other = Task { try await signer.sign([3], timeout: ample) }
        await began.reach(2)
        other.cancel()
        end.signal()
        #expect(await busy.value)
        await #expect(throws: JOSEError.self) { try await cancelled.value }
        await #expect(throws: JOSEError.self) { try await other.value }
    }

    @Test("a wait that ended leaves the queue although its caller is busy")
    func endedWait() async throws {
        let key = try SlowKey(maxWaiting: 1)
        let (caller, end) = (Caller(), DispatchSemaphore(value: 0))
        let first = Task { try await key.signer.sign([1], timeout: ample) }
        await key.began.reach(1)
        let second = Task { try await caller.sign(key.signer, .milliseconds(50)) }
        try await Task.sleep(for: .milliseconds(20))
        let busy = await occupy(caller, until: end)
        try await Task.sleep(for: .milliseconds(200))
        let third = Task { try await key.signer.sign([3], timeout: ample) }
        try await Task.sleep(for: .milliseconds(50))
        key.release.rise()
        _ = try await third.value
        _ = try await first.value
        end.signal()
        #expect(await busy.value)
        await #expect(throws: JOSEError.self) { try await second.value }
    }
}
