// Writes the result of a command: to standard output or a file, as bytes or as JSON.

import JOSEBytes

extension Invocation {
    /// For a terminal, escapes bytes that could control it, unless `--raw` is given. `isText` adds
    /// a line end. `members` writes the members after `ok` for `--json`.
    func writeResult(
        _ bytes: [UInt8], isText: Bool, _ privacy: PendingFile.Privacy,
        json members: (inout JSONWriter) throws -> Void
    ) throws -> ExitCode {
        let isTerminal = outputs.isTerminal("out")
        var result = bytes
        if output.isJSON {
            result = try Output.json(members)
        } else if isTerminal, !line.has("raw"), let escaped = printable(payload: bytes) {
            result = escaped + (escaped.last == 0x0a ? [] : [0x0a])
            output.note("shown with escapes; use --raw, --out FILE or a pipe for the exact bytes")
        } else if isText || (isTerminal && bytes.last != 0x0a) {
            result.append(0x0a)
        }
        try outputs.write(result, privacy)
        return .accepted
    }
}
