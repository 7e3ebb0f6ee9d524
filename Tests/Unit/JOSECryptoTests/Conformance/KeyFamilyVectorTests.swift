// Published values of key wrapping and key agreement, byte for byte, and hostile ephemeral keys.

import Foundation
import Testing

@testable import JOSECrypto

@Suite struct KeyFamilyVectorTests {
    private func wrap(
        _ operation: KeyManagementOperation, _ content: ContentAlgorithm, cek: [UInt8] = [],
        seed: [UInt8] = [], ephemeral: NativeKey? = nil, partyU: [UInt8] = [], partyV: [UInt8] = []
    ) throws -> (encryptedKey: [UInt8], parameters: [UInt8], cek: [UInt8]) {
        let parties = partyU + partyV
        return try KeyManagementTestVectors.wrap(
            operation, content: content, cek: cek.span, seed: seed.span, ephemeral: ephemeral,
            KeyParameters(partyUBytes: partyU.count, partyVBytes: partyV.count),
            in: parties.span)
    }

    private func privateKey(_ jwk: Members, _ curve: NativeCurve) throws -> NativeKey {
        let x = try base64URL(jwk["x"])
        let d = SecretBytes(try base64URL(jwk["d"]))
        guard curve.isEC else { return try .okpPrivate(curve, x: x.span, d: d) }
        let y = try base64URL(jwk["y"])
        return try .ecPrivate(curve, x: x.span, y: y.span, d: d)
    }

