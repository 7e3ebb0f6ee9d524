// Explanations of invalid signatures: the cause is found in the signature itself, with public keys.

import JOSE
import JOSEBytes
import JOSECrypto
import Testing

@Suite("Why a signature does not verify")
struct SignatureExplanationTests {
    private static let payload = #"{"exp":2000000000}"#

    private func explain(
        _ token: String, _ keys: [JWK], _ algorithms: [SignatureAlgorithm]
    ) throws -> TokenExplanation {
        let verifier = try JWTVerifier.checking(
            signature: .required(keys: PublicJWKSet(keys: keys), algorithms: algorithms))
        return verifier.explain(token, at: NumericDate(exactly: 1_760_000_000))
    }

    private func found(
        _ token: String, _ keys: [JWK], _ algorithms: [SignatureAlgorithm]
    ) throws -> String {
        found(try explain(token, keys, algorithms))
    }

    /// All notes about the signature, and the advice.
    private func found(_ explanation: TokenExplanation) -> String {
        #expect(explanation.error != nil)
        return explanation.lines.filter { $0.outcome == .note }.map(\.description)
            .joined(separator: "\n") + "\n" + (explanation.advice ?? "")
    }

    private func input(_ algorithm: SignatureAlgorithm, _ keyID: String = "k") -> String {
        let header = #"{"alg":"\#(algorithm)","kid":"\#(keyID)"}"#
        return Independent.base64URL(header.utf8) + "." + Independent.base64URL(Self.payload.utf8)
    }

    private func token(_ input: String, _ signature: [UInt8]) -> String {
        input + "." + Independent.base64URL(signature)
    }

    // MARK: ECDSA

    /// Ecdsa-Sig-Value of R || S.
    private func der(_ signature: [UInt8], padded: Int = 0) -> [UInt8] {
        func integer(_ digits: ArraySlice<UInt8>) -> [UInt8] {
            var digits = Array(digits.drop { $0 == 0 })
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            digits = [UInt8](repeating: 0, count: padded) + digits
            return [0x02, UInt8(digits.count)] + digits
        }
        let half = signature.count / 2
        let body = integer(signature[..<half]) + integer(signature[half...])
        return body.count < 0x80
            ? [0x30, UInt8(body.count)] + body : [0x30, 0x81, UInt8(body.count)] + body
    }

    @Test(
        "an ECDSA signature in DER is named, with whether its converted form verifies",
        arguments: [SignatureAlgorithm.es256, .es384, .es512, .es256K])
    func inDER(_ algorithm: SignatureAlgorithm) throws {
        let key = TestKeys.named(try TestKeys.signer(for: algorithm), "k")
        let input = input(algorithm)
        let signature = try TestToken.signature(Array(input.utf8), key, algorithm)
        let report = try found(token(input, der(signature)), [key.publicKey], [algorithm])
        #expect(report.contains("the signature is in DER"))
        #expect(report.contains("\(signature.count) bytes (RFC 7518, 3.4)"))
        #expect(report.contains("converted, it verifies with key 'k'"))
        #expect(report.contains("R || S"))
        var other = signature
        other[3] ^= 1
        let wrong = try found(token(input, der(other)), [key.publicKey], [algorithm])
        #expect(wrong.contains("the signature is in DER"))
        #expect(wrong.contains("converted, it does not verify with key 'k' either"))
    }

    @Test("DER with unnecessary zeros is named, too") func looseDER() throws {
        let key = TestKeys.named(try TestKeys.signer(for: .es256), "k")
        let signature = try TestToken.signature(Array(input(.es256).utf8), key, .es256)
        let report = try found(
            token(input(.es256), der(signature, padded: 2)), [key.publicKey], [.es256])
        #expect(report.contains("in DER") && report.contains("converted, it verifies"))
    }

    @Test("a valid signature is not called DER and gets no note") func rightECDSA() throws {
        let key = TestKeys.named(try TestKeys.signer(for: .es256), "k")
        let signature = try TestToken.signature(Array(input(.es256).utf8), key, .es256)
        let report = try explain(token(input(.es256), signature), [key.publicKey], [.es256])
        #expect(report.error == nil && report.advice == nil)
        #expect(!report.lines.contains { $0.step == .signature && $0.outcome == .note })
    }

    // MARK: RSA

    private static let key = TestKeys.named(TestKeys.signing, "k")

    /// What is found about a signature that decrypts to this block.
    private func opening(to block: [UInt8], _ algorithm: SignatureAlgorithm) throws -> String {
        let signature = try need(SoftDevice(Self.key).raw(block))
        return try found(token(input(algorithm), signature), [Self.key.publicKey], [algorithm])
    }

    private func digest(_ hash: HashAlgorithm, _ text: String) throws -> [UInt8] {
        try Hash.digest(hash, Array(text.utf8).span)
    }

