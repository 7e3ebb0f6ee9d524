// Threads that wait for each other: a lock with a condition, and workers that are joined.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A lock that threads can wait at until what it guards has changed.
///
/// The conformance is unchecked because of the pointers; the state is touched under the lock alone.
@safe
final class Gate<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    init(_ state: sending State) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
        self.state = state
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Works on the state alone, and wakes all who wait.
    func change<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(condition)
            unsafe pthread_mutex_unlock(mutex)
        }
        return try body(&state)
    }

    /// Waits until `body` gives a value.
    func wait<Result>(_ body: (inout State) -> Result?) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(condition)
            unsafe pthread_mutex_unlock(mutex)
        }
        while true {
            if let result = body(&state) { return result }
            // Safe: the lock is held.
            unsafe pthread_cond_wait(condition, mutex)
        }
    }

    /// Waits until `body` gives a value, but not longer than so many seconds; nil where it gave none.
    func wait<Result>(atMost seconds: Double, _ body: (inout State) -> Result?) -> Result? {
        var end = timespec()
        // Safe: the record is ours, here and below.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &end)
        let nanoseconds = end.tv_nsec + Int(seconds * 1e9)
        end.tv_sec += nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            // Safe: the lock is held.
            guard unsafe pthread_cond_timedwait(condition, mutex, &end) == 0 else {
                return body(&state)
            }
        }
    }
}

/// Blocks this thread, none of Swift's concurrency, until asynchronous work is done.
func waiting<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
    let gate = Gate<Value?>(nil)
    Task.detached {
        let value = await work()
        gate.change { $0 = value }
    }
    return gate.wait { $0 }
}

/// Runs `body` on `count` threads and returns when all are done.
struct Workers {
    // Elsewhere a thread is a pointer, here a number.
    #if canImport(Glibc)
        private typealias Handle = pthread_t
        private static let none = pthread_t()
    #else
        private typealias Handle = pthread_t?
        private static var none: Handle { nil }
    #endif
    private var threads: [Handle] = []

    private final class Task {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts the threads; fewer where the system gives no more, but throws where it gives none.
    init(_ count: Int, _ body: @escaping @Sendable () -> Void) throws {
        for _ in 0..<count {
            var thread = Workers.none
            let task = unsafe Unmanaged.passRetained(Task(body)).toOpaque()
            let status = unsafe pthread_create(
                &thread, nil,
                { task in
                    let task: UnsafeMutableRawPointer? = unsafe task
                    guard let task = unsafe task else { return nil }
                    // Safe: passed retained, taken once.
                    unsafe Unmanaged<Task>.fromOpaque(task).takeRetainedValue().body()
                    return nil
                }, task)
            guard status == 0 else {
                unsafe Unmanaged<Task>.fromOpaque(task).release()
                guard threads.isEmpty else { return }
                throw SystemFault(.read, "standard input", error: status)
            }
            threads.append(thread)
        }
    }

    func join() {
        for thread in threads {
            #if canImport(Glibc)
                _ = pthread_join(thread, nil)
            #else
                if let thread = unsafe thread { _ = unsafe pthread_join(thread, nil) }
            #endif
        }
    }
}
