// Keys, tokens and certificates of Vectors/: everything that can be accepted without a forgery.

import Foundation
import JOSE
import JOSEBytes

enum Known {
    /// Decrypts for `enc-1`, verifies with `sig-1` and `client-1`: the keys of attacks.json.
    static let decrypting = key("enc")
    static let signing = key("sig")
    static let client = key("sender")
    /// The key pair of RFC 9964, appendix A.1, whose seed only a libcrypto with ML-DSA can read.
    static let keyPairs =
        SignatureAlgorithm.mlDSA44.isAvailable ? [key("mldsa44", of: "rfc9964")] : []
    /// Wraps for `kw-1`.
    static let wrapping = key("kw")
    /// Every key for which the vectors have a JWE in JSON. The key of RFC 7516 has its `kid` only
    /// in the tokens.
    static let decryptingAll: [JWK] =
        [decrypting, wrapping, key("a3-kw", of: "rfc7516", keyID: "7")]
        + ["5-oct-81b20965", "5-oct-18ec08e1", "5-ec-peregrin"].map { key($0, of: "rfc7520") }

    /// Every compact token of the vectors.
    static let tokens: Set<[UInt8]> = Set(
        ["attacks", "rfc7515", "rfc7516", "rfc7519", "rfc7520", "rfc9964"].flatMap {
            texts("compact", of: $0)
        }
    )

    /// Every JWE of the vectors in any serialisation, by the parts that all recipients share.
    static let encryptedContents: Set<[[UInt8]]> = {
        var found: Set<[[UInt8]]> = []
        for token in tokens {
            let parts = token.split(separator: Made.dot, omittingEmptySubsequences: false)
            guard parts.count == 5 else { continue }
            found.insert([Array(parts[0]), [], Array(parts[2]), Array(parts[3]), Array(parts[4])])
        }
        for file in ["rfc7516", "rfc7520"] {
            let document = document(file)
            document.forEachElement(of: document.member("vectors") ?? 0) { vector in
                guard let output = document.member("output", of: vector) else { return }
                for form in ["flattened", "general"] {
                    guard let token = document.member(named: form, of: output) else { continue }
                    found.insert(encryptedContent(document, token))
                }
            }
        }
        return found
    }()

    /// The shared parts of a JWE in JSON: header, `aad`, IV, ciphertext and tag.
    static func encryptedContent(_ document: JSONDocument, _ token: Int = 0) -> [[UInt8]] {
        ["protected", "aad", "iv", "ciphertext", "tag"].map { name in
            let text = document.member(named: name, of: token).flatMap { document.string(at: $0) }
            return Array((text ?? "").utf8)
        }
    }

    /// Every certificate of the vectors' chains and anchors.
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
            return try JSONDocument([UInt8](data), maxDepth: 64)
        } catch {
            preconditionFailure("Vectors/\(file).json cannot be read: \(error)")
        }
    }

    private static func key(
        _ name: String, of file: String = "attacks", keyID: String? = nil
    ) -> JWK {
        let document = document(file)
        guard let keys = document.member("keys"), let key = document.member(named: name, of: keys)
        else { preconditionFailure("Vectors/\(file).json has no key \(name)") }
        var text = String(decoding: document.text(at: key), as: UTF8.self)
        if let keyID { text = "{\"kid\":\"\(keyID)\"," + text.dropFirst() }
        guard let jwk = try? JWK(json: text) else {
            preconditionFailure("the key \(name) of Vectors/\(file).json is rejected")
        }
        return jwk
    }

    /// Every string that is a member with this name, or an element of such an array.
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
