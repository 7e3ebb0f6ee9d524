// Neither the numbers of a private key that was read from text nor our copies of the text remain in
// memory.

import JOSE
import JOSEBytes
import JOSECrypto
import Testing

@Suite(.serialized, .disabled(if: hasHeapOfSanitizer, "memory is searched byte by byte"))
struct ImportedSecretsTests {
    /// A private member as in a JWK, number and base64url text masked.
    private struct Member {
        let name: String
        let number: Masked
        let text: Masked

        init(_ name: String, _ secret: SecretBytes) {
            self.name = name
            number = secret.withSpan { Masked(masking: $0) }
            text = secret.withSpan { secret in
                let count = Base64URL.encodedCount(secret.count)
                return withScratch(of: UInt8.self, capacity: count) { out in
                    Base64URL.encodeSecret(secret, into: &out)
                    return Masked(masking: out.span)
                }
            }
        }
    }

    /// A key that was created and released: its public members as JSON, and the private ones.
    private struct Key {
        let start: String
        var members: [Member] = []

        init(rsa bits: Int) throws {
            let key = try NativeKey.rsaGenerate(bits: bits)
            let (n, e) = (key.publicModulus(), key.publicExponent())
            start =
                #"{"kty":"RSA","n":"\#(Base64URL.encodeToString(n.span))","#
                + #""e":"\#(Base64URL.encodeToString(e.span))""#
            for (part, name) in zip(RSAPrivatePart.allCases, ["d", "p", "q", "dp", "dq", "qi"]) {
                members.append(Member(name, try key.rsaPrivateMember(part)))
            }
        }

        init(_ curve: NativeCurve, _ type: String, _ name: String) throws {
            let key = try NativeKey.generate(curve)
            let (x, y) = (key.publicX(), curve.isEC ? key.publicY() : [])
            start =
                #"{"kty":"\#(type)","crv":"\#(name)","x":"\#(Base64URL.encodeToString(x.span))""#
                + (curve.isEC ? #","y":"\#(Base64URL.encodeToString(y.span))""# : "")
            members.append(Member("d", try key.secretMember()))
        }

        init(symmetric bytes: Int) throws {
            start = #"{"kty":"oct""#
            members.append(
                Member("k", try NativeKey.symmetricGenerate(bytes: bytes).secretMember()))
        }

        /// The JWK's text in one buffer: growing it would leave copies behind.
        func text() -> [UInt8] {
            var text: [UInt8] = []
            text.reserveCapacity(16_384)
            text += Array(start.utf8)
            for member in members {
                text += Array(#","\#(member.name)":""#.utf8)
                member.text.use { text += $0 }
                text.append(UInt8(ascii: "\""))
            }
            text.append(UInt8(ascii: "}"))
            return text
        }
    }

    private func places(of secret: Masked, _ range: Range<Int>) throws -> Int {
        try secret.part(range).use { try Memory().places(holding: $0).count }
    }

    private func expectGone(_ key: Key, _ what: String) throws {
        for member in key.members {
            for number in [member.number, member.number.reversed] {
                for start in [1, number.count - 17] {
                    let found = try places(of: number, start..<(start + 16))
                    #expect(found == 0, "\(what), \(member.name)")
                }
            }
            for start in [2, member.text.count - 22] {
                let found = try places(of: member.text, start..<(start + 20))
                #expect(found == 0, "\(what), text of \(member.name)")
            }
        }
    }

    private static func key(_ number: Int) throws -> Key {
        try [
            { try Key(rsa: 2048) }, { try Key(.p256, "EC", "P-256") },
            { try Key(.p521, "EC", "P-521") }, { try Key(.ed25519, "OKP", "Ed25519") },
            { try Key(.x448, "OKP", "X448") }, { try Key(symmetric: 64) },
        ][number]()
    }

    @Test("no secrets remain of a private JWK that was read, used and released", arguments: 0..<6)
    func read(_ number: Int) throws {
        let key = try Self.key(number)
        var text = key.text()
        #expect(try places(of: key.members[0].text, 2..<22) > 0)
        #expect(try JWK(json: text.span).isPrivate)
        // Rejected after all its members were read, and before.
        for broken in [#"{"kty":"RSA"}"#, ""] {
            var other: [UInt8] = []
            other.reserveCapacity(16_384)
            other += text[..<(text.count / 2)]
            other += Array(broken.utf8)
            #expect(throws: JOSEError.self) { _ = try JWK(json: other.span) }
            wipe(&other)
        }
        wipe(&text)
        try expectGone(key, key.start.prefix(14).description)
    }

    @Test(
        "no secrets remain of a private key that was written to files and read back",
        arguments: 0..<5)
    func file(_ number: Int) throws {
        let key = try Self.key(number)
        var text = key.text()
        var reads = 0
        for encoding in [JWK.FileEncoding.pem, .der] {
            let jwk = try JWK(json: text.span)
            reads += try jwk.withPrivateKeyFile(encoding) { (file) throws(JOSEError) in
                try KeyFileContents(file).keys.count { $0.isPrivate }
            }
        }
        #expect(reads == 2)
        wipe(&text)
        try expectGone(key, key.start.prefix(14).description)
    }
}
