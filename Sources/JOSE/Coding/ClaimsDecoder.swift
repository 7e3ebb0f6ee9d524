// Decodes any Decodable type from a strictly scanned document, without Foundation.

package import JOSEBytes

/// Reads claims into a `Decodable` type over the strict reader's nodes.
///
/// Types are strict: no text becomes a number, integers are exact and in range, `null` is only for
/// `Optional`. Members that the type does not declare are ignored. Names are compared after
/// unescaping, byte for byte.
///
/// The names of a container that gives all of them (`allKeys`), the elements of a `Set<String>`,
/// and a type that is read from one text become keys of Swift's tables, or are compared as these
/// are. Names and texts there that are canonically equivalent are rejected, and those with more
/// than 30 combining marks in a row (Unicode Standard Annex #15, 1.1 and 13).
package enum ClaimsDecoder {
    /// Decodes the value at `node` of `document`.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - document: a scanned document; it holds no duplicate names.
    ///   - node: the index of the value; 0 is the whole document.
    ///   - claim: the name of the member whose value it is, for the path in an error.
    /// - Throws: `claimRejected` with the path of the member that did not fit or that the type itself
    ///   rejected, such as `address.lines[0]`; `misuse` for one of Foundation's types that has no JOSE meaning here.
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

    /// Scans `bytes` and decodes the whole of them.
    ///
    /// - Throws: `malformed` and `limitExceeded` of the scan, else as for a document.
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

/// A claims type asks for one of Foundation's types that reads and writes wrong claims by itself.
struct ForeignTypeError: Error {}

extension ClaimsSource {
    /// What the caller sees of an error of `Decodable` code: the claim's name, never a value.
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

    /// The path of the member that `error` is about, if it is about one: `address.lines[0]`.
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
        if path.isEmpty { path = self.path(to: failed) }
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
