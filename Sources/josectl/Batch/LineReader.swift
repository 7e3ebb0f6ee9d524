// Lines from a stream, in portions: whatever came, cut at line ends.

/// Cuts a stream into lines; a line over the limit is passed over and told as such.
struct LineReader {
    enum Line: Sendable {
        case text([UInt8])
        case tooLong
    }

    private let source: Descriptor
    let limit: Int
    private var pending: [UInt8] = []
    /// Where the search for the next line end goes on.
    private var searched = 0
    private var isPassingOver = false
    private var isAtEnd = false

    init(_ source: Descriptor, limit: Int) {
        self.source = source
        self.limit = limit
    }

    /// The lines that the next read completes; nil at the end of the stream. May be empty.
    mutating func next() throws -> [Line]? {
        guard !isAtEnd else { return nil }
        guard try source.read(into: &pending, atMost: 262_144) else {
            isAtEnd = true
            guard !pending.isEmpty || isPassingOver else { return nil }
            return [isPassingOver ? .tooLong : .text(pending)]
        }
        return cut()
    }

    private mutating func cut() -> [Line] {
        var lines: [Line] = []
        var start = 0
        while let end = pending[searched...].firstIndex(of: 0x0a) {
            lines.append(isPassingOver ? .tooLong : line(start..<end))
            isPassingOver = false
            start = end + 1
            searched = start
        }
        pending.removeFirst(start)
        if pending.count > limit {
            isPassingOver = true
            pending = []
        }
        if isPassingOver { pending = [] }
        searched = pending.count
        return lines
    }

    private func line(_ range: Range<Int>) -> Line {
        range.count > limit ? .tooLong : .text(Array(pending[range]))
    }
}
