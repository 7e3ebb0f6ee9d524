// josectl inspect: shows the unverified content of a token.

import JOSE
import JOSEBytes

extension Command {
    static let inspect = Command(
        name: "inspect",
        summary: "show headers and JWS claims WITHOUT verifying them",
        arguments: "[TOKEN|FILE]", maxArguments: 1,
        details: "Only the format is checked. Never act on the output.",
        options: [.readForm, .maxBytes],
        example: "josectl inspect token.jws"
    ) { invocation in
        let limits = try JOSELimits(invocation.line)
        let token =
            try invocation.readsJSON
            ? UnverifiedToken(json: invocation.jsonToken(limits), limits)
            : UnverifiedToken(invocation.compactToken(limits), limits)
        guard !invocation.output.isJSON else {
            try Descriptor.output.write(try Output.json(token.write))
            return .accepted
        }
        let output = invocation.output
        try output.line(
            TerminalStyle.warning(
                "UNVERIFIED: only the format was checked; anyone may have written this."))
        try output.line(token.form)
        for header in token.headers { try output.line("header " + header.shown) }
        if let claims = token.claims {
            try output.line("claims " + claims.shown)
            for (name, date) in token.dates { try output.line("       \(name) is \(date)") }
        } else if let count = token.payloadBytes {
            try output.line("payload of \(count) bytes, not a JSON object")
        }
        return .accepted
    }
}

private struct UnverifiedToken {
    let form: String
    /// One for each signature or recipient.
    let headers: [JSONDocument]
    /// The payload of a JWS, if it is a JSON object.
    private(set) var claims: JSONDocument?
    private(set) var payloadBytes: Int?

    init(_ token: String, _ limits: JOSELimits) throws {
        let parts = token.utf8.split(separator: 0x2e, omittingEmptySubsequences: false)
        let depth = limits.jsonDepth
        if parts.count == 5 {
            form = "a compact JWE, \(token.utf8.count) bytes; its content is encrypted"
            let header = try UnverifiedHeader.readJWE(token.utf8.span, limits: limits)
            headers = [try JSONDocument(header, maxDepth: depth)]
            return
        }
        form = "a compact JWS, \(token.utf8.count) bytes"
        let header = try UnverifiedHeader.readJWS(token.utf8.span, limits: limits)
        headers = [try JSONDocument(header, maxDepth: depth)]
        guard let payload = Base64URL.decode(Array(parts[1]).span) else {
            throw JOSEError.notBase64URL(Array(parts[1]).span, .payload, "the payload")
        }
        readPayload(payload, depth)
    }

    init(json token: String, _ limits: JOSELimits) throws {
        let depth = limits.jsonDepth
        if let read = try? UnverifiedJSONJWE(token.utf8.span, limits: limits) {
            let count = read.headers.count
            form =
                "a JWE in JSON, \(token.utf8.count) bytes, "
                + "\(count) recipient\(count == 1 ? "" : "s"); its content is encrypted"
            headers = try read.headers.map { try JSONDocument($0, maxDepth: depth) }
            return
        }
        let read = try UnverifiedJSONJWS(token.utf8.span, limits: limits)
        let count = read.headers.count
        form =
            "a JWS in JSON, \(token.utf8.count) bytes, \(count) signature\(count == 1 ? "" : "s")"
            + (read.payload == nil ? ", without its payload" : "")
        headers = try read.headers.map { try JSONDocument($0, maxDepth: depth) }
        if let payload = read.payload { readPayload(payload, depth) }
    }

    private mutating func readPayload(_ payload: [UInt8], _ depth: Int) {
        payloadBytes = payload.count
        guard let document = try? JSONDocument(payload, maxDepth: depth),
            document.kind(at: 0) == .object
        else { return }
        claims = document
    }

    var dates: [(name: String, date: String)] {
        guard let claims else { return [] }
        return ["iat", "nbf", "exp", "auth_time"].compactMap { name in
            guard let node = claims.member(named: name), claims.kind(at: node) == .number,
                let seconds = claims.integer(at: node), let date = NumericDate(exactly: seconds)
            else { return nil }
            return (name, Timestamp.write(date))
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.member("verified", false)
        writer.member("header", json: headers[0].bytes)
        if headers.count > 1 {
            writer.name("headers")
            writer.beginArray()
            for header in headers {
                let text = JSONWriter.compacted(header.bytes)
                writer.raw(text.span)
            }
            writer.endArray()
        }
        guard payloadBytes != nil else { return }
        writer.name("claims")
        if let claims {
            writer.raw(JSONWriter.compacted(claims.bytes).span)
        } else {
            writer.null()
        }
    }
}

extension JSONDocument {
    /// On one line, with escapes for characters that could control a terminal.
    fileprivate var shown: String {
        String(decoding: printable(json: JSONWriter.compacted(bytes)), as: UTF8.self)
    }
}
