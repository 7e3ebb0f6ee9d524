// An entry added to a key set never makes a token use another key. It can only make the selection
// ambiguous, or reject the set.

import JOSE
import Testing

@Suite("Key sets: added entries")
struct AddedEntryTests {
    /// The result for a token: a key by its thumbprint, or the code of an error.
    private func outcome(
        _ set: PublicJWKSet, _ keyID: String?, _ query: KeyQuery
    ) throws -> String {
        do {
            let index: Int
            if let keyID {
                let bytes = Array(keyID.utf8)
                index = try set.select(keyID: bytes.span, query)
            } else {
                index = try set.selectOnly(query)
            }
            return try set.storage.preparedKey(index).material.thumbprintText()
        } catch let error as JOSEError {
            return error.code.name
        }
    }

    private static let labels = [
        #""kid":"a","#, #""kid":"b","#, "", #""kid":"a","use":"sig","#,
        #""kid":"a","alg":"RS256","#, #""kid":"a","use":"enc","#,
        #""kid":"a","use":"sig","alg":"RS256","key_ops":["verify"],"#,
        #""kid":"a","alg":"RS384","#, #""kid":null,"alg":null,"#,
    ]

    private static func entry(_ random: inout SeededGenerator) throws -> String {
        let label = labels.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return SkippedKeyTests.rows.randomElement(using: &random)?.entry ?? "null"
        case 1: return KeyText.elliptic(label.isEmpty ? #""z":1"# : String(label.dropLast()))
        case 2: return try KeyText.privateKey(String(label.dropLast()))
        case 3...6: return try KeyText.publicKey(String(label.dropLast()), TestKeys.stranger)
        default: return try KeyText.publicKey(String(label.dropLast()))
        }
    }

    @Test("adding an entry never selects another key for a token, at most none")
    func property() throws {
        var random = SeededGenerator(seed: SeededGenerator.seed(for: "added entries"))
        let queries = [KeyQuery.verifying(.rs256), .verifying(.es256), .verifying(.rs384)]
        var kept = 0
        var ambiguous = 0
        var failed = 0
        for _ in 0..<400 {
            var entries = try (0..<Int.random(in: 1...3, using: &random)).map { _ in
                try Self.entry(&random)
            }
            guard let before = try? PublicJWKSet(json: KeyText.set(entries)) else { continue }
            let added = try Self.entry(&random)
            entries.insert(added, at: Int.random(in: 0...entries.count, using: &random))
            let after: PublicJWKSet
            do throws(JOSEError) {
                after = try PublicJWKSet(json: KeyText.set(entries))
            } catch {
                #expect(error.code == .keyUnusable && error.step == .keySet, "\(entries)")
                failed += 1
                continue
            }
            for query in queries {
                for keyID in ["a", "b", nil] {
                    let first = try outcome(before, keyID, query)
                    let second = try outcome(after, keyID, query)
                    guard first.utf8.count == 43 else { continue }
                    #expect(second == first || second == "key-not-found", "\(entries)")
                    if second == first { kept += 1 } else { ambiguous += 1 }
                }
            }
        }
        #expect(kept > 100 && ambiguous > 20 && failed > 10)
    }

    @Test("a duplicate of a key changes nothing, however many there are")
    func repeated() throws {
        let key = try KeyText.publicKey(#""kid":"a","use":"sig""#)
        for count in [1, 2, 16, 17, 40, 200] {
            let set = try PublicJWKSet(json: KeyText.set(Array(repeating: key, count: count)))
            let verifier = try JWSVerifier.rs256(keys: set)
            for header in [#"{"alg":"RS256","kid":"a"}"#, #"{"alg":"RS256"}"#] {
                _ = try verifier.verify(TestToken.signed(header, "x"))
            }
        }
    }
}

extension KeyMaterial {
    fileprivate func thumbprintText() throws -> String {
        try JWK(self).thumbprint()
    }
}
