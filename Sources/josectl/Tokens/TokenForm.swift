// The serialisations of a token, and how the token is written.

import JOSE
import JOSEBytes

enum TokenForm: String, CaseIterable {
    case compact, flattened, general

    var json: JSONForm? {
        switch self {
        case .compact: nil
        case .flattened: .flattened
        case .general: .general
        }
    }
}

extension JSONWriter {
    mutating func member(token: String, _ form: TokenForm) {
        name("token")
        if form == .compact { string(token) } else { raw(token.utf8.span) }
    }
}

extension Invocation {
    func writeResult(token: String, form: TokenForm = .compact) throws -> ExitCode {
        let bytes = Array(token.utf8)
        return try writeResult(bytes, isText: true, .open) { $0.member(token: token, form) }
    }
}
