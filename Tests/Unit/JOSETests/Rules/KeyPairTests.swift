// Algorithm key pairs with any libcrypto, including one without their algorithms. Malformed keys
// are in Vectors/rfc9964.json.

import JOSEBytes
import Testing

@testable import JOSE

@Suite("Algorithm key pairs (AKP) with any libcrypto")
struct KeyPairTests {
    private static let isHere = !SignatureAlgorithm.keyPairsHere.isEmpty

    private func published(_ algorithm: SignatureAlgorithm) throws -> VectorValue {
        let keys = try VectorFile.named("rfc9964.json").keys
        return try need(keys.values.first { $0["alg"]?.string == algorithm.name })
    }

    private func token(_ algorithm: SignatureAlgorithm) throws -> String {
        let vectors = try VectorFile.named("rfc9964.json").vectors
        let vector = vectors.first { $0.kind == "jws" && $0["alg"] == algorithm.name }
        return try need(vector?.output["compact"]?.string)
    }

    @Test("all are available or none, all can be allowed, and no default group has them")
    func rows() {
        #expect(SignatureAlgorithm.keyPairs.map(\.name) == ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"])
        #expect(Set(SignatureAlgorithm.keyPairs.map(\.isAvailable)).count == 1)
        for algorithm in SignatureAlgorithm.keyPairs {
            #expect(algorithm.status == .acceptable && algorithm.keyTypes == [.akp])
            #expect(!SignatureAlgorithm.recommended.contains(algorithm))
            #expect((SignatureAlgorithm(name: algorithm.name) != nil) == Self.isHere)
        }
    }

    @Test(
        "RFC 9964, 3 and 6: a public key is read, written, and has its thumbprint",
        arguments: SignatureAlgorithm.keyPairs)
    func publicKey(_ algorithm: SignatureAlgorithm) throws {
        let text = try published(algorithm).publicPart
        var key = try JWK(json: text.json)
        #expect(try VectorValue(json: key.publicJSON()) == text)
        #expect(try VectorValue(json: key.privateJSON()) == text && !key.isPrivate)
        #expect(try key.thumbprint() == text["kid"]?.string && key.keyType == .akp)
        #expect(key.curve == nil && key.sizeText == "for \(algorithm)")
        // alg is part of the key: it cannot be removed.
        key.algorithm = nil
        #expect(try VectorValue(json: key.publicJSON()) == text)
        let bare = try VectorValue.object(need(text.object).filter { $0.key != "alg" }).json
        expectRejection("malformed", message: "alg is missing from an AKP key") {
            _ = try JWK(json: bare)
        }
        for skipped in try [
            JWKSet(json: #"{"keys":[\#(bare)]}"#).skipped,
            PublicJWKSet(json: #"{"keys":[\#(bare)]}"#).skipped,
        ] {
            #expect(skipped.map(\.member) == ["alg"])
            #expect(skipped.map(\.reason) == ["alg is missing from an AKP key"])
        }
        let file = try key.publicKeyFile(.der)
        let again = try need(KeyFileContents(file).keys.first)
        #expect(
            try again.thumbprint() == key.thumbprint()
                && again.algorithm == JOSEAlgorithm(algorithm))
        let isOwn = key.prepared.material.isKey(inSPKI: file.span)
        #expect(isOwn)
    }

    @Test(
        "a private key is checked by libcrypto, or the error is that it cannot be",
        arguments: SignatureAlgorithm.keyPairs)
    func privateKey(_ algorithm: SignatureAlgorithm) throws {
        let text = try published(algorithm)
        let verdict = try Rejection.verdict { _ = try JWK(json: text.json) }
        #expect(verdict == (Self.isHere ? "accepted" : "unsupported"))
        let made = try Rejection.verdict { _ = try JWK.generate(.akp(algorithm)) }
        #expect(made == (Self.isHere ? "accepted" : "unsupported"))
        expectRejection("key-unusable") { _ = try JWK.generate(.akp(.ed25519)) }
        expectRejection("key-unusable") {
            _ = try JWK.generate(.rsa, algorithm: JOSEAlgorithm(algorithm))
        }
    }

    @Test(
        "one key, a token of the RFC: accepted, or unsupported when creating the verifier",
        arguments: SignatureAlgorithm.keyPairs)
    func one(_ algorithm: SignatureAlgorithm) throws {
        let (key, token) = (
            try JWK(json: published(algorithm).publicPart.json), try token(algorithm)
        )
        let verdict = try Rejection.verdict {
            _ = try JWSVerifier(key: key, algorithms: [algorithm]).verify(token)
        }
        #expect(verdict == (Self.isHere ? "accepted" : "unsupported"))
        // A policy that does not allow it never uses the key.
        let others = SignatureAlgorithm.recommended
        let strict = try JWSVerifier(
            key: TestKeys.bare(TestKeys.signing.publicKey), algorithms: others)
        expectRejection("algorithm-not-allowed") { _ = try strict.verify(token) }
    }

    @Test(
        "a set accepts the key, or skips it with the reason, and its other key works",
        arguments: SignatureAlgorithm.keyPairs)
    func sets(_ algorithm: SignatureAlgorithm) throws {
        let text = try published(algorithm).publicPart
        let neighbour = try TestKeys.signing.publicKey
        let json = try #"{"keys":[\#(text.json),\#(neighbour.publicJSON())]}"#
        let skipped: [SkippedKey] =
            Self.isHere
            ? []
            : [
                SkippedKey(
                    index: 0, keyID: text["kid"]?.string, member: "kty",
                    reason: "not supported by the installed libcrypto or zlib "
                        + "(josectl selftest lists what is missing)")
            ]
        #expect(try JWKSet(json: json).skipped == skipped)
        let set = try PublicJWKSet(json: json)
        #expect(set.skipped == skipped && set.keys().count == (Self.isHere ? 2 : 1))

        let verifier = try JWSVerifier(keys: set, algorithms: [algorithm, .rs256])
        let signed = try JWSSigner(key: TestKeys.signing, algorithm: .rs256).sign("x")
        #expect(try verifier.verify(signed).payload == [0x78])
        let wanted = Self.isHere ? "accepted" : "unsupported"
        // By its kid, and for a token without kid as the only suitable key.
        #expect(try Rejection.verdict { _ = try verifier.verify(token(algorithm)) } == wanted)
        let parts = try token(algorithm).split(separator: ".")
        let header = Independent.base64URL(Array(#"{"alg":"\#(algorithm)"}"#.utf8))
        let nameless = ([Substring(header)] + parts.dropFirst()).joined(separator: ".")
        let other = Self.isHere ? "signature-invalid" : "unsupported"
        #expect(try Rejection.verdict { _ = try verifier.verify(nameless) } == other)
        // A token with the key's kid and another algorithm is not its token.
        expectRejection("algorithm-not-allowed") {
            _ = try JWSVerifier.rs256(keys: set).verify(token(algorithm))
        }
    }
}
