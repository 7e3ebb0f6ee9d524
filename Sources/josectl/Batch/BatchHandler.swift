// Processes lines of `josectl batch`. Errors become responses.

import JOSE
import JOSEBytes

struct BatchHandler: Sendable {
    let keys: KeyCache
    let limits: JOSELimits

    init(
        limits: JOSELimits, acceleration: KeyAcceleration = .automatic,
        externalKeys: ExternalKeys? = nil
    ) {
        keys = KeyCache(limits: limits, acceleration: acceleration, externalKeys: externalKeys)
        self.limits = limits
    }

    /// Returns one response line for each line, in order. RSA operations of the lines run together.
    func response(_ lines: some Collection<LineReader.Line>, lineLimit: Int) async -> [UInt8] {
        var work = DeferredWork()
        var started: [StartedLine] = []
        for line in lines {
            switch line {
            case .text(let text): started.append(await begin(text, &work))
            case .tooLong:
                let message = "the line has more than \(lineLimit) bytes"
                let rejection = Rejection(.limitExceeded, step: "call", message: message)
                started.append(.finished(BatchHandler.rejected(nil, rejection)))
            }
        }
        let results = work.run()
        var responses: [UInt8] = []
        for line in started {
            switch line {
            case .finished(let response): responses += response
            case .deferred(let id, let index):
                do {
                    responses += try await BatchHandler.accepted(id) {
                        try results.write(index, to: &$0)
                    }
                } catch {
                    responses += BatchHandler.rejected(id, error)
                }
            }
        }
        return responses
    }

    /// A line with its response, or with work that runs together with that of other lines.
    private enum StartedLine {
        case finished([UInt8])
        case deferred(id: [UInt8]?, DeferredWork.ResultIndex)
    }

    private func begin(_ line: [UInt8], _ work: inout DeferredWork) async -> StartedLine {
        var id: [UInt8]?
        do {
            let request = try BatchRequest(line)
            id = request.id
            let operation = try BatchHandler.operation(request)
            if let deferred = try await operation.deferred?(request, self) {
                return .deferred(id: id, work.add(deferred))
            }
            return .finished(
                try await BatchHandler.accepted(id) { try await operation.run(request, self, &$0) })
        } catch {
            return .finished(BatchHandler.rejected(id, error))
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
            throw Rejection.unsupported("unknown 'op'")
        }
        try request.check(required: operation.required, optional: operation.optional)
        return operation
    }

    private static func rejected(_ id: [UInt8]?, _ error: any Error) -> [UInt8] {
        JSONWriter.line { writer in
            BatchHandler.write(id, to: &writer)
            writer.rejection(
                Rejection(any: error)
                    ?? Rejection(.internal, step: "call", message: "unexpected error"))
        }
    }

    private static func write(_ id: [UInt8]?, to writer: inout JSONWriter) {
        writer.name("id")
        if let id { writer.raw(id.span) } else { writer.null() }
    }
}
