// Runs the examples of the first articles, which PageBlockTests finds compiled.

import Foundation
import JOSE
import Testing

@Suite("First articles")
struct FirstArticleTests {
    private let key: JWK
    private let published: PublicJWKSet

    init() throws {
        key = try JWK.generate(.curve(.p256), keyID: "sig-1", use: .signature)
        published = try PublicJWKSet(keys: [key])
    }

    @Test("landing page: a token of the provider is verified, another one is not")
    func landing() throws {
        let claims = ["iss": "https://idp.example", "aud": "client-1", "sub": "alice"]
        let token = try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(60)).issue(claims)
        #expect(try verified(token, by: published).subject == "alice")
        let stranger = try JWK.generate(.curve(.p256), keyID: "sig-1", use: .signature)
        let forged = try JWTIssuer(key: stranger, algorithm: .es256, lifetime: .seconds(60))
            .issue(claims)
        expectRejection("signature-invalid") { _ = try verified(forged, by: published) }
    }

    @Test("getting started: issue and verify, exp follows from the lifetime")
    func started() throws {
        let (subject, expiration) = try gettingStarted()
        #expect(subject == "alice")
        #expect(expiration > NumericDate.now.advanced(by: .seconds(200)))
    }

    @Test("sign, verify, encrypt, decrypt") func four() throws {
        #expect(try signed("x", with: key, published: published) == [0x78])
        let open = try JWK.generate(.curve(.x25519), keyID: "enc-1", use: .encryption)
        let ours = JWKSet(keys: [open])
        #expect(try encrypted("x", for: open.publicKey, decryptedWith: ours) == [0x78])
        let other = JWKSet(keys: [
            try JWK.generate(.curve(.x25519), keyID: "enc-1", use: .encryption)
        ])
        expectRejection("decryption-failed") {
            _ = try encrypted("x", for: open.publicKey, decryptedWith: other)
        }
    }

    @Test("nested tokens are read by their recipient and rejected with one layer alone")
    func both() throws {
        let open = TestKeys.named(TestKeys.decrypting, "enc-1", use: .encryption)
        let verifier = try nestedVerifier(senderKeys: published, keys: JWKSet(keys: [open]))
        let claims = ["iss": "client-1", "aud": "https://idp.example", "sub": "alice"]
        let token = try nested(claims, by: key, to: open.publicKey)
        #expect(try verifier.verify(token).subject == "alice")
        let bare = try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(60)).issue(claims)
        expectRejection("malformed") { _ = try verifier.verify(bare) }
    }

    @Test("rotation: a key is published before it signs and removed when it is dropped")
    func rotation() throws {
        var rotation = Rotation(keys: [key])
        let newer = try JWK.generate(.curve(.p256), keyID: "sig-2", use: .signature)
        let claims = ["iss": "i", "aud": "a"]
        rotation.add(newer)
        for (isKnown, keyID) in [(false, "sig-1"), (true, "sig-2")] {
            let keys = try PublicJWKSet(json: rotation.published())
            let token = try rotation.issuer(newestIsKnown: isKnown).issue(claims)
            let verified = try JWSVerifier(keys: keys, algorithms: [.es256]).verify(token)
            #expect(verified.keyID == keyID)
        }
        rotation.drop()
        #expect(try PublicJWKSet(json: rotation.published()).keys().map(\.keyID) == ["sig-2"])
        #expect(try !rotation.issuer(newestIsKnown: false).issue(claims).isEmpty)
    }

    @Test("limits: one can be raised, and each table entry is a default")
    func bounds() throws {
        #expect(limits(forPhotos: true).tokenBytes == 1_048_576)
        #expect(limits(forPhotos: false).tokenBytes == 16_384)
        let page = VectorFile.folder.deletingLastPathComponent()
            .appending(path: "Sources/JOSE/JOSE.docc/Limits.md")
        var rows: [String: String] = [:]
        for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
            guard let row = line.firstMatch(of: /^\| `(\w+)` \| ([\d,]+) \|/) else { continue }
            rows[String(row.1)] = String(row.2).replacing(",", with: "")
        }
        var defaults: [String: String] = [:]
        for member in Mirror(reflecting: JOSELimits()).children {
            defaults[member.label ?? ""] = "\(member.value)"
        }
        #expect(defaults.count > 10 && rows == defaults)
    }
}
