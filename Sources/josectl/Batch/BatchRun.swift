// The loop of batch: on this thread, or spread over several with the answers in order.

/// Reads lines, answers them, writes the answers in order; what was answered is written before it waits.
struct BatchRun {
    let desk: BatchDesk
    let lineLimit: Int
    /// Tells how many lines were read.
    let progress: Progress

    /// Lines that one thread answers in one go: several times the eight that verify side by side.
    private static let groupCount = 32

    func run(jobs: Int) throws {
        var reader = LineReader(.input, limit: lineLimit)
        if jobs > 1 { try spread(&reader, jobs) } else { try alone(&reader) }
    }

    private func alone(_ reader: inout LineReader) throws {
        var answers: [UInt8] = []
        var count = 0
        while let lines = try reader.next() {
            count += lines.count
            progress.say("\(count) lines")
            var rest = lines[...]
            while !rest.isEmpty {
                answers += desk.answer(rest.prefix(BatchRun.groupCount), lineLimit: lineLimit)
                rest = rest.dropFirst(BatchRun.groupCount)
                guard answers.count >= 65_536 else { continue }
                try Descriptor.output.write(answers)
                answers.removeAll(keepingCapacity: true)
            }
            if !answers.isEmpty, !reader.isReady {
                try Descriptor.output.write(answers)
                answers.removeAll(keepingCapacity: true)
            }
        }
        try Descriptor.output.write(answers)
    }

    // MARK: several threads

    private func spread(_ reader: inout LineReader, _ jobs: Int) throws {
        let queue = Gate(BatchQueue(room: jobs * 4))
        let workers = try Workers(jobs) {
            while let (place, lines) = queue.wait({ $0.take() }) {
                let answers = desk.answer(lines, lineLimit: lineLimit)
                queue.change { $0.finish(place, answers) }
                BatchRun.writeFinished(queue)
            }
        }
        let outcome = Result { try feed(&reader, queue) }
        queue.change { $0.isClosed = true }
        workers.join()
        try outcome.get()
        if let fault = queue.change({ $0.fault }) { throw fault }
    }

    private func feed(_ reader: inout LineReader, _ queue: Gate<BatchQueue>) throws {
        var count = 0
        while let lines = try reader.next() {
            count += lines.count
            progress.say("\(count) lines")
            var rest = lines[...]
            while !rest.isEmpty {
                let group = Array(rest.prefix(BatchRun.groupCount))
                rest = rest.dropFirst(BatchRun.groupCount)
                guard queue.wait({ $0.add(group) }) else { return }
            }
        }
    }

    /// Writes the answers whose turn it is, unless another thread does so already.
    private static func writeFinished(_ queue: Gate<BatchQueue>) {
        while let answers = queue.change({ $0.startWriting() }) {
            let fault = Result { try Descriptor.output.write(answers) }.fault
            queue.change { $0.endWriting(fault) }
        }
    }
}

extension Result where Success == Void {
    fileprivate var fault: SystemFault? {
        if case .failure(let error) = self { error as? SystemFault } else { nil }
    }
}

/// Groups of lines on their way: waiting, being answered, answered.
struct BatchQueue {
    typealias Group = (place: Int, lines: [LineReader.Line])

    /// The most groups that are on their way.
    private let room: Int
    private var waiting: ArraySlice<Group> = []
    private var finished: [Int: [UInt8]] = [:]
    private var added = 0
    private var written = 0
    private var isWriting = false
    /// No more groups will come.
    var isClosed = false
    /// Why nothing more can be written.
    private(set) var fault: SystemFault?

    init(room: Int) { self.room = room }

    /// Adds a group; nil while there is no room, false where nobody reads the answers any more.
    mutating func add(_ lines: [LineReader.Line]) -> Bool? {
        guard fault == nil else { return false }
        guard added - written < room else { return nil }
        waiting.append((added, lines))
        added += 1
        return true
    }

    /// The next group to answer: nil while there is none, an empty optional when none will come.
    mutating func take() -> Group?? {
        if let group = waiting.popFirst() { return .some(group) }
        return isClosed ? .some(nil) : nil
    }

    mutating func finish(_ place: Int, _ answers: [UInt8]) { finished[place] = answers }

    /// All answers whose turn it is; nil where there are none or another thread writes.
    mutating func startWriting() -> [UInt8]? {
        guard !isWriting, var answers = finished.removeValue(forKey: written) else { return nil }
        written += 1
        while answers.count < 65_536, let more = finished.removeValue(forKey: written) {
            answers += more
            written += 1
        }
        isWriting = true
        return answers
    }

    mutating func endWriting(_ fault: SystemFault?) {
        isWriting = false
        if let fault, self.fault == nil { self.fault = fault }
    }
}
