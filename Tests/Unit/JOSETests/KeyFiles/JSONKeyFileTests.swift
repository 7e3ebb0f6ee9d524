// Key files that hold a JWK or a JWK Set.

import JOSE
import Testing

@Suite("Key files: JWK")
struct JSONKeyFileTests {
    private func contents(_ text: String) throws -> KeyFileContents {
        try KeyFileContents(Array(text.utf8))
    }

    @Test("RFC 7517 4: one key, with its private members") func key() throws {
        let json = try TestKeys.signing.privateJSON()
        for text in [json, " \n\t" + json] {
            let file = try contents(text)
            #expect(file.formats == [.jwk])
            #expect(file.keys.count == 1)
            #expect(try file.key().privateJSON() == json)
            #expect(file.certificates.isEmpty)
        }
    }

    @Test("RFC 7517 5: a set, whatever the position of its keys") func set() throws {
        let keys = try [TestKeys.signing.publicJSON(), TestKeys.client.publicJSON()]
        let list = "\"keys\":[\(keys.joined(separator: ","))]"
        for text in ["{\(list)}", "{\"name\":{\"keys\":1},\(list)}", "{\(list),\"name\":[]}"] {
            let file = try contents(text)
            #expect(try file.keys.map { try $0.publicJSON() } == keys)
            // It is ambiguous which one is wanted.
            expectRejection("key-not-found") { _ = try file.key() }
        }
        // A nested `keys` member does not make a set.
        expectRejection("malformed") { _ = try contents("{\"name\":{\(list)}}") }
    }

    @Test("a set with an unusable key is rejected, since a file is the caller's own")
    func unusable() throws {
        let key = try TestKeys.signing.publicJSON()
        expectRejection(
            "key-unusable",
            message: "key 2: the key type (kty) is not supported: RSA, EC, OKP, AKP or oct"
        ) {
            _ = try contents("{\"keys\":[\(key),{\"kty\":\"none\"}]}")
        }
        expectRejection("malformed") { _ = try contents("{\"keys\":[\(key)]") }
        expectRejection("malformed") { _ = try contents("{\"keys\":{}}") }
    }
}
