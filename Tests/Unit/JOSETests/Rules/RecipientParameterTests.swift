// epk, apu, apv, iv, tag, p2s, p2c of a received header: types, sizes, base64url, and invalid
// values.

import JOSE
import JOSECrypto
import Testing

@Suite("Header parameters of key management")
struct RecipientParameterTests {
    /// The result for a token with this header.
    private func verdict(
        _ header: String, _ key: JWK, _ algorithm: KeyManagementAlgorithm
    ) throws -> String {
        let decrypter = try JWEDecrypter.with(key, algorithm, .a128GCM)
        let token = TestToken.forged(
            header, encryptedKeyBytes: algorithm.wrapBytes == 0 ? 0 : 24)
        return try Rejection.verdict { _ = try decrypter.decrypt(token) }
    }

    private let zeros = [UInt8](repeating: 0, count: 66)

    @Test("epk: missing, of another JSON type, or with a wrong size, key type or curve")
    func ephemeralKey() throws {
        let key = try JWK.generate(.curve(.p256))
        let x = Independent.base64URL([UInt8](repeating: 7, count: 32))
        let short = Independent.base64URL([UInt8](repeating: 7, count: 31))
        let long = Independent.base64URL([UInt8](repeating: 7, count: 33))
        func ec(_ members: String) -> String { #""epk":{"kty":"EC","crv":"P-256",\#(members)}"# }
        let cases: [(String, String)] = [
            (ec(#""x":"\#(x)","y":"\#(x)""#), "decryption-failed"),
            (ec(#""x":"\#(x)","y":"\#(x)","kid":"a","use":"enc""#), "decryption-failed"),
            (#""other":1"#, "malformed"),
            (#""epk":[]"#, "malformed"),
            (#""epk":{"kty":"EC"}"#, "malformed"),
            (#""epk":{"kty":1,"crv":"P-256","x":"\#(x)","y":"\#(x)"}"#, "malformed"),
            (#""epk":{"kty":"EC","crv":["P-256"],"x":"\#(x)","y":"\#(x)"}"#, "malformed"),
            (#""epk":{"kty":"EC","crv":"P-384","x":"\#(x)","y":"\#(x)"}"#, "decryption-failed"),
            (#""epk":{"kty":"EC","crv":"p-256","x":"\#(x)","y":"\#(x)"}"#, "decryption-failed"),
            (#""epk":{"kty":"OKP","crv":"X25519","x":"\#(x)"}"#, "decryption-failed"),
            (#""epk":{"kty":"OKP","crv":"P-256","x":"\#(x)","y":"\#(x)"}"#, "malformed"),
            (#""epk":{"kty":"EC","crv":"X25519","x":"\#(x)","y":"\#(x)"}"#, "malformed"),
            (#""epk":{"kty":"EC","crv":"P-255","x":"\#(x)","y":"\#(x)"}"#, "decryption-failed"),
            (ec(#""x":"\#(x)","y":"""#), "malformed"),
            (ec(#""x":"\#(short)","y":"\#(x)""#), "malformed"),
            (ec(#""x":"\#(x)","y":"\#(long)""#), "malformed"),
            (ec(#""x":"\#(x)=","y":"\#(x)""#), "malformed"),
            (ec(#""x":"\#(x.dropLast())/","y":"\#(x)""#), "malformed"),
            (ec(#""x":"\#(x)","y":"\#(x)","d":"\#(x)""#), "malformed"),
            (ec(#""x":"\#(x)","x":"\#(x)","y":"\#(x)""#), "malformed"),
        ]
        for algorithm in [KeyManagementAlgorithm.ecdhES, .ecdhESA128KW] {
            for (members, wanted) in cases {
                let header = #"{"alg":"\#(algorithm)","enc":"A128GCM",\#(members)}"#
                #expect(try verdict(header, key, algorithm) == wanted, "\(members)")
            }
        }
        let okp = try JWK.generate(.curve(.x25519))
        for (members, wanted) in [
            (#"{"kty":"OKP","crv":"X25519","x":"\#(x)"}"#, "decryption-failed"),
            (#"{"kty":"OKP","crv":"X25519","x":"\#(x)","y":"\#(x)"}"#, "malformed"),
            (#"{"kty":"OKP","crv":"X25519","x":"\#(short)"}"#, "malformed"),
            (#"{"kty":"OKP","crv":"X448","x":"\#(x)"}"#, "decryption-failed"),
            (#"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"}"#, "decryption-failed"),
            (#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(x)"}"#, "decryption-failed"),
        ] {
            let header = #"{"alg":"ECDH-ES","enc":"A128GCM","epk":\#(members)}"#
            #expect(try verdict(header, okp, .ecdhES) == wanted, "\(members)")
        }
    }

    @Test(
        "RFC 7518 4.6.1.1: points off the curve, of small order, with swapped or padded values"
    )
    func points() throws {
        for curve in [JWKCurve.p256, .x25519] {
            let key = TestKeys.bare(try JWK.generate(.curve(curve)))
            let decrypter = try JWEDecrypter.with(key, .ecdhESA128KW, .a128GCM)
            let token = try JWEEncrypter.with(key.publicKey, .ecdhESA128KW, .a128GCM).encrypt("x")
            #expect(try decrypter.decrypt(token).unauthenticatedPlaintext == [0x78])
            let header = try TestToken.header(token)
            let value = try VectorValue(json: header)["epk"]
            let x = try #require(value?["x"]?.string)
            let zero = Independent.base64URL(zeros[..<32])
            let over = Independent.base64URL([UInt8](repeating: 255, count: 32))
            var others = [
                (zero, "decryption-failed"), (over, "decryption-failed"),
                (String(x.dropLast(4)), "malformed"), (x + "AAAA", "malformed"), ("", "malformed"),
            ]
            if let y = value?["y"]?.string { others.append((y, "decryption-failed")) }
            for (other, wanted) in others {
                let changed = header.split(separator: x, maxSplits: 1).joined(separator: other)
                let bad = TestToken.replacing(0, of: token, by: Independent.base64URL(changed.utf8))
                expectRejection(wanted, "\(curve) \(other)") { _ = try decrypter.decrypt(bad) }
            }
        }
    }

    @Test("apu and apv are base64url strings, or absent")
    func parties() throws {
        let key = try JWK.generate(.curve(.x448))
        let x = Independent.base64URL([UInt8](repeating: 7, count: 56))
        for name in ["apu", "apv"] {
            for (value, wanted) in [
                (#""QWxpY2U""#, "decryption-failed"), (#""""#, "decryption-failed"),
                (#""QWxpY2U=""#, "malformed"), (#""A""#, "malformed"), (#""QWxpY2V""#, "malformed"),
                ("7", "malformed"), ("null", "malformed"), ("[]", "malformed"),
            ] {
                let header =
                    #"{"alg":"ECDH-ES","enc":"A128GCM","epk":{"kty":"OKP","crv":"X448","#
                    + #""x":"\#(x)"},"#
                    + #""\#(name)":\#(value)}"#
                #expect(try verdict(header, key, .ecdhES) == wanted, "\(name) \(value)")
            }
        }
    }

    @Test("iv and tag of AES-GCM key wrapping are strings of 12 and 16 bytes")
    func ivAndTag() throws {
        let key = try JWK(symmetricKey: [UInt8](repeating: 9, count: 32))
        func text(_ count: Int) -> String { Independent.base64URL(zeros[..<count]) }
        for (members, wanted) in [
            (#","iv":"\#(text(12))","tag":"\#(text(16))""#, "decryption-failed"),
            ("", "malformed"),
            (#","iv":"\#(text(12))""#, "malformed"),
            (#","tag":"\#(text(16))""#, "malformed"),
            (#","iv":"","tag":"\#(text(16))""#, "malformed"),
            (#","iv":"\#(text(11))","tag":"\#(text(16))""#, "malformed"),
            (#","iv":"\#(text(13))","tag":"\#(text(16))""#, "malformed"),
            (#","iv":"\#(text(16))","tag":"\#(text(16))""#, "malformed"),
            (#","iv":"\#(text(12))","tag":"\#(text(15))""#, "malformed"),
            (#","iv":"\#(text(12))","tag":"\#(text(4))""#, "malformed"),
            (#","iv":"\#(text(12))","tag":"\#(text(17))""#, "malformed"),
            (#","iv":"\#(text(12))","tag":16"#, "malformed"),
            (#","iv":null,"tag":"\#(text(16))""#, "malformed"),
            (#","iv":"\#(text(12))=","tag":"\#(text(16))""#, "malformed"),
            // RFC 8259 7: escaped values are decoded.
            (#","iv":"\u0041\#(text(12).dropFirst())","tag":"\#(text(16))""#, "decryption-failed"),
            (#","iv":"AAAAAA\#(text(12).dropFirst())","tag":"\#(text(16))""#, "malformed"),
            (#","iv":"\#(text(12))","tag":"\u0041\#(text(16).dropFirst())""#, "decryption-failed"),
        ] {
            let header = #"{"alg":"A256GCMKW","enc":"A128GCM"\#(members)}"#
            #expect(try verdict(header, key, .a256GCMKW) == wanted, "\(members)")
        }
    }

    @Test("parameters of one algorithm are ignored by another")
    func strangers() throws {
        let key = TestKeys.bare(TestKeys.decrypting)
        let token = try TestToken.encrypted(
            #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","epk":7,"iv":null,"tag":[],"apu":{},"p2c":"x"}"#,
            "text")
        let decrypter = try JWEDecrypter.rsa(key)
        #expect(try decrypter.decrypt(token).unauthenticatedPlaintext == Array("text".utf8))
    }
}
