// Writes results to standard output, messages to standard error, and JSON for `--json`.

import JOSE
import JOSEBytes

struct Output {
    let command: String
    /// The names of the command's options, for hints; nil if no command was found.
    var options: [String]?
    let isJSON: Bool

    func line(_ text: String = "") throws { try Descriptor.output.write(text + "\n") }

    func bytes(_ bytes: [UInt8]) throws { try Descriptor.output.write(bytes) }

    static func json(_ members: (inout JSONWriter) throws -> Void) throws -> [UInt8] {
        try JSONWriter.line { writer in
            writer.member("ok", true)
            try members(&writer)
        }
    }

    /// Writes to standard error and ignores a failure to write.
    func note(_ text: String) {
        try? Descriptor.error.write("josectl \(command): \(text)\n")
    }

    /// Writes the error: as JSON to standard output, or as a message to standard error.
    func rejected(_ rejection: Rejection) throws {
        let hint = OptionHint.text(rejection, options: options)
        guard isJSON else {
            let result = TerminalStyle.bad("rejected: \(rejection.code.name)", on: .error)
            note(
                "\(result) at \(rejection.step): \(rejection.message)"
                    + (hint.map { "; \($0)" } ?? ""))
            return
        }
        try Descriptor.output.write(JSONWriter.line { $0.rejection(rejection, hint: hint) })
    }
}

extension JSONWriter {
    /// One line with unsafe characters escaped, for `--json` and `batch`.
    var line: [UInt8] { printable(json: bytes) + [0x0a] }

    mutating func rejection(_ rejection: Rejection, hint: String? = nil) {
        member("ok", false)
        member("error") { writer in
            writer.member("code", rejection.code.name)
            writer.member("step", rejection.step)
            if let claim = rejection.claim { writer.member("claim", claim) }
            writer.member("message", rejection.message)
            if let hint { writer.member("hint", hint) }
        }
    }

    /// Writes the JSON text without insignificant white space.
    mutating func member(_ name: StaticString, json: [UInt8]) {
        self.name(name)
        raw(JSONWriter.compacted(json).span)
    }

    static func compacted(_ json: [UInt8]) -> [UInt8] {
        var compact: [UInt8] = []
        compact.reserveCapacity(json.count)
        var isInString = false
        var isEscaped = false
        for byte in json {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
            } else if byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d {
                continue
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            }
            compact.append(byte)
        }
        return compact
    }
}
