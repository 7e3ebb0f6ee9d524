// The result of a command: on standard output or in a file, as it is or as JSON.

import JOSEBytes

extension Invocation {
    /// Gives the result out: as it is to a file or a pipe, to a terminal only with `--raw` where it
    /// would act on it, by whatever name `--out` has the terminal.
    ///
    /// - Parameters:
    ///   - bytes: What people get.
    ///   - isText: Whether a line end belongs behind it.
    ///   - privacy: Who may read the file of `--out`.
    ///   - members: What `--json` writes instead, behind `ok`.
    func give(
        _ bytes: [UInt8], isText: Bool, _ privacy: PendingFile.Privacy,
        json members: (inout JSONWriter) throws -> Void
    ) throws -> ExitCode {
        let isShown = outputs.isTerminal("out")
        var result = bytes
        if output.isJSON {
            result = try Output.json(members)
        } else if isShown, !line.has("raw"), let shown = printable(payload: bytes) {
            // A terminal would act on what somebody wrote who chose the bytes.
            result = shown + (shown.last == 0x0a ? [] : [0x0a])
            output.note(
                "shown with escapes; --raw, --out FILE or a pipe gives the bytes themselves")
        } else if isText || (isShown && bytes.last != 0x0a) {
            result.append(0x0a)
        }
        try outputs.write(result, privacy)
        return .accepted
    }

    /// Gives a token out.
    func give(token: String) throws -> ExitCode {
        try give(Array(token.utf8), isText: true, .open) { $0.member("token", token) }
    }

    /// Gives a token out; `--json` shows one of the JSON serialisations as the object that it is.
    func give(token: String, form: TokenForm) throws -> ExitCode {
        guard form != .compact else { return try give(token: token) }
        let bytes = Array(token.utf8)
        return try give(bytes, isText: true, .open) { $0.member("token", json: bytes) }
    }
}
