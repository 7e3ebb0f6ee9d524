// What a command reads besides keys: a payload, a token.

import JOSE
import JOSEBytes

extension Invocation {
    /// The bytes of the file that is the only argument; standard input where there is none or it is `-`.
    func payload(_ limits: JOSELimits) throws -> [UInt8] {
        try Files.read(
            line.arguments.first ?? "-", atMost: limits.tokenBytes, what: "the payload")
    }

    /// The compact token: the argument itself if it begins with `eyJ` and holds a dot, else a file.
    ///
    /// One line end behind the token is taken away, nothing else.
    func token(_ limits: JOSELimits) throws -> String {
        let argument = line.arguments.first ?? "-"
        if argument.hasPrefix("eyJ"), argument.contains(".") { return argument }
        var bytes: [UInt8]
        do {
            bytes = try Files.read(
                argument, atMost: limits.tokenBytes, lineEnd: 2, what: "the token")
        } catch let failure as SystemError {
            // The argument is not repeated: it may hold a good token.
            if let finding = TokenOutline(argument.utf8.span).wrapping {
                throw UsageError(
                    "the argument is no token: \(finding.text). \(finding.advice)")
            }
            if argument.hasPrefix("eyJ"), argument.utf8.count >= 12 {
                throw UsageError(
                    "the argument begins as a token does and has no dot: it was cut off. No file has "
                        + "this name")
            }
            guard argument.contains("eyJ"),
                argument.utf8.count(where: { $0 == UInt8(ascii: ".") }) > 1
            else { throw failure }
            throw UsageError(
                "the argument is no token, and no file that can be read: a token begins with eyJ, not with Bearer, "
                    + "white space or a quotation mark")
        }
        if bytes.last == 0x0a { bytes.removeLast() }
        if bytes.last == 0x0d { bytes.removeLast() }
        guard let token = String(validating: bytes, as: UTF8.self) else {
            throw JOSEError.malformed(.token, "the token is not ASCII text")
        }
        return token
    }

    /// A compact token; what is one of the JSON serialisations is rejected with the way to read it.
    func compactToken(_ limits: JOSELimits) throws -> String {
        let token = try token(limits)
        let outline = TokenOutline(token.utf8.span)
        if let finding = outline.misplacedJSON(isJSONWanted: false) ?? outline.wrapping {
            throw Rejection(
                .malformed, step: "token", message: "\(finding.text). \(finding.advice)")
        }
        guard token.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return token }
        throw Rejection(
            .malformed, step: "token",
            message: "the token is a JSON text, not compact"
                + (takesForm ? "; --form json reads it" : ": parts with dots between them"))
    }

    /// A token of the JSON serialisations; a compact one is rejected with the way to read it.
    func jsonToken(_ limits: JOSELimits) throws -> String {
        let token = try token(limits)
        let outline = TokenOutline(token.utf8.span)
        if let finding = outline.misplacedJSON(isJSONWanted: true) {
            throw Rejection(
                .malformed, step: "token", message: "\(finding.text). \(finding.advice)")
        }
        guard token.hasPrefix("eyJ") else { return token }
        throw Rejection(
            .malformed, step: "token",
            message: "the token is compact, not JSON; --form compact reads it")
    }

    private var takesForm: Bool { line.takes("form") }

    /// The allow-list of an option.
    func allowList<Row: AlgorithmEntry>(_ option: String, _: Row.Type) throws -> AllowList {
        let names = line.list(option)
        for name in names ?? [] { _ = try row(option, name, Row.self) }
        return try AllowList(names)
    }

    /// The compressions that `--zip` accepts; none where it is absent.
    func compressions() throws -> [CompressionAlgorithm] {
        try line.list("zip")?.map { try row("zip", $0, CompressionAlgorithm.self) } ?? []
    }

    /// The algorithm that an option names.
    func row<Row: AlgorithmEntry>(_ option: String, _: Row.Type) throws -> Row? {
        try line[option].map { try row(option, $0, Row.self) }
    }

    /// A row by its name; the message for an unknown one lists them all.
    func row<Row: AlgorithmEntry>(_ option: String, _ name: String, _: Row.Type) throws -> Row {
        guard let row = Row(name: name) else {
            if let absence = Row.absence(of: name) {
                throw UsageError("--\(option) '\(printable(name))': \(absence)")
            }
            let known = Row.all.map(\.description).joined(separator: ", ")
            throw UsageError("--\(option) '\(printable(name))': known are \(known)")
        }
        return row
    }

    /// The time of `--at`.
    func time() throws -> NumericDate? {
        guard let text = line["at"] else { return nil }
        guard let date = Timestamp.read(text) else {
            throw UsageError("--at '\(printable(text))' is neither RFC 3339 nor seconds since 1970")
        }
        return date
    }
}
