// From a line to its answer: never throws, never stops.

import JOSE
import JOSEBytes

/// What the lines of one batch share.
struct BatchHandler: Sendable {
    let keys: KeyCache
    let limits: JOSELimits

    init(
        limits: JOSELimits, acceleration: KeyAcceleration = .automatic, held: ExternalKeys? = nil
    ) {
        keys = KeyCache(limits: limits, acceleration: acceleration, held: held)
        self.limits = limits
    }

    /// The answers to lines, in order, each with the end of its own line; signatures are verified together.
    func response(_ lines: some Collection<LineReader.Line>, lineLimit: Int) async -> [UInt8] {
        var verifications: [BatchOperation.Verification] = []
        var started: [StartedLine] = []
        for line in lines {
            switch line {
            case .text(let text): started.append(await begin(text, &verifications))
            case .tooLong:
                let message = "the line has more than \(lineLimit) bytes"
                let rejection = Rejection(.limitExceeded, step: "call", message: message)
                started.append(.answered(BatchHandler.rejected(nil, rejection)))
            }
        }
        let results = JWSVerifier.verifyBatch(verifications)
        var responses: [UInt8] = []
        for line in started {
            switch line {
            case .answered(let response): responses += response
            case .verifying(let id, let place):
                do {
                    let verified = try results[place].get()
                    responses += try await BatchHandler.accepted(id) { try $0.verified(verified) }
                } catch {
                    responses += BatchHandler.rejected(id, error)
                }
            }
        }
        return responses
    }

    /// The answer to one line, with the end of its own line.
    func response(_ line: [UInt8]) async -> [UInt8] {
        await response(CollectionOfOne(.text(line)), lineLimit: line.count)
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
            let operation = try BatchHandler.operation(request)
            if let verification = try await operation.verification?(request, self) {
                verifications.append(verification)
                return .verifying(id: id, place: verifications.count - 1)
            }
            return .answered(
                try await BatchHandler.accepted(id) { try await operation.run(request, self, &$0) })
        } catch {
            return .answered(BatchHandler.rejected(id, error))
        }
    }

    private static func accepted(
        _ id: [UInt8]?, _ write: (inout JSONWriter) async throws -> Void
    ) async throws -> [UInt8] {
        try await JSONWriter.line { writer in
            BatchHandler.write(id, to: &writer)
            writer.member("ok", true)
            try await write(&writer)
        }
    }

    private static func operation(_ request: BatchRequest) throws -> BatchOperation {
        let name = try request.requiredString("op")
        guard let operation = BatchOperation.all[ExactString(name)] else {
            throw Rejection.unsupported("there is no such op here")
        }
        try request.check(required: operation.required, optional: operation.optional)
        return operation
    }

    private static func rejected(_ id: [UInt8]?, _ error: any Error) -> [UInt8] {
        JSONWriter.line { writer in
            BatchHandler.write(id, to: &writer)
            writer.rejection(
                Rejection(any: error)
                    ?? Rejection(.internal, step: "call", message: "an unforeseen error"))
        }
    }

    /// What `id` was, as it was written.
    private static func write(_ id: [UInt8]?, to writer: inout JSONWriter) {
        writer.name("id")
        if let id { writer.raw(id.span) } else { writer.null() }
    }
}
