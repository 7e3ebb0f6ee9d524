// The commands of one request, encoded, and the kinds of replies.

/// Commands that are sent together; `count` is the number of their replies.
struct Pipeline: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    mutating func add(_ words: [UInt8]...) {
        bytes += Array("*\(words.count)\r\n".utf8)
        for word in words {
            bytes += Array("$\(word.count)\r\n".utf8)
            bytes += word
            bytes += [0x0d, 0x0a]
        }
        count += 1
    }

    static func one(_ words: String...) -> Pipeline {
        var pipeline = Pipeline()
        pipeline.bytes = Array("*\(words.count)\r\n".utf8)
        for word in words { pipeline.bytes += Array("$\(word.utf8.count)\r\n\(word)\r\n".utf8) }
        pipeline.count = 1
        return pipeline
    }
}

/// A reply. Other kinds, which the store's commands never get, end the connection.
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