    /// A PKCS#1 v1.5 block with these contents.
    private func pkcs1(_ contents: [UInt8]) -> [UInt8] {
        [0, 1] + [UInt8](repeating: 0xff, count: 253 - contents.count) + [0] + contents
    }

    private func digestInfo(_ hash: HashAlgorithm, _ digest: [UInt8], null: Bool = true)
        -> [UInt8]
    {
        let sha2: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02]
        let name: [UInt8] =
            switch hash {
            case .sha1: [0x2b, 0x0e, 0x03, 0x02, 0x1a]
            case .sha256: sha2 + [1]
            case .sha384: sha2 + [2]
            case .sha512: sha2 + [3]
            }
        let identifier = [0x06, UInt8(name.count)] + name + (null ? [0x05, 0x00] : [])
        let body =
            [0x30, UInt8(identifier.count)] + identifier + [0x04, UInt8(digest.count)] + digest
        return [0x30, UInt8(body.count)] + body
    }

    /// EMSA-PSS (RFC 8017, 9.1.1) for a modulus of 2,048 bits.
    private func pss(
        _ hash: HashAlgorithm, _ mask: HashAlgorithm, saltBytes: Int, _ text: String
    ) throws -> [UInt8] {
        let salt = (0..<saltBytes).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
        let message = try [UInt8](repeating: 0, count: 8) + digest(hash, text) + salt
        let seed = try Hash.digest(hash, message.span)
        let count = 256 - seed.count - 1
        var data = [UInt8](repeating: 0, count: count - salt.count - 1) + [1] + salt
        var pad: [UInt8] = []
        for counter in 0..<UInt8(20) {
            let input = seed + [0, 0, 0, counter]
            pad += try Hash.digest(mask, input.span)
        }
        for index in data.indices { data[index] ^= pad[index] }
        data[0] &= 0x7f
        return data + seed + [0xbc]
    }

    @Test(
        "a wrong PSS salt length is read from the block, for each hash",
        arguments: [SignatureAlgorithm.ps256, .ps384, .ps512], [0, 20, 33, 126])
    func salt(_ algorithm: SignatureAlgorithm, _ saltBytes: Int) throws {
        let block = try pss(
            algorithm.hash, algorithm.hash, saltBytes: saltBytes, input(algorithm))
        let report = try opening(to: block, algorithm)
        #expect(report.contains("with a salt of \(saltBytes) bytes"), "\(report)")
        #expect(report.contains("a salt of \(algorithm.hash.digestBytes) bytes (RFC 7518, 3.5)"))
        #expect(report.contains("length of the salt"))
    }

    @Test("the longest possible salt is read, too") func maxSalt() throws {
        let block = try pss(.sha256, .sha256, saltBytes: 222, input(.ps256))
        #expect(try opening(to: block, .ps256).contains("with a salt of 222 bytes"))
    }

    @Test("another hash in MGF1 or in the block is named") func otherMask() throws {
        let mask = try opening(to: pss(.sha256, .sha1, saltBytes: 32, input(.ps256)), .ps256)
        #expect(mask.contains("and MGF1 of SHA-1"))
        #expect(mask.contains("must set MGF1 to SHA-256"))
        let hash = try opening(to: pss(.sha512, .sha512, saltBytes: 64, input(.ps256)), .ps256)
        #expect(hash.contains("PSS block of SHA-512"))
        #expect(hash.contains("uses PS512 and writes alg PS256"))
    }

    @Test("a PSS block for another message is distinguished from a wrong key")
    func otherText() throws {
        let report = try opening(to: pss(.sha256, .sha256, saltBytes: 32, "other"), .ps256)
        #expect(report.contains("made for another text"))
        #expect(report.contains("The key is right and the signed text is not"))
    }

    @Test(
        "a PKCS#1 block of another hash is named with the hash that alg requires",
        arguments: [
            (HashAlgorithm.sha1, "no signatures with this hash"),
            (.sha384, "uses RS384 and writes alg RS256"),
            (.sha512, "uses RS512 and writes alg RS256"),
        ])
    func otherHash(_ hash: HashAlgorithm, _ advice: String) throws {
        let contents = digestInfo(hash, try digest(hash, input(.rs256)))
        let report = try opening(to: pkcs1(contents), .rs256)
        let name = ["SHA-1", "SHA-256", "SHA-384", "SHA-512"][Int(hash.rawValue)]
        #expect(report.contains("a PKCS#1 v1.5 block of \(name)"), "\(report)")
        #expect(report.contains("RS256 requires a PKCS#1 v1.5 block of SHA-256"))
        #expect(report.contains(advice))
    }

    @Test("PSS signatures with RS256 and PKCS#1 signatures with PS256 are distinguished")
    func otherPadding() throws {
        let pss = try opening(to: pss(.sha256, .sha256, saltBytes: 32, input(.rs256)), .rs256)
        #expect(pss.contains("contains a PSS block of SHA-256 with a salt of 32 bytes"))
        #expect(pss.contains("uses PS256 and writes alg RS256"))
        let contents = digestInfo(.sha256, try digest(.sha256, input(.ps256)))
        let pkcs1 = try opening(to: pkcs1(contents), .ps256)
        #expect(pkcs1.contains("contains a PKCS#1 v1.5 block of SHA-256"))
        #expect(pkcs1.contains("uses RS256 and writes alg PS256"))
    }

    @Test("a DigestInfo without NULL and a missing DigestInfo are named")
    func digestInfos() throws {
        let digest = try digest(.sha256, input(.rs256))
        let bare = try opening(to: pkcs1(digestInfo(.sha256, digest, null: false)), .rs256)
        #expect(bare.contains("its DigestInfo lacks the NULL parameters"))
        let raw = try opening(to: pkcs1(digest), .rs256)
        #expect(raw.contains("the bare SHA-256 digest, without DigestInfo"))
        #expect(raw.contains("CKM_SHA256_RSA_PKCS"))
        let short = try opening(to: pkcs1([1, 2, 3]), .rs256)
        #expect(short.contains("of 3 bytes without DigestInfo"))
    }

    @Test("a PKCS#1 block for another message names that message if it is a known mistake")
    func mistakenText() throws {
        for (text, name) in [
            (Array("other".utf8), "the token was changed after it was signed"),
            (Array(Self.payload.utf8), "the decoded payload alone"),
            (Array((input(.rs256) + "\n").utf8), "a line feed after it"),
            (try digest(.sha256, input(.rs256)), "which was hashed twice"),
        ] {
            let contents = digestInfo(.sha256, try Hash.digest(.sha256, text.span))
            let report = try opening(to: pkcs1(contents), .rs256)
            #expect(report.contains("made for another text"), "\(report)")
            #expect(report.contains(name), "\(report)")
        }
    }

    @Test(
        "a block that is neither PKCS#1 nor PSS means another key, named if known"
    )
    func otherKey() throws {
        let signer = TestKeys.named(TestKeys.client, "c")
        let input = input(.rs256)
        let signature = try TestToken.signature(Array(input.utf8), signer, .rs256)
        let alone = try found(token(input, signature), [Self.key.publicKey], [.rs256])
        #expect(
            alone.contains("neither a PKCS#1 v1.5 nor a PSS block: another key signed")
                || alone.contains("not below the modulus"))
        #expect(alone.contains("there is no other key"))
        let both = try found(
            token(input, signature), [Self.key.publicKey, signer.publicKey], [.rs256])
        #expect(both.contains("key 'c' of the set verifies it: the header names the wrong key"))
        let stranger = try found(
            token(input, signature), [Self.key.publicKey, TestKeys.stranger.publicKey], [.rs256])
        #expect(stranger.contains("none of 1 other keys for RS256 verifies it either"))
    }

    @Test("at most 16 other keys are tried") func bound() throws {
        let input = input(.es256)
        let keys = try (0..<20).map {
            try TestKeys.named(try JWK.generate(.curve(.p256)), "e\($0)").publicKey
        }
        let selected = TestKeys.named(try JWK.generate(.curve(.p256)), "k")
        let token = token(input, [UInt8](repeating: 1, count: 64))
        let report = try found(token, [selected.publicKey] + keys, [.es256])
        #expect(report.contains("none of 16 of 20 other keys for ES256 verifies it either"))
    }

    // MARK: size and encoding

    @Test(
        "a signature of a wrong size is named with the expected size",
        arguments: [
            (SignatureAlgorithm.rs256, 512, "RSA with 4,096 bits"), (.rs256, 255, "255 bytes"),
            (.es256, 96, "ES384"), (.es256, 63, "63 bytes"), (.ed25519, 63, "63 bytes"),
            (.ed25519, 65, "65 bytes"), (.ps256, 64, "ES256, Ed25519 or HS512"),
        ])
    func sizes(_ algorithm: SignatureAlgorithm, _ count: Int, _ text: String) throws {
        let key = try TestKeys.named(try TestKeys.signer(for: algorithm), "k").publicKey
        let signature = [UInt8](repeating: 0x81, count: count)
        let report = try found(token(input(algorithm), signature), [key], [algorithm])
        #expect(report.contains(text), "\(report)")
        #expect(report.contains("\(algorithm) with key 'k' has"), "\(report)")
    }

    @Test("a signature in hexadecimal or base64 inside base64url is named") func encodedTwice()
        throws
    {
        let key = TestKeys.named(try TestKeys.signer(for: .es256), "k")
        let signature = try TestToken.signature(Array(input(.es256).utf8), key, .es256)
        let digits = signature.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        for (text, name) in [
            (digits, "hexadecimal"), (Independent.base64URL(signature), "base64"),
        ] {
            let report = try found(
                token(input(.es256), Array(text.utf8)), [key.publicKey], [.es256])
            #expect(report.contains("\(name) of 64 bytes, encoded again"), "\(report)")
            #expect(report.contains("decoded, it verifies with key 'k'"))
        }
    }

    @Test("an elliptic curve signature of another message is named if it is a known mistake")
    func curveText() throws {
        for algorithm in [SignatureAlgorithm.es256, .ed25519] {
            let key = TestKeys.named(try TestKeys.signer(for: algorithm), "k")
            let input = input(algorithm)
            let signature = try TestToken.signature(Array(Self.payload.utf8), key, algorithm)
            let report = try found(token(input, signature), [key.publicKey], [algorithm])
            #expect(report.contains("over another text: the decoded payload alone"), "\(report)")
        }
    }

    @Test("white space in the payload is the cause, in the error and in the explanation")
    func whiteSpace() throws {
        let signed = try TestToken.signed(#"{"alg":"RS256","kid":"k"}"#, Self.payload)
        let parts = TestToken.parts(signed)
        for (space, name) in [
            ("\n", "a line feed"), (" ", "a space"), ("\r\n", "a carriage return"), ("\t", "a tab"),
        ] {
            let broken = parts[1].prefix(5) + space + parts[1].dropFirst(5)
            let token = TestToken.replacing(1, of: signed, by: String(broken))
            let explanation = try explain(token, [Self.key.publicKey], [.rs256])
            #expect(explanation.error?.code == .signatureInvalid)
            #expect(explanation.error?.message.contains("white space at offset 5") == true)
            let report = found(explanation)
            #expect(report.contains(name) && report.contains("in the payload"), "\(report)")
            #expect(report.contains("without the white space the signature verifies"))
        }
    }

    // MARK: JSON serialisation

    @Test("the signature of a JSON serialisation is explained, too") func json() throws {
        let key = TestKeys.named(try TestKeys.signer(for: .es256), "k")
        let input = input(.es256)
        let signature = der(try TestToken.signature(Array(input.utf8), key, .es256))
        let parts = TestToken.parts(input)
        let token = """
            {"protected":"\(parts[0])","payload":"\(parts[1])",\
            "signature":"\(Independent.base64URL(signature))"}
            """
        let verifier = try JWSVerifier(
            keys: PublicJWKSet(keys: [key.publicKey]), algorithms: [.es256])
        let report = found(verifier.explainJSON(token, requiring: .any))
        #expect(report.contains("the signature is in DER"))
        let compact = found(verifier.explainJSON(self.token(input, signature), requiring: .any))
        #expect(compact.contains("three parts"))
    }

    @Test("the explanation of an invalid signature shows no claim") func noClaim() throws {
        let signed = try TestToken.signed(
            #"{"alg":"RS256","kid":"k"}"#, #"{"sub":"secret-name"}"#, by: TestKeys.client)
        let report = try explain(signed, [Self.key.publicKey], [.rs256])
        #expect(report.error?.code == .signatureInvalid)
        #expect(!report.description.contains("secret-name") && report.claims.isEmpty)
    }

    // MARK: MACs

    private func mac(_ header: String, _ secret: [UInt8]) throws -> String {
        let input =
            Independent.base64URL(header.utf8) + "." + Independent.base64URL(Self.payload.utf8)
        return token(
            input, try HMAC.code(.sha256, key: secret.span, Array(input.utf8).span))
    }

    @Test("HS256 with public keys: the difference is named, and no other cause")
    func sharedSecret() throws {
        let token = try mac(#"{"alg":"HS256","kid":"k"}"#, [UInt8](repeating: 7, count: 32))
        for algorithms in [[SignatureAlgorithm.rs256], [.rs256, .hs256]] {
            let report = try found(token, [Self.key.publicKey], algorithms)
            #expect(report.contains("HS256 is a MAC with a shared secret"), "\(report)")
            #expect(!report.contains("confusion"))
        }
    }

    @Test("a MAC keyed by a public form of the key is called an algorithm confusion attack")
    func confusion() throws {
        let der = try Self.key.prepared.material.publicDER()
        let lines = Independent.standardBase64(der)
        let pem = "-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----"
        let forms: [([UInt8], String)] = [
            (Array(pem.utf8), "PEM"), (Array((pem + "\n").utf8), "PEM"), (der, "DER"),
            (Array(try Self.key.publicJSON().utf8), "JWK"),
        ]
        for (secret, form) in forms {
            let report = try found(
                mac(#"{"alg":"HS256","kid":"k"}"#, secret), [Self.key.publicKey], [.rs256])
            #expect(report.contains("the MAC verifies with the \(form) of key 'k'"), "\(report)")
            #expect(report.contains("confusion attack"))
        }
    }
}
