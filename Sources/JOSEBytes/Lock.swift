#if JOSE_THREAD_SANITIZER
    import Synchronization

    /// A `Mutex` whose waiting the thread sanitizer sees (docs/workarounds.md): the last holder's release and the
    /// next one's acquire are ordered by an atomic as well, which is compiled here and so instrumented.
    @safe package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // Sendable as Mutex is: the cell is touched only while the mutex is held.
        private let mutex = Mutex<Void>(())
        private let turn = Atomic<Int>(0)
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
                _ = turn.load(ordering: .acquiring)
                defer { turn.add(1, ordering: .releasing) }
                return try unsafe body(&cell.pointee)
            }
        }

        package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            try mutex.withLockIfAvailable { _ throws(Failure) in
                _ = turn.load(ordering: .acquiring)
                defer { turn.add(1, ordering: .releasing) }
                return try unsafe body(&cell.pointee)
            }
        }
    }
#else
    package import Synchronization

    /// The lock of every module: the standard library's, but for builds with the thread sanitizer.
    package typealias Lock<Value: ~Copyable> = Mutex<Value>
#endif
