// Awaits work that never suspends, on the calling thread: blocking a thread of the pool could
// deadlock.

/// The result of work that is async only in its signature.
func awaiting<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    do {
        return try CallingThread().run(work)
    } catch is CallingThread.Waits {
        throw Broken(description: "it waits")
    }
}
