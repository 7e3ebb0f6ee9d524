// ClaimsDecoder: decodes Decodable types from parsed claims, without Foundation.

package import JOSEBytes

/// Decodes claims from a parsed document into a `Decodable` type. No string becomes a number,
/// integers are exact and in range, and of the built-in types only `Optional` and `JSONValue` read
/// `null`. Names are compared after unescaping, byte for byte. Members that the type does not
/// declare are ignored. Strings that may become keys are checked (`ClaimsSource+Texts.swift`).
package enum ClaimsDecoder {
    /// Decodes the value at `node` of `document`; node 0 is the whole document.
    ///
    /// - Parameter claim: The name of the member at `node`, for the path in an error.
    /// - Throws: `claimRejected`, with the path of the rejected member if known, such as
    ///   `address.lines[0]`; `misuse` for `Date`, `Data`, `URL`, `Decimal` without JOSEFoundation.
    package static func decode<T: Decodable>(
        _ type: T.Type, from document: JSONDocument, at node: Int = 0, inside claim: String? = nil
    ) throws(JOSEError) -> T {
        let source = ClaimsSource(document, root: node)
        let value: T
        do {
            value = try source.read(type, at: node, depth: 0)
        } catch {
            throw source.rejection(for: source.textDefect ?? error, inside: claim)
        }
        if let defect = source.textDefect { throw source.rejection(for: defect, inside: claim) }
        return value
    }

    /// Parses `bytes` and decodes the document.
    ///
    /// - Throws: `malformed` or `limitExceeded` from the parser; otherwise as for a document.
    package static func decode<T: Decodable>(
        _ type: T.Type, from bytes: consuming [UInt8], maxDepth: Int
    ) throws(JOSEError) -> T {
        let document: JSONDocument
        do {
            document = try JSONDocument(bytes, maxDepth: maxDepth)
        } catch {
            throw JOSEError(error, at: .claims)
        }
        return try decode(type, from: document)
    }
}

struct ForeignTypeError: Error {}

extension ClaimsSource {
    /// Returns the public error for an error of `Decodable` code, without the claim's value.
    func rejection(for error: any Error, inside claim: String? = nil) -> JOSEError {
        if error is ForeignTypeError {
            return .misuse("Date, Data, URL and Decimal in claims need JOSEFoundation")
        }
        let name = claimName(for: error, inside: claim)
        let reason: JOSEError.Reason =
            switch error {
            case let defect as TextDefect: defect.reason
            case DecodingError.keyNotFound: "it is missing"
            case DecodingError.valueNotFound: "it is null or missing"
            case DecodingError.typeMismatch: "it has the wrong type"
            case is DecodingError: "its value is out of range"
            default: "its type rejects the value"
            }
        return JOSEError(.claimRejected, .claims, reason, claim: name)
    }

    /// Returns the path of the rejected member, such as `address.lines[0]`; nil if unknown.
    private func claimName(for error: any Error, inside claim: String?) -> String? {
        var path: [any CodingKey]
        if let defect = error as? TextDefect {
            return text(of: self.path(to: defect.node), inside: claim)
        }
        switch error as? DecodingError {
        case .keyNotFound(let key, let found): path = found.codingPath + [key]
        case .typeMismatch(_, let found), .valueNotFound(_, let found): path = found.codingPath
        case .dataCorrupted(let found): path = found.codingPath
        case nil: path = []
        @unknown default: return claim
        }
        if path.isEmpty { path = self.path(to: failedNode) }
        return text(of: path, inside: claim)
    }

    private func text(of path: [any CodingKey], inside claim: String?) -> String? {
        guard !path.isEmpty else { return claim }
        var text = claim ?? ""
        for key in path {
            if key is PathKey || key is NodeKey, let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return text
    }
}
