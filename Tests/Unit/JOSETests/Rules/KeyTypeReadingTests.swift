// Reading and writing elliptic curve and symmetric keys (RFC 7518 sections 6.2 and 6.4, RFC 8037
// section 2).

import JOSE
import JOSECrypto
import Testing

@Suite("Elliptic curve and symmetric keys")
struct KeyTypeReadingTests {
    /// A new private key of each kind except RSA.
    private static func keys() throws -> [JWK] {
        try JWKCurve.all.map { try JWK.generate(.curve($0)) } + [
            JWK.generate(.symmetric(bits: 256))
        ]
    }

    private func members(_ key: JWK) throws -> [String: String] {
        try KeyText.members(TestKeys.bare(key).privateJSON()).mapValues(\.json)
    }

    private func text(_ members: [String: String]) -> String {
        "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    /// The result for a key that is read and then prepared.
    private func verdict(_ members: [String: String]) throws -> String {
        let text = text(members)
        return try Rejection.verdict { _ = try JWK(json: text).prepared.material.native() }
    }

    @Test("every kind of key reads back, private and public")
    func roundTrip() throws {
        for key in try Self.keys() {
            let again = try JWK(json: key.privateJSON())
            #expect(try again.privateJSON() == key.privateJSON())
            #expect(again.keyID == key.keyID && again.keyType == key.keyType)
            #expect(again.curve == key.curve && again.isPrivate && again.sizeBits == key.sizeBits)
            #expect(try again.thumbprint() == key.thumbprint())
            guard key.keyType != .oct else { continue }
            let side = try key.publicKey
            #expect(try !side.isPrivate && side.publicKey.publicJSON() == key.publicJSON())
            #expect(try side.privateJSON() == key.publicJSON())
            let other = try JWK(json: key.publicJSON())
            _ = try other.prepared.material.native()
            #expect(try other.publicJSON() == key.publicJSON() && !other.isPrivate)
            #expect(try other.thumbprint() == key.thumbprint())
        }
    }

    @Test("RFC 7638 3.2: exactly the required members, in order, none of them private")
    func thumbprints() throws {
        for key in try Self.keys() {
            let all = try KeyText.members(key.privateJSON())
            let names = key.keyType == .oct ? ["k", "kty"] : ["crv", "kty", "x", "y"]
            let canonical =
                "{"
                + names.compactMap { name in all[name].map { "\"\(name)\":\($0.json)" } }
                .joined(separator: ",") + "}"
            let bytes = Array(canonical.utf8)
            let digest = try Hash.digest(.sha256, bytes.span)
            #expect(try key.thumbprint() == Independent.base64URL(digest))
        }
    }

    @Test("a new key's kid is its thumbprint, except for a secret")
    func names() throws {
        for key in try Self.keys() where key.keyType != .oct {
            #expect(try key.keyID == key.thumbprint())
        }
        let key = try JWK.generate(.symmetric(bits: 128))
        #expect(try key.keyID != key.thumbprint() && key.keyID?.utf8.count == 22)
        #expect(try JWK.generate(.symmetric(bits: 128)).keyID != key.keyID)
        let named = try JWK.generate(.curve(.p256), keyID: "a", use: .signature, algorithm: "ES256")
        #expect(named.keyID == "a" && named.use == .signature && named.algorithm == "ES256")
    }

    @Test("sizes of new symmetric keys")
    func symmetricSizes() throws {
        for bits in [128, 136, 192, 256, 512, 4_096] {
            let key = try JWK.generate(.symmetric(bits: bits))
            #expect(key.sizeBits == bits)
            #expect(try key.withSymmetricKey { $0.count } == bits / 8)
        }
        for bits in [Int.min, -8, 0, 8, 120, 127, 129, 257, 4_104, Int.max] {
            expectRejection("misuse") { _ = try JWK.generate(.symmetric(bits: bits)) }
        }
    }

    @Test("RFC 7518 6.4: symmetric keys are read and written as bytes")
    func bytes() throws {
        for count in [1, 15, 16, 32, 33, 64, 65_536] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ 7) }
            let key = try JWK(symmetricKey: bytes, keyID: "a", use: .signature, algorithm: "own")
            #expect(key.keyType == .oct && key.isPrivate && key.sizeBits == count * 8)
            let isSame = try key.withSymmetricKey { span in
                span.count == bytes.count && span.indices.allSatisfy { span[$0] == bytes[$0] }
            }
            #expect(isSame)
            let members = try KeyText.members(key.privateJSON())
            #expect(members["k"]?.string == Independent.base64URL(bytes))
            #expect(members["kty"]?.string == "oct" && members["alg"]?.string == "own")
        }
        expectRejection("key-unusable") { _ = try JWK(symmetricKey: []) }
        expectRejection("key-unusable") {
            _ = try JWK(symmetricKey: [UInt8](repeating: 1, count: 65_537))
        }
        expectRejection("key-unusable") { _ = try TestKeys.signing.withSymmetricKey { $0.count } }
    }

    @Test("a symmetric key has no public part, and using one as public is rejected everywhere")
    func noPublicPart() throws {
        let key = try JWK.generate(.symmetric(bits: 256), keyID: "a")
        expectRejection("key-unusable") { _ = try key.publicKey }
        expectRejection("key-unusable") { _ = try key.publicJSON() }
        expectRejection("malformed") { _ = try JWK(json: #"{"kid":"a","kty":"oct"}"#) }
        for keys in [[key], [TestKeys.signing, key]] {
            expectRejection("key-unusable") { _ = try PublicJWKSet(keys: keys) }
            expectRejection("key-unusable") { _ = try JWKSet(keys: keys).publicKeys }
        }
        let pair = try JWK.generate(.curve(.p256))
        #expect(try !pair.publicKey.isPrivate && pair.publicKey.publicKey.keyID == pair.keyID)
    }

    @Test("no part of a key is printed")
    func printing() throws {
        for key in try Self.keys() {
            let secret = try need(
                KeyText.members(key.privateJSON())[key.keyType == .oct ? "k" : "d"]?.string)
            var dumped = ""
            dump(key, to: &dumped)
            for text in ["\(key)", key.debugDescription, dumped] {
                #expect(!text.contains(secret))
            }
        }
        #expect("\(try JWK.generate(.curve(.p384)))" == "private EC key on P-384")
        #expect("\(try JWK.generate(.curve(.x448)).publicKey)" == "public OKP key on X448")
        #expect("\(try JWK.generate(.symmetric(bits: 256)))" == "symmetric oct key of 256 bits")
    }

    @Test("every member is required, with its JSON type and spelling")
    func forms() throws {
        for key in try Self.keys() {
            let good = try members(key)
            #expect(try verdict(good) == "accepted")
            for (name, value) in good where name != "kty" {
                var less = good
                less[name] = nil
                // Without d the rest is a public key.
                #expect(try verdict(less) == (name == "d" ? "accepted" : "malformed"), "\(name)")
                for bad in ["1", "null", "true", "[]", "{}", "[\(value)]"] {
                    #expect(try verdict(good.merging([name: bad]) { $1 }) == "malformed")
                }
                guard name != "crv" else { continue }
                for bad in [
                    "\"\"", value.dropLast() + "=\"", value.dropLast() + " \"",
                    "\" " + value.dropFirst(),
                    value.dropLast() + "\\n\"", "\"+\(value.dropFirst(2))",
                    "\"/\(value.dropFirst(2))",
                    "\"\\u0041\(value.dropFirst(2))",
                ] {
                    #expect(try verdict(good.merging([name: bad]) { $1 }) == "malformed", "\(bad)")
                }
            }
        }
    }

    @Test("RFC 7518 6.2.1.2, RFC 8037 2: a coordinate or d of a wrong length is malformed")
    func lengths() throws {
        for key in try Self.keys() where key.keyType != .oct {
            let good = try members(key)
            for name in ["x", "y", "d"] {
                guard let text = try KeyText.members(key.privateJSON())[name]?.string else {
                    continue
                }
                let bytes = try Independent.base64URL(text)
                for changed in [
                    Array(bytes.dropLast()), Array(bytes.dropFirst()), [0] + bytes, bytes + [0],
                    bytes + bytes, [1], [],
                ] {
                    let value = "\"\(Independent.base64URL(changed))\""
                    var edited = good.merging([name: value]) { $1 }
                    #expect(try verdict(edited) == "malformed", "\(name) of \(changed.count)")
                    guard name != "d" else { continue }
                    edited["d"] = nil
                    #expect(try verdict(edited) == "malformed")
                    let set = KeyText.set([self.text(edited)])
                    // In a set only that entry is skipped.
                    let skipped = try PublicJWKSet(json: set).skipped
                    #expect(skipped.map(\.member) == [name])
                    #expect(try JWKSet(json: set).skipped == skipped)
                }
            }
        }
    }

    @Test("a point off its curve is rejected at first use, d of another key at once")
    func inconsistent() throws {
        for key in try Self.keys() where key.keyType != .oct {
            let good = try members(key)
            let other = try members(JWK.generate(.curve(need(key.curve))))
            #expect(try verdict(good.merging(["d": need(other["d"])]) { $1 }) == "key-unusable")
            #expect(try verdict(good.merging(["x": need(other["x"])]) { $1 }) == "key-unusable")
            for name in ["d", "x"] {
                let text = self.text(good.merging([name: try need(other[name])]) { $1 })
                expectRejection("key-unusable") { _ = try JWK(json: text) }
                let set = try JWKSet(json: KeyText.set([text]))
                #expect(set.keys.isEmpty && set.skipped.count == 1)
            }
            guard key.keyType == .ec else { continue }
            var mixed = good.merging(["x": try need(other["x"])]) { $1 }
            mixed["d"] = nil
            let read = try JWK(json: text(mixed))
            expectRejection("key-unusable") { _ = try read.prepared.material.native() }
            // In a set such a key fails only the tokens that name it.
            #expect(try PublicJWKSet(json: KeyText.set([text(mixed)])).keys().count == 1)
        }
    }

    @Test("RFC 8037 2: y is not allowed, and each curve belongs to its kty")
    func wrongType() throws {
        for key in try Self.keys() where key.keyType != .oct {
            let good = try members(key)
            let isEC = key.keyType == .ec
            #expect(
                try verdict(good.merging(["kty": isEC ? "\"OKP\"" : "\"EC\""]) { $1 })
                    == "malformed")
            let other = isEC ? "\"Ed25519\"" : "\"P-256\""
            #expect(try verdict(good.merging(["crv": other]) { $1 }) == "malformed")
            if !isEC {
                #expect(try verdict(good.merging(["y": need(good["x"])]) { $1 }) == "malformed")
            }
            // Another curve of the same type: a wrong size, or not a point on it.
            for curve in JWKCurve.all where curve.keyType == key.keyType && curve != key.curve {
                let got = try verdict(good.merging(["crv": "\"\(curve)\""]) { $1 })
                #expect(["malformed", "key-unusable"].contains(got), "\(curve)")
            }
        }
    }

    @Test("unknown curves are unusable, and are skipped in a set with a reason")
    func unknownCurves() throws {
        let good = try members(JWK.generate(.curve(.p256)))
        for name in ["P-999", "p-256", "P-256 ", "", "secp256r1", "P\u{2010}256"] {
            let text = self.text(good.merging(["crv": "\"\(name)\""]) { $1 })
            expectRejection("key-unusable") { _ = try JWK(json: text) }
            #expect(try JWKSet(json: KeyText.set([text])).skipped.count == 1)
            var bare = good.merging(["crv": "\"\(name)\""]) { $1 }
            bare["d"] = nil
            let theirs = try PublicJWKSet(
                json: KeyText.set([self.text(bare), KeyText.publicKey()]))
            #expect(theirs.skipped.map(\.index) == [0] && theirs.keys().count == 1)
            #expect(theirs.skipped.first?.reason.contains("curve") == true)
        }
        #expect(try verdict(good.merging(["crv": "\"\\u0050-256\""]) { $1 }) == "accepted")
    }
}
