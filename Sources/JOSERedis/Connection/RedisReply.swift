// Replies of the server.

/// A reply of the server. Other kinds, which the store's commands never get, end the connection.
enum RedisReply: Sendable, Hashable {
    case nothing
    case status([UInt8])
    case error(RedisError)
    case bytes([UInt8])
    case integer(Int64)
}

extension RedisReply {
    static let ok = RedisReply.status(Array("OK".utf8))
}
