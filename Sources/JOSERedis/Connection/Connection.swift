// A connection to a Redis server through hiredis, with a thread that waits for the network.

internal import CJOSERedis

/// A connection that never reconnects. `@unchecked Sendable`: the C pointer is set once, and the
/// functions of cjoseredis.h may be called from any thread.
@safe
final class Connection: @unchecked Sendable {
    typealias Completion = @Sendable (Result<[RedisReply], RedisError>) -> Void

    private let redis: OpaquePointer

    /// Starts connecting; requests wait until the server accepts. Throws `internal` if memory or
    /// the thread fails. Otherwise that thread calls `ended` once, when the connection ends.
    init(
        _ server: RedisServer, ended: @escaping @Sendable (RedisError) -> Void
    ) throws(RedisError) {
        let ending = unsafe Unmanaged.passRetained(Ending(ended))
        // Safe: `jose_redis_open` copies the string. It calls back once if it returns a connection,
        // otherwise never.
        let opened = unsafe server.host.withCString { host in
            unsafe jose_redis_open(
                host, Int32(server.port),
                { context, why in
                    guard let context = unsafe context else { return }
                    let ending = unsafe Unmanaged<Ending>.fromOpaque(context).takeRetainedValue()
                    ending.ended(RedisError(why))
                }, ending.toOpaque())
        }
        guard let opened = unsafe opened else {
            unsafe ending.release()
            throw .internal
        }
        unsafe redis = opened
    }

    // Safe: C's thread has its own reference to the connection.
    deinit { unsafe jose_redis_free(redis) }

    /// Ends the connection. Waiting requests fail with `lost`.
    func end() { unsafe jose_redis_end(redis) }

    func send(
        _ pipeline: Pipeline, timeout: Duration
    ) async throws(RedisError) -> [RedisReply] {
        try await withCheckedContinuation { continuation in
            start(pipeline, timeout: timeout) { continuation.resume(returning: $0) }
        }.get()
    }

    /// `done` is called once: on the connection's thread, or before `start` returns.
    func start(_ pipeline: Pipeline, timeout: Duration, _ done: @escaping Completion) {
        let milliseconds = timeout / .milliseconds(1)
        guard milliseconds >= 1 else { return done(.failure(.timeLimit)) }
        let pending = unsafe Unmanaged.passRetained(Pending(done))
        // Safe: `jose_redis_send` copies the bytes. It calls back once if it returns JOSE_REDIS_OK,
        // otherwise never.
        let status = unsafe pipeline.bytes.withUnsafeBufferPointer { bytes in
            unsafe jose_redis_send(
                redis,
                { context, status, replies, count in
                    guard let context = unsafe context else { return }
                    let pending = unsafe Unmanaged<Pending>.fromOpaque(context).takeRetainedValue()
                    guard status == .JOSE_REDIS_OK else {
                        return pending.done(.failure(RedisError(status)))
                    }
                    var copies: [RedisReply] = []
                    for index in 0..<count {
                        guard let reply = unsafe replies?[index] else { continue }
                        copies.append(unsafe RedisReply(copying: reply))
                    }
                    pending.done(.success(copies))
                }, pending.toOpaque(), bytes.baseAddress, bytes.count, pipeline.count,
                Int(min(milliseconds, 3_600_000)))
        }
        guard status != .JOSE_REDIS_OK else { return }
        unsafe pending.release()
        done(.failure(RedisError(status)))
    }
}

private final class Ending: Sendable {
    let ended: @Sendable (RedisError) -> Void

    init(_ ended: @escaping @Sendable (RedisError) -> Void) { self.ended = ended }
}

private final class Pending: Sendable {
    let done: Connection.Completion

    init(_ done: @escaping Connection.Completion) { self.done = done }
}

extension RedisReply {
    fileprivate init(copying reply: UnsafePointer<jose_reply>) {
        // Safe: `bytes` has `len` bytes.
        let bytes = unsafe [UInt8](
            UnsafeBufferPointer(start: reply.pointee.bytes, count: reply.pointee.len))
        switch unsafe reply.pointee.kind {
        case .JOSE_REPLY_NOTHING: self = .nothing
        case .JOSE_REPLY_STATUS: self = .status(bytes)
        case .JOSE_REPLY_ERROR: self = .error(.server(String(decoding: bytes, as: UTF8.self)))
        case .JOSE_REPLY_BYTES: self = .bytes(bytes)
        case .JOSE_REPLY_INTEGER: self = unsafe .integer(Int64(reply.pointee.integer))
        }
    }
}

extension RedisError {
    fileprivate init(_ status: jose_redis_status) {
        switch status {
        case .JOSE_REDIS_OK, .JOSE_REDIS_INTERNAL: self = .internal
        case .JOSE_REDIS_UNREACHABLE: self = .unreachable
        // CLOSED: after `end()`, called by `close()` or for a failure of another request.
        case .JOSE_REDIS_LOST, .JOSE_REDIS_CLOSED: self = .lost
        case .JOSE_REDIS_TIMED_OUT: self = .timeLimit
        case .JOSE_REDIS_BROKEN: self = .broken
        case .JOSE_REDIS_BUSY: self = .busy
        }
    }
}
