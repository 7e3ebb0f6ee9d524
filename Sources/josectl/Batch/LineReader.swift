// Splits a stream into lines of limited length.

/// Skips the content of a line over the limit.
struct LineReader {
    enum Line: Sendable {
        case text([UInt8])
        case tooLong
    }

    private let source: Descriptor
    let limit: Int
    private var pending: [UInt8] = []
    /// The offset in `pending` where the search for the next line end continues.
    private var searched = 0
    private var isSkipping = false
    private var isAtEnd = false

    init(_ source: Descriptor, limit: Int) {
        self.source = source
        self.limit = limit
    }

    /// Returns the lines that the next read completes, possibly none; nil at the end of the stream.
    mutating func next() throws -> [Line]? {
        guard !isAtEnd else { return nil }
        guard try source.read(into: &pending, atMost: 262_144) else {
            isAtEnd = true
            guard !pending.isEmpty || isSkipping else { return nil }
            return [isSkipping ? .tooLong : .text(pending)]
        }
        return cut()
    }

    private mutating func cut() -> [Line] {
        var lines: [Line] = []
        var start = 0
        while let end = pending[searched...].firstIndex(of: 0x0a) {
            lines.append(isSkipping ? .tooLong : line(start..<end))
            isSkipping = false
            start = end + 1
            searched = start
        }
        pending.removeFirst(start)
        if pending.count > limit {
            isSkipping = true
            pending = []
        }
        if isSkipping { pending = [] }
        searched = pending.count
        return lines
    }

    private func line(_ range: Range<Int>) -> Line {
        range.count > limit ? .tooLong : .text(Array(pending[range]))
    }
}
