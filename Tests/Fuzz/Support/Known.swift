// Keys, tokens and certificates of Vectors/: all that can be accepted without a forgery.

import Foundation
import JOSE
import JOSEBytes

enum Known {
    /// Decrypts for `enc-1`, verifies with `sig-1` and `client-1`; all of attacks.json.
    static let decrypting = key("enc")
    static let signing = key("sig")
    static let client = key("sender")

    /// Every compact token of the vectors.
    static let tokens: Set<[UInt8]> = Set(
        ["attacks", "rfc7515", "rfc7516", "rfc7519", "rfc7520"].flatMap { texts("compact", of: $0) }
    )

    /// Every certificate of the vectors' chains and of their anchors.
    static let certificates: Set<[UInt8]> = Set(
        (texts("x5c", of: "x5c") + texts("trust_anchors", of: "x5c")).compactMap {
            StandardBase64.decode($0.span)
        })

    /// The anchors of the accepted chains.
    static let anchors: [[UInt8]] = {
        let all = Set(texts("trust_anchors", of: "x5c", in: "vectors"))
        return all.compactMap { StandardBase64.decode($0.span) }.sorted {
            $0.lexicographicallyPrecedes($1)
        }
    }()

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Vectors").standardizedFileURL

    private static func document(_ file: String) -> JSONDocument {
        do {
            let data = try Data(contentsOf: folder.appending(path: "\(file).json"))
            return try JSONDocument([UInt8](data), maximumDepth: 64)
        } catch {
            preconditionFailure("Vectors/\(file).json cannot be read: \(error)")
        }
    }

    private static func key(_ name: String) -> JWK {
        let file = document("attacks")
        guard let keys = file.member("keys"), let key = file.member(named: name, of: keys),
            let jwk = try? JWK(json: Array(file.text(at: key)))
        else { preconditionFailure("the vectors have no key \(name)") }
        return jwk
    }

    /// Every string that is a member of this name, or an element of an array that is.
    private static func texts(_ name: String, of file: String, in part: String? = nil) -> [[UInt8]]
    {
        let document = document(file)
        var found: [[UInt8]] = []
        func strings(_ node: Int) {
            if let text = document.string(at: node) { found.append(Array(text.utf8)) }
            document.forEachElement(of: node) { strings($0) }
        }
        func walk(_ node: Int) {
            document.forEachElement(of: node) { walk($0) }
            document.forEachMember(of: node) { member, value in
                if document.string(at: member) == name { strings(value) } else { walk(value) }
            }
        }
        walk(part.flatMap { document.member(named: $0) } ?? 0)
        return found
    }
}
