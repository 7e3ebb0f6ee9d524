// The serialisations of a token, and how a token is written.

import JOSE
import JOSEBytes

enum TokenForm: String, CaseIterable {
    case compact, flattened, general

    /// The JSON serialisation; nil for a compact token.
    var json: JSONForm? {
        switch self {
        case .compact: nil
        case .flattened: .flattened
        case .general: .general
        }
    }
}

extension JSONWriter {
    /// Writes a token: a string if it is compact, else an object.
    mutating func member(token: String, _ form: TokenForm) {
        name("token")
        if form == .compact { string(token) } else { raw(token.utf8.span) }
    }
}

extension Invocation {
    /// Writes a token; with `--json`, a JSON serialisation is an object.
    func writeResult(token: String, form: TokenForm = .compact) throws -> ExitCode {
        let bytes = Array(token.utf8)
        return try writeResult(bytes, isText: true, .open) { $0.member(token: token, form) }
    }
}
