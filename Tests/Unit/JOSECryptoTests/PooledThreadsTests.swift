// The threads of a pool: which one is woken or started, and what happens if it cannot be started.

import Testing

@testable import JOSECrypto

@Suite struct PooledThreadsTests {
    private func event(_ next: PooledThreads.NextThread) -> WakeUpEvent? {
        if case .wake(let event) = next { event } else { nil }
    }

    private func starts(_ next: PooledThreads.NextThread) -> Bool {
        if case .start = next { true } else { false }
    }

    private func isNothing(_ next: PooledThreads.NextThread) -> Bool {
        if case .nothing = next { true } else { false }
    }

    /// A pool of two threads whose first one became idle while the second one was starting.
    private func halfStarted() throws -> (threads: PooledThreads, idle: WakeUpEvent) {
        var threads = PooledThreads(max: 2)
        let idle = try WakeUpEvent()
        #expect(starts(threads.next(hasWork: true)))
        threads.arrive()
        #expect(starts(threads.next(hasWork: true)))
        #expect(threads.sleep(idle) && threads.idleCount == 1)
        // One thread comes at a time.
        #expect(isNothing(threads.next(hasWork: true)))
        return (threads, idle)
    }

    @Test("a thread that cannot be started leaves waiting work to an idle one")
    func failedStart() throws {
        var (threads, idle) = try halfStarted()
        #expect(threads.failToStart(hasWork: true) === idle)
        #expect(threads.idleCount == 0 && !threads.isEmpty)
        // The woken thread is on its way, then another one may start.
        #expect(isNothing(threads.next(hasWork: true)))
        threads.arrive()
        #expect(starts(threads.next(hasWork: true)))
    }

    @Test("without waiting work it wakes no thread, and the next operation wakes one")
    func failedStartWithoutWork() throws {
        var (threads, idle) = try halfStarted()
        #expect(threads.failToStart(hasWork: false) == nil)
        #expect(threads.idleCount == 1 && !threads.isEmpty)
        #expect(event(threads.next(hasWork: true)) === idle)
    }

    @Test("if the only thread cannot be started, the pool is empty, and the next one may start")
    func noThread() {
        var threads = PooledThreads(max: 1)
        #expect(threads.isEmpty && starts(threads.next(hasWork: true)) && !threads.isEmpty)
        #expect(threads.failToStart(hasWork: true) == nil && threads.isEmpty)
        #expect(starts(threads.next(hasWork: true)))
    }

    @Test("a closed pool wakes its idle threads, and they no longer count")
    func closed() throws {
        var (threads, idle) = try halfStarted()
        let woken = threads.close()
        #expect(woken.count == 1 && woken.first === idle)
        #expect(!threads.sleep(idle) && !threads.isEmpty)
        // Of its two threads one has ended and one never was.
        #expect(threads.failToStart(hasWork: true) == nil && threads.isEmpty)
    }

    @Test("a start that fails is reported, and nothing runs")
    func get() throws {
        func isGot(_ next: PooledThreads.NextThread) -> Bool {
            next.provide(startingBy: { _ in false }, { _ in Issue.record("a thread ran") })
        }
        #expect(!isGot(.start) && isGot(.nothing))
        let event = try WakeUpEvent()
        #expect(isGot(.wake(event)))
        event.wait()
    }
}
