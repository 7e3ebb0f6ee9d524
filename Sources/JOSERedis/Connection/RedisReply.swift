// What a server answers.

/// One reply of the server; kinds that no command of ours is answered by end the connection.
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
