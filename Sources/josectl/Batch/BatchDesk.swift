// From a line to its answer: never throws, never stops.

import JOSE
import JOSEBytes

/// What the lines of one batch share.
struct BatchDesk: Sendable {
    let keys: KeyCache
    let limits: JOSELimits

    init(
        limits: JOSELimits, acceleration: KeyAcceleration = .automatic, held: HeldKeys? = nil
    ) {
        keys = KeyCache(limits: limits, acceleration: acceleration, held: held)
        self.limits = limits
    }

    /// The answers to lines, in order, each with the end of its own line; signatures are verified together.
    func answer(_ lines: some Collection<LineReader.Line>, lineLimit: Int) async -> [UInt8] {
        var verifications: [BatchOperation.Verification] = []
        var started: [StartedLine] = []
        for line in lines {
            switch line {
            case .text(let text): started.append(await begin(text, &verifications))
            case .tooLong:
                let message = "the line has more than \(lineLimit) bytes"
                let refusal = Refusal(.limitExceeded, step: "call", message: message)
                started.append(.answered(BatchDesk.refused(nil, refusal)))
            }
        }
        let results = JWSVerifier.verifyBatch(verifications)
        return started.reduce(into: []) { answers, line in
            switch line {
            case .answered(let answer): answers += answer
            case .verifying(let id, let place):
                answers += BatchDesk.answer(id) { try $0.verified(results[place].get()) }
            }
        }
    }

    /// The answer to one line, with the end of its own line.
    func answer(_ line: [UInt8]) async -> [UInt8] {
        await answer(CollectionOfOne(.text(line)), lineLimit: line.count)
    }

    /// A line that was looked at: answered, or one of the signatures that are verified together.
    private enum StartedLine {
        case answered([UInt8])
        case verifying(id: [UInt8]?, place: Int)
    }

    private func begin(
        _ line: [UInt8], _ verifications: inout [BatchOperation.Verification]
    ) async -> StartedLine {
        var id: [UInt8]?
        do {
            let request = try BatchRequest(line)
            id = request.id
            let operation = try BatchDesk.operation(request)
            if let verification = try verification(operation, request) {
                verifications.append(verification)
                return .verifying(id: id, place: verifications.count - 1)
            }
            guard !keys.mayBeHeld else { return .answered(await answer(request, operation)) }
            return .answered(BatchDesk.answer(id) { try operation.run(request, self, &$0) })
        } catch {
            return .answered(BatchDesk.refused(id, error))
        }
    }

    private func verification(
        _ operation: BatchOperation, _ request: BatchRequest
    ) throws -> BatchOperation.Verification? {
        do {
            return try operation.verification?(request, self)
        } catch is HeldKeyWanted {
            return nil
        }
    }

    /// The answer to one request whose keys may be in tokens: those that it names are found first,
    /// then it is run.
    private func answer(_ request: BatchRequest, _ operation: BatchOperation) async -> [UInt8] {
        for _ in 0...BatchDesk.mostFound {
            do {
                return try await JSONWriter.line { writer in
                    BatchDesk.write(request.id, to: &writer)
                    writer.member("ok", true)
                    if let runHeld = operation.runHeld {
                        try await runHeld(request, self, &writer)
                    } else {
                        try operation.run(request, self, &writer)
                    }
                }
            } catch let wanted as HeldKeyWanted {
                do {
                    try await keys.find(wanted)
                } catch {
                    return BatchDesk.refused(request.id, error)
                }
            } catch {
                return BatchDesk.refused(request.id, error)
            }
        }
        return BatchDesk.refused(
            request.id,
            Refusal(.limitExceeded, step: "call", message: "too many keys in tokens in one line"))
    }

    /// How many keys of tokens a line may name that were not found yet.
    private static let mostFound = 32

    /// The answer that `write` fills, or the one that says why it could not.
    private static func answer(
        _ id: [UInt8]?, _ write: (inout JSONWriter) throws -> Void
    ) -> [UInt8] {
        do { return try accepted(id, write) } catch { return refused(id, error) }
    }

    private static func accepted(
        _ id: [UInt8]?, _ write: (inout JSONWriter) throws -> Void
    ) throws -> [UInt8] {
        try JSONWriter.line { writer in
            BatchDesk.write(id, to: &writer)
            writer.member("ok", true)
            try write(&writer)
        }
    }

    private static func operation(_ request: BatchRequest) throws -> BatchOperation {
        let name = try request.requiredString("op")
        guard let operation = BatchOperation.all[ExactString(name)] else {
            throw Refusal.unsupported("there is no such op here")
        }
        try request.check(required: operation.required, optional: operation.optional)
        return operation
    }

    private static func refused(_ id: [UInt8]?, _ error: any Error) -> [UInt8] {
        JSONWriter.line { writer in
            BatchDesk.write(id, to: &writer)
            writer.refusal(
                Refusal(any: error)
                    ?? Refusal(.internal, step: "call", message: "an unforeseen error"))
        }
    }

    /// What `id` was, as it was written.
    private static func write(_ id: [UInt8]?, to writer: inout JSONWriter) {
        writer.name("id")
        if let id { writer.raw(id.span) } else { writer.null() }
    }
}
