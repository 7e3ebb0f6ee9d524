// A batch of tokens: each has the same result as alone, whatever the other tokens.

import Testing

@testable import JOSE

@Suite("A batch verifies each token separately")
struct BatchTests {
    private static let made = Result {
        try [2048, 3072, 4096, 2056].enumerated().map {
            try JWK.generate(.rsa(bits: $0.element), keyID: "k\($0.offset)", use: .signature)
        } + [TestKeys.named(TestKeys.signing, "signing")]
    }

    /// Most tokens use one key, so that eight of them are verified together.
    private func token(_ index: Int, _ keys: [JWK]) throws -> String {
        let key = keys[index % 7 < 4 ? 0 : index % keys.count]
        return try JWSSigner(key: key, algorithm: .rs256).sign("payload \(index)")
    }

    /// Every kind of invalid token.
    private func damaged(_ token: String, _ kind: Int) throws -> String {
        let parts = token.split(separator: ".").map(String.init)
        return switch kind {
        case 0: TestToken.replacing(2, of: token, by: String(parts[2].reversed()))
        case 1: TestToken.replacing(1, of: token, by: parts[1] + "AAAA")
        case 2: token + "A"
        case 3: "." + token
        case 4: ""
        case 5: TestToken.replacing(0, of: token, by: "eyJhbGciOiJub25lIn0")
        case 6: TestToken.replacing(2, of: token, by: "")
        default: TestToken.replacing(2, of: token, by: String(repeating: "_", count: 341) + "w")
        }
    }

    @Test("any mix of keys, valid and corrupted tokens", arguments: [0, 1, 7, 8, 64, 150])
    func mixed(_ count: Int) throws {
        let keys = try Self.made.get()
        let verifier = try JWSVerifier.rs256(keys: JWKSet(keys: keys).publicKeys)
        var tokens: [String] = []
        for index in 0..<count {
            let honest = try token(index, keys)
            tokens.append(index % 5 == 3 ? try damaged(honest, index / 5 % 8) : honest)
        }
        let results = verifier.verifyBatch(tokens)
        #expect(results.count == count)
        for (token, result) in zip(tokens, results) {
            let alone = Result { () throws(JOSEError) in try verifier.verify(token) }
            switch (alone, result) {
            case (.success(let one), .success(let other)):
                #expect(one.payload == other.payload && one.keyID == other.keyID)
            case (.failure(let one), .failure(let other)): #expect(one == other)
            default: Issue.record("alone \(alone), in the batch \(result)")
            }
        }
        let honest = results.count { (try? $0.get()) != nil }
        #expect(honest == (0..<count).count { $0 % 5 != 3 })
    }

    @Test("a long payload with padding, and a signature of the wrong length")
    func longPayload() throws {
        let key = try Self.made.get()[0]
        let verifier = try JWSVerifier.rs256(key)
        let long = String(repeating: "p", count: CompactToken.longText)
        let parts = try JWSSigner(key: key, algorithm: .rs256).sign(long).split(separator: ".")
        let token = "\(parts[0]).\(parts[1])=.AAAA"
        let alone = #expect(throws: JOSEError.self) { try verifier.verify(token) }
        let batch = #expect(throws: JOSEError.self) { try verifier.verifyBatch([token])[0].get() }
        #expect(alone == batch && alone?.description.contains("padding (=)") == true)
    }

    @Test("algorithms without a batch implementation verify next to RSA, each separately")
    func families() throws {
        var batch: [(verifier: JWSVerifier, token: String)] = []
        for round in 0..<9 {
            for algorithm in SignatureAlgorithm.all {
                let key = try TestKeys.signer(for: algorithm)
                let token = try JWSSigner(key: key, algorithm: algorithm).sign(
                    "\(algorithm) \(round)")
                let verifier = try JWSVerifier(
                    key: TestKeys.otherSide(key), algorithms: [algorithm])
                batch.append((verifier, round % 3 == 2 ? try damaged(token, 0) : token))
            }
        }
        for (index, result) in JWSVerifier.verifyBatch(batch).enumerated() {
            let (round, row) = index.quotientAndRemainder(dividingBy: SignatureAlgorithm.all.count)
            switch result {
            case .success(let verified):
                #expect(round % 3 != 2)
                let payload = "\(SignatureAlgorithm.all[row]) \(round)"
                #expect(verified.payload == Array(payload.utf8))
            case .failure(let error):
                #expect(round % 3 == 2)
                // A reversed signature may end in bits that are invalid in base64url.
                #expect([.signatureInvalid, .malformed].contains(error.code))
            }
        }
    }

    @Test("each token is verified by its own verifier only")
    func verifiers() throws {
        let keys = try Self.made.get()
        let verifiers = try keys.map {
            try JWSVerifier.rs256(keys: JWKSet(keys: [$0]).publicKeys)
        }
        var batch: [(verifier: JWSVerifier, token: String)] = []
        for index in 0..<130 {
            let key = index * 7 % keys.count
            let token = try JWSSigner(key: keys[key], algorithm: .rs256).sign("payload \(index)")
            batch.append((verifiers[index % 3 == 0 ? (key + 1) % keys.count : key], token))
        }
        let results = JWSVerifier.verifyBatch(batch)
        #expect(results.count == batch.count)
        for (index, result) in results.enumerated() {
            switch result {
            case .success(let verified):
                #expect(index % 3 != 0)
                #expect(verified.payload == Array("payload \(index)".utf8))
            case .failure(let error):
                #expect(index % 3 == 0)
                #expect(error.code == .keyNotFound)
            }
        }
        #expect(JWSVerifier.verifyBatch([]).isEmpty)
    }
}
