// Permits of external keys: returned once at the end of an operation, not used after a deadline.

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

    /// A caller that is busy when it gets a permit.
    private actor Caller {
        private var isEntering = false

        private func enter(
            _ queue: ExternalKeyQueue, _ clock: ExternalKeyClock, _ end: ContinuousClock.Instant
        ) async throws {
            isEntering = true
            try await queue.enter(before: end, clock)
        }

        func run(_ queue: ExternalKeyQueue, _ clock: ExternalKeyClock) async throws {
            let permit = ExternalKeyPermit(of: queue)
            let end = ContinuousClock.now + .milliseconds(300)
            let waiting = Task { try await enter(queue, clock, end) }
            while !isEntering { await Task.yield() }
            // The other call waits now, since both run on this actor.
            permit.giveBack()
            while ContinuousClock.now < end {}
            await #expect(throws: ExternalKeyWaitError.timedOut) { try await waiting.value }
        }
    }

    @Test("a permit that comes after the deadline is returned")
    func late() async throws {
        let queue = makeQueue()
        try await queue.enter(before: .now + .seconds(60), clock)
        try await Caller().run(queue, clock)
        try await queue.enter(before: .now + .seconds(60), clock)
    }
}
