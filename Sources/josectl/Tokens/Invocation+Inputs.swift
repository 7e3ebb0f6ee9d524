// Reads payloads, tokens, and the algorithms and times of options.

import JOSE
import JOSEBytes

extension Invocation {
    /// Reads the file that the argument names; standard input for `-` or without an argument.
    func payload(_ limits: JOSELimits) throws -> [UInt8] {
        try Files.read(
            line.arguments.first ?? "-", atMost: limits.tokenBytes, what: "the payload")
    }

    /// Returns an argument that begins with `eyJ` and has a dot. Any other argument names a file.
    func token(_ limits: JOSELimits) throws -> String {
        let argument = line.arguments.first ?? "-"
        if argument.hasPrefix("eyJ"), argument.contains(".") { return argument }
        var bytes: [UInt8]
        do {
            bytes = try Files.read(
                argument, atMost: limits.tokenBytes, lineEnd: 2, what: "the token")
        } catch let failure as SystemError {
            // These errors do not repeat the argument, since it may contain a valid token.
            if let finding = TokenOutline(argument.utf8.span).wrapping {
                throw UsageError(
                    "the argument is not a token: \(finding.text). \(finding.advice)")
            }
            if argument.hasPrefix("eyJ"), argument.utf8.count >= 12 {
                throw UsageError(
                    "the argument begins like a token but has no dot, so it was cut off; it cannot "
                        + "be read as a file: \(failure.reason)")
            }
            guard argument.contains("eyJ"),
                argument.utf8.count(where: { $0 == UInt8(ascii: ".") }) > 1
            else { throw failure }
            throw UsageError(
                "the argument is neither a token nor a readable file: a token begins with eyJ, not "
                    + "with Bearer, white space or a quotation mark")
        }
        if bytes.last == 0x0a { bytes.removeLast() }
        if bytes.last == 0x0d { bytes.removeLast() }
        guard let token = String(validating: bytes, as: UTF8.self) else {
            throw JOSEError.malformed(.token, "the token is not ASCII text")
        }
        return token
    }

    /// Rejects a JSON serialisation. If the command has `--form`, the error names it.
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
            message: "the token is JSON, not compact"
                + (line.takes("form")
                    ? "; use --form json" : "; a compact token has parts with dots between them"))
    }

    /// Rejects a compact token; the error names the option that reads it.
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
            message: "the token is compact, not JSON; use --form compact")
    }

    func allowList<Algorithm: AlgorithmEntry>(_ option: String, _: Algorithm.Type) throws
        -> AllowList
    {
        let names = line.list(option)
        for name in names ?? [] { _ = try algorithm(option, name, Algorithm.self) }
        return try AllowList(names)
    }

    func compressions() throws -> [CompressionAlgorithm] {
        try line.list("zip")?.map { try algorithm("zip", $0, CompressionAlgorithm.self) } ?? []
    }

    func algorithm<Algorithm: AlgorithmEntry>(_ option: String, _: Algorithm.Type) throws
        -> Algorithm?
    {
        try line[option].map { try algorithm(option, $0, Algorithm.self) }
    }

    func algorithm<Algorithm: AlgorithmEntry>(_ option: String, _ name: String, _: Algorithm.Type)
        throws -> Algorithm
    {
        guard let algorithm = Algorithm(name: name) else {
            if let reason = Algorithm.unavailability(of: name) {
                throw UsageError("--\(option) '\(printable(name))': \(reason)")
            }
            let known = Algorithm.all.map(\.description).joined(separator: ", ")
            throw UsageError("--\(option) '\(printable(name))' is unknown; use one of \(known)")
        }
        return algorithm
    }

    /// Returns the time of `--at`; nil without it.
    func time() throws -> NumericDate? {
        guard let text = line["at"] else { return nil }
        guard let date = Timestamp.read(text) else {
            throw UsageError("--at '\(printable(text))' is neither RFC 3339 nor seconds since 1970")
        }
        return date
    }
}
