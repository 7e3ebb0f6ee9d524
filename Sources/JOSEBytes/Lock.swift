#if JOSE_THREAD_SANITIZER
    import Synchronization

    /// A `Mutex` whose ordering the thread sanitizer sees (docs/workarounds.md). The sanitizer does
    /// not instrument `Mutex`, so an atomic also orders each release before the next acquire.
    @safe package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // Sendable as Mutex is: the cell is accessed only while the mutex is held.
        private let mutex = Mutex<Void>(())
        private let order = Atomic<Int>(0)
        private let cell: UnsafeMutablePointer<Value>

        package init(_ initial: consuming sending Value) {
            unsafe cell = .allocate(capacity: 1)
            unsafe cell.initialize(to: initial)
        }

        deinit {
            unsafe cell.deinitialize(count: 1)
            unsafe cell.deallocate()
        }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock { _ throws(Failure) in
                _ = order.load(ordering: .acquiring)
                defer { order.add(1, ordering: .releasing) }
                return try unsafe body(&cell.pointee)
            }
        }

        package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            try mutex.withLockIfAvailable { _ throws(Failure) in
                _ = order.load(ordering: .acquiring)
                defer { order.add(1, ordering: .releasing) }
                return try unsafe body(&cell.pointee)
            }
        }
    }
#else
    package import Synchronization

    /// The lock of all modules: `Mutex`, except in builds with the thread sanitizer. It does not
    /// work in a child of fork (docs/workarounds.md).
    package typealias Lock<Value: ~Copyable> = Mutex<Value>
#endif
