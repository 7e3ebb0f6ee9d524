// The tests use the keys of the vectors, since generating new ones is slow.

import Foundation
import JOSE
import Testing

enum TestKeys {
    static let vectors = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../Vectors").standardizedFileURL

    static let partySigning = key("attacks.json", "sender", "rp-sig", .signature)
    static let partyDecrypting = key("attacks.json", "enc", "rp-enc", .encryption)
    static let partyDecrypting2 = key("rfc7516.json", "a2-rsa", "rp-enc-2", .encryption)
    static let providerSigning = key("attacks.json", "sig", "op-sig", .signature)
    static let providerDecrypting = key("rfc7515.json", "a2-rsa", "op-enc", .encryption)
    static let unrelated = key("attacks.json", "attacker", "stranger", .signature)

    /// The keys of attacks.json by their names in the file.
    static let vectorSigning = key("attacks.json", "sig", "sig-1", .signature)
    static let vectorDecrypting = key("attacks.json", "enc", "enc-1", .encryption)

    static let party = JWKSet(keys: [partySigning, partyDecrypting])
    static let provider = JWKSet(keys: [providerSigning, providerDecrypting])

    /// A key of a vector file under our name and use, for every algorithm.
    static func key(_ file: String, _ name: String, _ keyID: String, _ use: KeyUse?) -> JWK {
        do {
            let data = try Data(contentsOf: vectors.appending(path: file))
            let document = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            let keys = document?["keys"] as? [String: Any]
            let text = try JSONSerialization.data(withJSONObject: #require(keys?[name]))
            var key = try JWK(json: String(decoding: text, as: UTF8.self))
            key.keyID = keyID
            key.use = use
            key.algorithm = nil
            key.keyOperations = nil
            return key
        } catch {
            preconditionFailure("the vectors' key \(name) cannot be read: \(error)")
        }
    }
}
