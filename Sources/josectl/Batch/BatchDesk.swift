// From a line to its answer: never throws, never stops.

import JOSE
import JOSEBytes

/// What the lines of one batch share.
struct BatchDesk: Sendable {
    let keys: KeyDesk
    let limits: Limits

    init(limits: Limits) {
        keys = KeyDesk(limits: limits)
        self.limits = limits
    }

    /// The answer to one line, with the end of its own line.
    func answer(_ line: [UInt8]) -> [UInt8] {
        var id: [UInt8]?
        do {
            let request = try BatchRequest(line)
            id = request.id
            let operation = try BatchDesk.operation(request)
            var writer = BatchDesk.opening(id)
            writer.name("ok")
            writer.bool(true)
            try operation.run(request, self, &writer)
            return BatchDesk.closing(&writer)
        } catch {
            return BatchDesk.refused(id, error)
        }
    }

    /// The answer to a line that was too long to be read.
    func answerToLongLine(_ limit: Int) -> [UInt8] {
        BatchDesk.refused(
            nil,
            Refusal(
                .limitExceeded, step: "call", message: "the line has more than \(limit) bytes"))
    }

    private static func operation(_ request: BatchRequest) throws -> BatchOperation {
        let name = try request.requiredString("op")
        guard let operation = BatchOperation.all[name] else {
            throw Refusal.unsupported("there is no such op here")
        }
        try request.check(required: operation.required, optional: operation.optional)
        return operation
    }

    private static func refused(_ id: [UInt8]?, _ error: any Error) -> [UInt8] {
        var writer = opening(id)
        writer.refusal(
            Refusal(any: error) ?? Refusal(.internal, step: "call", message: "an unforeseen error"))
        return closing(&writer)
    }

    private static func opening(_ id: [UInt8]?) -> JSONWriter {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("id")
        if let id { writer.raw(id.span) } else { writer.null() }
        return writer
    }

    private static func closing(_ writer: inout JSONWriter) -> [UInt8] {
        writer.endObject()
        return writer.bytes + [0x0a]
    }
}
