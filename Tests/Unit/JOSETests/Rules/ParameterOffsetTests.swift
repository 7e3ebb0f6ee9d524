// Offsets of key management parameters in a header, and the exact text of written headers.

import JOSE
import JOSECrypto
import Testing

@Suite("Offsets of header parameters")
struct ParameterOffsetTests {
    private let x = Independent.base64URL([UInt8](repeating: 7, count: 32))

    private func verdict(_ members: String, _ key: JWK) throws -> String {
        let decrypter = try JWEDecrypter.with(key, .ecdhES, .a128GCM)
        let token = TestToken.forged("{\(members)}")
        return try Rejection.verdict { _ = try decrypter.decrypt(token) }
    }

    @Test("RFC 7518 4.6.1.1: members of epk count only inside epk, not elsewhere or deeper")
    func ephemeralKey() throws {
        let start = #""alg":"ECDH-ES","enc":"A128GCM""#
        let (kty, crv) = (#""kty":"EC""#, #""crv":"P-256""#)
        let (own, y) = (#""x":"\#(x)""#, #""y":"\#(x)""#)
        let epk = "\"epk\":{\(kty),\(crv),\(own),\(y)}"
        let key = try JWK.generate(.curve(.p256))
        for (members, wanted) in [
            ("\(start),\(epk)", "decryption-failed"),
            // Members outside epk do not count.
            ("\(start),\(epk),\"d\":\"\(x)\"", "decryption-failed"),
            ("\"d\":\"\(x)\",\(start),\(epk),\(kty)", "decryption-failed"),
            ("\(epk),\(start)", "decryption-failed"),
            // Values are not names, and nested objects contain no part of the key.
            ("\(start),\"epk\":{\"kid\":\"d\",\(kty),\(crv),\(own),\(y)}", "decryption-failed"),
            ("\(start),\"epk\":{\(kty),\(crv),\(own),\(y),\"kid\":\"d\"}", "decryption-failed"),
            ("\(start),\"epk\":{\"a\":{\"d\":1},\(kty),\(crv),\(own),\(y)}", "decryption-failed"),
            ("\(start),\"epk\":{\"a\":[\"d\",1],\(y),\(own),\(crv),\(kty)}", "decryption-failed"),
            // A key that is not in epk is missing.
            ("\(start),\(kty),\(crv),\(own),\(y)", "malformed"),
            ("\(kty),\(crv),\(own),\(y),\(start)", "malformed"),
            ("\(start),\"epk\":{\(kty),\(crv),\(own)},\(y)", "malformed"),
            ("\(start),\(y),\"epk\":{\(kty),\(crv),\(own)}", "malformed"),
            ("\(start),\"epk\":{\(kty),\(crv),\(y),\"a\":{\(own)}}", "malformed"),
            ("\(start),\"epk\":{\(kty),\(crv),\(own),\"a\":\"y\",\"b\":\"\(x)\"}", "malformed"),
        ] {
            #expect(try verdict(members, key) == wanted, "\(members)")
        }
        let octets = try JWK.generate(.curve(.x25519))
        let okp = #""epk":{"kty":"OKP","crv":"X25519",\#(own)}"#
        for (members, wanted) in [
            ("\(start),\(okp)", "decryption-failed"),
            ("\(start),\(okp),\(y)", "decryption-failed"),
            ("\(y),\(start),\(okp)", "decryption-failed"),
            (#"\#(start),"epk":{"kty":"OKP","crv":"X25519","a":"y",\#(own)}"#, "decryption-failed"),
            (#"\#(start),"kty":"OKP","crv":"X25519",\#(own)"#, "malformed"),
        ] {
            #expect(try verdict(members, octets) == wanted, "\(members)")
        }
    }

    @Test(
        "apu alone and apv alone are read in each of several tokens in a row",
        arguments: [JWKCurve.p256, .x25519])
    func oneParty(_ curve: JWKCurve) throws {
        let key = TestKeys.bare(try JWK.generate(.curve(curve)))
        let decrypter = try JWEDecrypter.with(key, .ecdhES, .a128GCM)
        var (ours, theirs) = (RecipientOptions(), RecipientOptions())
        ours.partyU = Array("Alice".utf8)
        theirs.partyV = Array("Bob".utf8)
        for options in [ours, theirs] {
            let encrypter = try JWEEncrypter(
                key: key.publicKey, algorithm: .ecdhES, content: .a128GCM, options: options)
            for round in 0..<5 {
                let opened = try decrypter.decrypt(try encrypter.encrypt("text \(round)"))
                #expect(opened.unauthenticatedPlaintext == Array("text \(round)".utf8))
            }
        }
    }

    @Test("RFC 7516 5.2: an encrypted key may be as long as the largest allowed modulus")
    func maxKey() throws {
        let token = try TestToken.encrypted(#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#, "text")
        let limits = JOSELimits.with { $0.maxRSABits = 2_048 }
        let decrypter = try JWEDecrypter.rsa(limits: limits)
        for _ in 0..<4 {
            let opened = try decrypter.decrypt(token)
            #expect(opened.unauthenticatedPlaintext == Array("text".utf8))
        }
        for (part, size) in [(1, 255), (1, 257), (2, 15), (2, 17), (4, 15), (4, 17)] {
            let other = Independent.base64URL([UInt8](repeating: 1, count: size))
            let bad = TestToken.replacing(part, of: token, by: other)
            expectRejection("decryption-failed", "\(part)") { _ = try decrypter.decrypt(bad) }
            let broken = TestToken.replacing(part, of: token, by: String(other.dropLast()) + "=")
            expectRejection("malformed", "\(part)") { _ = try decrypter.decrypt(broken) }
        }
    }

    // MARK: headers that are made

    private static let parameters = HeaderParameters(
        type: "t", contentType: "c", additional: ["b": 2, "a": 1, "c": true])

    @Test("all members of written headers appear, in a fixed order") func made() throws {
        let signer = try JWSSigner(
            key: TestKeys.named(TestKeys.signing, "k"), algorithm: .rs256, header: Self.parameters)
        #expect(
            try TestToken.header(signer.sign("x"))
                == #"{"alg":"RS256","kid":"k","typ":"t","cty":"c","a":1,"b":2,"c":true}"#)
        let plain = try JWSSigner(key: TestKeys.bare(TestKeys.signing), algorithm: .rs256)
        #expect(try TestToken.header(plain.sign("x")) == #"{"alg":"RS256"}"#)
        let recipient = try TestKeys.named(TestKeys.decrypting, "k").publicKey
        let encrypter = try JWEEncrypter(
            key: recipient, algorithm: .rsaOAEP, content: .a128CBCHS256, header: Self.parameters)
        #expect(
            try TestToken.header(encrypter.encrypt("x"))
                == #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"k","typ":"t","cty":"c","#
                + #""a":1,"b":2,"c":true}"#)
        let signatory = try JWSJSONSigner.Signatory(
            signer: plain, unprotectedHeader: ["z": 1, "b": 2, "a": 3])
        let token = try JWSJSONSigner(signatories: [signatory]).sign(
            Array("x".utf8), as: .flattened)
        #expect(token.contains(#""header":{"a":3,"b":2,"z":1}"#))
        let unencoded = try JWSJSONSigner(signatories: [JWSJSONSigner.Signatory(signer: plain)])
            .sign(
                Array("x".utf8), as: .flattened, encoding: .unencoded)
        let protected = try need(VectorValue(json: unencoded)["protected"]?.string)
        #expect(
            try String(decoding: Independent.base64URL(protected), as: UTF8.self)
                == #"{"alg":"RS256","b64":false,"crit":["b64"]}"#)
    }

    @Test("a header of 12,288 bytes is written, a longer one is not") func largest() throws {
        let signer = try JWSSigner(key: TestKeys.bare(TestKeys.signing), algorithm: .rs256)
        let verifier = try JWSVerifier.rs256()
        let around = #"{"alg":"RS256","x":""}"#.utf8.count
        for (size, wanted) in [(12_288, "accepted"), (12_289, "misuse")] {
            let text = String(repeating: "x", count: size - around)
            let parameters = HeaderParameters(additional: ["x": .string(text)])
            let verdict = try Rejection.verdict {
                let token = try signer.sign([], header: parameters)
                let verified = try verifier.verify(token)
                #expect(verified.payload.isEmpty)
            }
            #expect(verdict == wanted, "\(size)")
        }
    }
}
