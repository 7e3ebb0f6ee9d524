// The syntax of compact tokens and their headers, before any key is selected.

import JOSE
import JOSEBytes

extension FuzzTarget {
    static let compact = FuzzTarget("compact") { token in
        let signed = try bounded(token) {
            try UnverifiedHeader.readJWS(token.span, limits: .standard)
        }
        let encrypted = try bounded(token) {
            try UnverifiedHeader.readJWE(token.span, limits: .standard)
        }
        try hold(signed == nil || encrypted == nil, "both a JWS and a JWE")
        guard let header = signed ?? encrypted else { return }
        let dots = token.count { $0 == Made.dot }
        try hold(dots == (signed == nil ? 4 : 2), "the number of parts is wrong")
        try hold(
            Array(token.prefix { $0 != Made.dot }) == Made.text(header), "two spellings of a header"
        )
        try hold(token.count <= JOSELimits.standard.tokenBytes, "a token over the limit")
        try hold(header.count <= JOSELimits.standard.headerBytes, "a header over the limit")
        guard let document = try? JSONDocument(header, maxDepth: 32) else {
            throw Broken(description: "the header is not strict JSON")
        }
        try hold(document.kind(at: 0) == .object, "the header is no object")
        let algorithm = document.member("alg").flatMap { document.string(at: $0) }
        try hold(algorithm != nil, "a header without alg")
        if let critical = document.member("crit") {
            var names: Set<String> = []
            document.forEachElement(of: critical) { names.insert(document.string(at: $0) ?? "") }
            try hold(
                names == ["b64"] && document.member("b64") != nil, "an unknown critical member")
        }
    }
}
