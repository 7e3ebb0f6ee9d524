// Decodes any Decodable type from a strictly scanned document, without Foundation.

package import JOSEBytes

/// Reads claims into a `Decodable` type over the strict reader's nodes.
///
/// Types are strict: no text becomes a number, integers are exact and in range, `null` is only for
/// `Optional`. Members that the type does not declare are ignored. Names are compared after
/// unescaping, byte for byte.
package enum ClaimsDecoder {
    /// Decodes the value at `node` of `document`.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - document: a scanned document; it holds no duplicate names.
    ///   - node: the index of the value; 0 is the whole document.
    /// - Throws: `claimRejected` with the name of the outermost member that did not fit or that the
    ///   type itself refused; `misuse` for one of Foundation's types that has no JOSE meaning here.
    package static func decode<T: Decodable>(
        _ type: T.Type, from document: JSONDocument, at node: Int = 0
    ) throws(JOSEError) -> T {
        let source = ClaimsSource(document, root: node)
        do {
            return try source.read(type, at: node, depth: 0)
        } catch {
            throw source.refusal(for: error)
        }
    }

    /// Scans `bytes` and decodes the whole of them.
    ///
    /// - Throws: `malformed` and `limitExceeded` of the scan, else as for a document.
    package static func decode<T: Decodable>(
        _ type: T.Type, from bytes: consuming [UInt8], maximumDepth: Int
    ) throws(JOSEError) -> T {
        let document: JSONDocument
        do {
            document = try JSONDocument(bytes, maximumDepth: maximumDepth)
        } catch {
            throw JOSEError(error, at: .claims)
        }
        return try decode(type, from: document)
    }
}

/// A claims type asks for one of Foundation's types that reads and writes wrong claims by itself.
struct ForeignTypeFault: Error {}

extension ClaimsSource {
    /// What the caller sees of an error of `Decodable` code: the claim's name, never a value.
    func refusal(for error: any Error) -> JOSEError {
        if error is ForeignTypeFault {
            return .misuse("Date, Data, URL and Decimal in claims need JOSEFoundation")
        }
        let name = claimName(for: error)
        let reason: StaticString =
            switch error {
            case DecodingError.keyNotFound: "it is missing"
            case DecodingError.valueNotFound: "it is null or missing"
            case DecodingError.typeMismatch: "it has the wrong type"
            case is DecodingError: "its value is out of range"
            default: "its type refuses the value"
            }
        return JOSEError(.claimRejected, .claims, reason, claim: name)
    }

    /// The outermost member that `error` is about, if it is about one.
    private func claimName(for error: any Error) -> String? {
        guard let error = error as? DecodingError else {
            return path(to: failed).first?.stringValue
        }
        let context: DecodingError.Context
        switch error {
        case .keyNotFound(let key, let found):
            return (found.codingPath.first ?? key).stringValue
        case .typeMismatch(_, let found), .valueNotFound(_, let found): context = found
        case .dataCorrupted(let found): context = found
        @unknown default: return nil
        }
        return (context.codingPath.first ?? path(to: failed).first)?.stringValue
    }
}