    @Test(
        "RFC 3394 section 4: all wrappings of 128, 192 and 256 bits that JOSE allows",
        arguments: [
            (
                "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff",
                "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"
            ),
            (
                "000102030405060708090a0b0c0d0e0f1011121314151617",
                "00112233445566778899aabbccddeeff",
                "96778b25ae6ca435f92b5b97c050aed2468ab8a17ad84e5d"
            ),
            (
                "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                "00112233445566778899aabbccddeeff",
                "64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7"
            ),
            (
                "000102030405060708090a0b0c0d0e0f1011121314151617",
                "00112233445566778899aabbccddeeff0001020304050607",
                "031d33264e15d33268f24ec260743edce1c6c7ddee725a936ba814915c6762d2"
            ),
            (
                "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                "00112233445566778899aabbccddeeff0001020304050607",
                "a8f9bc1612c68b3ff6e6f4fbe30e71e4769c8b80a32cb8958cd5d17d6b254da1"
            ),
            (
                "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f",
                "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"
            ),
        ])
    func wrapping(_ kek: String, _ key: String, _ wrapped: String) throws {
        let cek = hex(key)
        let content = try #require(ContentAlgorithm.allCases.last { $0.keyBytes == cek.count })
        let native = try NativeKey.symmetric(SecretBytes(hex(kek)))
        let method = KeyMethod(name: "", family: .aesKW, wrapBytes: hex(kek).count)
        let made = try wrap(method.operation(native, wrapping: true), content, cek: cek)
        #expect(made.encryptedKey == hex(wrapped))
        // It also decrypts a text that was encrypted with the key.
        let iv = try Random.bytes(content.ivBytes)
        let text = try ContentTestVectors.encrypt(content, cek, iv, [], [1, 2])
        let sealed = Sealed(
            encryptedKey: hex(wrapped), iv: iv, ciphertext: text.ciphertext, tag: text.tag)
        #expect(
            try method.operation(native, wrapping: false).open(sealed, content: content, aad: [])
                == [1, 2])
    }

    @Test("RFC 7520 5.7: A256GCMKW with the published IV gives the published values")
    func galoisWrapping() throws {
        let (input, output) = try vector("rfc7520-5.7-jwe", in: "rfc7520")
        let name = try #require(input["key"] as? String)
        let k = try base64URL(publishedKey(name, in: "rfc7520")["k"])
        let parts = try #require(output["compact"] as? String).split(separator: ".").map(
            String.init)
        let header = try #require(
            try JSONSerialization.jsonObject(with: Data(base64URL(parts[0]))) as? Members)
        let method = KeyMethod(name: "", family: .aesGCMKW, wrapBytes: 32)
        let key = try NativeKey.symmetric(SecretBytes(k))
        let made = try wrap(
            method.operation(key, wrapping: true), .a128CBCHS256, cek: base64URL(input["cek_b64u"]),
            seed: base64URL(header["iv"]))
        #expect(made.encryptedKey == (try base64URL(parts[1])))
        #expect(made.parameters == (try base64URL(header["iv"]) + base64URL(header["tag"])))
    }

    @Test("RFC 7518 appendix C: Alice and Bob derive the same key")
    func appendixC() throws {
        let (input, output) = try vector("rfc7518-c-ecdh-es", in: "rfc7518")
        let alice = try privateKey(publishedKey("c-alice-ephemeral", in: "rfc7518"), .p256)
        let bob = try privateKey(publishedKey("c-bob", in: "rfc7518"), .p256)
        let method = KeyMethod.agreeing[0]
        for options in [OperationOptions(), .openSSLOnly] {
            let made = try wrap(
                method.operation(bob, wrapping: true, options), .a128GCM, ephemeral: alice,
                partyU: base64URL(input["apu_b64u"]), partyV: base64URL(input["apv_b64u"]))
            #expect(made.cek == (try base64URL(output["derived_key_b64u"])))
            #expect(made.parameters == alice.publicX() + alice.publicY())
            #expect(made.encryptedKey.isEmpty)
        }
    }

    @Test("RFC 8037 A.6 and A.7: the shared secret, checked through the derived key")
    func montgomery() throws {
        for (id, curve, keyNames) in [
            ("rfc8037-a6-x25519", NativeCurve.x25519, ("ephemeral-x25519", "rec-x25519")),
            ("rfc8037-a7-x448", .x448, ("ephemeral-x448", "rec-x448")),
        ] {
            let output = try vector(id, in: "rfc8037").output
            let z = hex(try #require(output["z_hex"] as? String))
            // SHA-256 over counter, Z, name, no apu, no apv and the length in bits.
            let name = Array("A128GCM".utf8)
            let wanted = try Hash.digest(
                .sha256,
                [0, 0, 0, 1] + z + [0, 0, 0, 7] + name
                    + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128])
            let ephemeral = try privateKey(publishedKey(keyNames.0, in: "rfc8037"), curve)
            let recipient = try publishedKey(keyNames.1, in: "rfc8037")
            let x = try base64URL(recipient["x"])
            let method = KeyMethod(name: "", family: .ecdhES, curve: curve)
            for options in [OperationOptions(), .openSSLOnly] {
                let made = try wrap(
                    method.operation(.okpPublic(curve, x: x.span), wrapping: true, options),
                    .a128GCM,
                    ephemeral: ephemeral)
                #expect(made.cek == Array(wanted[..<16]), "\(id)")
                #expect(made.parameters == ephemeral.publicX())
            }
        }
    }

    @Test(
        "an ephemeral key off the curve, out of range, of small order or zero is rejected")
    func hostileKeys() throws {
        for method in KeyMethod.agreeing {
            let curve = try #require(method.curve)
            let key = try NativeKey.generate(curve)
            let size = curve.sizeBytes
            for options in [OperationOptions(), .openSSLOnly] {
                let opener = try method.operation(key, wrapping: false, options)
                var message = try method.operation(key, wrapping: true)
                    .stepped([1], .a128GCM, aad: [])
                let right = message.parameters
                let zero = [UInt8](repeating: 0, count: right.count)
                var hostile = [
                    zero, zero.map { ~$0 }, [1] + zero.dropFirst(), zero.dropLast() + [1],
                ]
                if curve.isEC {
                    hostile.append(Array(right[..<size]) + zero[..<size])
                    hostile.append(Array(zero[..<size]) + right[size...])
                    hostile.append(Array(right[size...]) + right[..<size])
                } else if curve == .x25519 {
                    hostile.append(
                        hex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"))
                    hostile.append(
                        hex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"))
                }
                for parameters in hostile {
                    message.parameters = parameters
                    #expect(throws: CryptoError.rejected) {
                        _ = try opener.open(message, .a128GCM, aad: [])
                    }
                }
                // The next valid one decrypts: nothing of the invalid ones remains.
                message.parameters = right
                #expect(try opener.open(message, .a128GCM, aad: []) == [1])
            }
        }
    }
}
