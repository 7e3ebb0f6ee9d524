// Threads that may block, and the events that wake them.

internal import CJOSECrypto
internal import CJOSEThread

/// Starts a detached thread with all signals blocked; false if the system cannot start one.
package func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    let box = unsafe Unmanaged.passRetained(Body(body))
    // Safe: the thread takes the box once if and only if it starts.
    let isStarted = unsafe jose_thread_start(
        { context in
            if let context = unsafe context {
                unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
            }
            return nil
        }, box.toOpaque())
    if !isStarted { unsafe box.release() }
    return isStarted
}

private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// An event that wakes up one waiting thread. `@unchecked Sendable`: the pointer is set once, and
/// `cjosethread.h` allows use from any thread.
@safe
package final class WakeUpEvent: @unchecked Sendable {
    private let pointer: OpaquePointer

    package init() throws(CryptoError) {
        guard let made = unsafe jose_wake_event_make() else { throw .failure }
        unsafe pointer = made
    }

    // Safe: every waiting or signalling caller retains the event.
    deinit { unsafe jose_wake_event_free(pointer) }

    /// Ends one wait, now or later. Two signals before a wait count once.
    package func signal() { unsafe jose_wake_event_signal(pointer) }

    /// Blocks until the event is signalled; returns at once if it was.
    package func wait() { unsafe jose_wake_event_wait(pointer) }
}

/// The threads of a pool, which start on demand and sleep without work. The pool keeps this value
/// under the lock of its queue. One thread at a time starts or wakes up. When it has taken its
/// work, it starts or wakes the next one.
package struct PooledThreads {
    private let max: Int
    private var count = 0
    /// The events of idle threads. The last one, whose caches are warmest, wakes first.
    private var sleeping: [WakeUpEvent] = []
    private var isStarting = false
    private var isClosed = false

    package init(max: Int) { self.max = max }

    /// The thread for waiting work. The caller releases the lock, then wakes or starts the thread.
    package enum NextThread: Sendable {
        case wake(WakeUpEvent)
        case start, nothing

        /// Wakes or starts the thread; false if it cannot be started.
        package func provide(
            startingBy start: (@escaping @Sendable () -> Void) -> Bool = startThread,
            _ work: @escaping @Sendable (WakeUpEvent) -> Void
        ) -> Bool {
            switch self {
            case .nothing: return true
            case .wake(let event):
                event.signal()
                return true
            case .start:
                guard let event = try? WakeUpEvent() else { return false }
                return start { work(event) }
            }
        }
    }

    package mutating func next(hasWork: Bool) -> NextThread {
        guard hasWork, !isStarting else { return .nothing }
        if let event = sleeping.popLast() {
            isStarting = true
            return .wake(event)
        }
        guard count < max else { return .nothing }
        isStarting = true
        count += 1
        return .start
    }

    /// Notes that the started or woken thread has come to take its work.
    package mutating func arrive() { isStarting = false }

    /// Notes that a thread waits for its event; false if the pool is closed: the thread must end.
    package mutating func sleep(_ event: WakeUpEvent) -> Bool {
        guard !isClosed else {
            count -= 1
            return false
        }
        sleeping.append(event)
        return true
    }

    package var idleCount: Int { sleeping.count }

    /// True if there is no thread, so that no work would ever run.
    package var isEmpty: Bool { count == 0 }

    /// Notes that a thread could not be started. If work waits, returns the event of an idle
    /// thread, which the caller must signal.
    package mutating func failToStart(hasWork: Bool) -> WakeUpEvent? {
        isStarting = false
        count -= 1
        guard hasWork, let event = sleeping.popLast() else { return nil }
        isStarting = true
        return event
    }

    /// Closes the pool. Returns the events of sleeping threads, to signal without the lock.
    package mutating func close() -> [WakeUpEvent] {
        isClosed = true
        defer { sleeping = [] }
        return sleeping
    }
}

extension HostProcess {
    /// The number of this process, which a child of `fork` does not share.
    package static var identifier: Int32 { jose_process_identifier() }
}
