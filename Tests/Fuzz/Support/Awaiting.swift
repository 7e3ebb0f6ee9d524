// Awaits what never waits for anybody else, on the thread that calls: a thread of the pool that
// blocks could be its last.

/// The outcome of work that is asynchronous by its signature alone.
func awaiting<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    do {
        return try CallingThread().run(work)
    } catch is CallingThread.Waits {
        throw Broken(description: "it waits")
    }
}
