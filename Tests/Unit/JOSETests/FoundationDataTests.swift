// Data and strings in place of bytes in the public API: same results, same rejections.

import Foundation
import JOSE
import JOSEFoundation
import Testing

@Suite("JOSEFoundation: Data and bytes")
struct FoundationDataTests {
    private let key = TestKeys.named(TestKeys.signing, "sig", use: .signature)
    private let own = TestKeys.named(TestKeys.decrypting, "enc", use: .encryption)
    private let claims = Data(#"{"iss":"me","aud":"you","sub":"s","exp":4102444800}"#.utf8)

    @Test("payloads and tokens are signed and verified as Data, attached and detached")
    func signatures() throws {
        let payload = Data("payload".utf8)
        let signer = try JWSSigner(key: key, algorithm: .rs256)
        let verifier = try JWSVerifier.rs256(key.publicKey)
        let token = try signer.sign(payload)
        #expect(try verifier.verify(Data(token.utf8)).payload == Array(payload))
        // A slice of other data does not start at index 0.
        let slice = Data("…\(token)".utf8).dropFirst(3)
        #expect(try verifier.verify(slice).payload == Array(payload))
        let apart = try signer.signDetached(payload)
        #expect(try verifier.verifyDetached(apart, payload: payload).payload == Array(payload))
        expectRejection("signature-invalid") {
            _ = try verifier.verifyDetached(apart, payload: payload + [0])
        }
        expectRejection("malformed") { _ = try verifier.verify(Data([0xff, 0x2e, 0x2e])) }
    }

    @Test("plaintexts and encrypted tokens are Data") func encryption() throws {
        let encrypter = try JWEEncrypter.with(own.publicKey, .rsaOAEP256, .a128CBCHS256)
        let decrypter = try JWEDecrypter.with(own, .rsaOAEP256, .a128CBCHS256)
        let token = try encrypter.encrypt(Data([1, 2, 3]))
        #expect(try decrypter.decrypt(Data(token.utf8)).unauthenticatedPlaintext == [1, 2, 3])
        expectRejection("malformed") { _ = try decrypter.decrypt(Data()) }
    }

    @Test("JWTs with claims that are JSON already, with and without a type") func tokens() throws {
        let token = try JWTIssuer(key: key, algorithm: .rs256).issue(json: claims)
        let verifier = try JWTVerifier.checking(
            ClaimsPolicy(issuer: "me", audience: "you"),
            signature: .rs256(keys: PublicJWKSet(keys: [key])))
        #expect(try verifier.verify(Data(token.utf8))["sub"] == .string("s"))
        expectRejection("claim-rejected exp") {
            _ = try verifier.verify(
                Data(token.utf8), at: NumericDate(exactly: 4_102_444_900) ?? .latest)
        }
    }

    @Test("keys and sets as JSON Data, shared secrets as Data") func keys() throws {
        let json = try Data(key.publicJSON().utf8)
        #expect(try JWK(json: json).keyID == "sig")
        let set = Data(try JWKSet(keys: [key, own]).publicKeys.json().utf8)
        #expect(try PublicJWKSet(json: set).count == 2 && JWKSet(json: set).keys.count == 2)
        let store = try TrustStore(anchors: [] as [[UInt8]])
        #expect(try PublicJWKSet(json: set, certificates: .require(store)).skipped.count == 2)
        let secret = try JWK(symmetricKey: Data(repeating: 7, count: 32), keyID: "k")
        #expect(secret.sizeBits == 256 && secret.keyID == "k")
        expectRejection("key-unusable") { _ = try JWK(symmetricKey: Data()) }
        expectRejection("malformed") { _ = try JWK(json: Data("{".utf8)) }
        // Slices and other collections of bytes are read alike.
        let inside = Array("[\(try own.privateJSON())]".utf8)
        #expect(try JWK(json: inside.dropFirst().dropLast()).isPrivate)
        #expect(
            try PublicJWKSet(json: ContiguousArray(set)).json()
                == String(decoding: set, as: UTF8.self))
        expectRejection("malformed") { _ = try JWKSet(json: inside[..<3]) }
        expectRejection("key-unusable") {
            _ = try PublicJWKSet(json: Data(KeyText.set([own.privateJSON()]).utf8))
        }
    }

    @Test("key files and passwords are the same as Data, strings and bytes")
    func files() throws {
        let password = "geheim Ω"
        let file = try key.withPrivateKeyFile(.pem, password: password) { file in
            file.indices.map { file[$0] }
        }
        let text = String(decoding: file, as: UTF8.self)
        for contents in [
            try KeyFileContents(file, password: Array(password.utf8)),
            try KeyFileContents(file, password: password),
            try KeyFileContents(text, password: password),
            try KeyFileContents(Data(file), password: password),
            try KeyFileContents(Data(file), password: Data(password.utf8)),
        ] {
            #expect(contents.formats == [.encryptedPKCS8])
            #expect(try contents.key().thumbprint() == key.thumbprint())
        }
        expectRejection("decryption-failed") {
            _ = try KeyFileContents(Data(file), password: "geheim")
        }
        expectRejection("misuse") { _ = try KeyFileContents(Data(file)) }
        expectRejection("misuse") { _ = try KeyFileContents(text) }
        expectRejection("misuse") { _ = try key.pkcs12File(password: "") }
        let pkcs12 = try key.pkcs12File(password: password)
        #expect(
            try KeyFileContents(Data(pkcs12), password: password).key().thumbprint()
                == key.thumbprint())
    }

    @Test("certificates, anchors and revocation lists are read as Data and strings")
    func certificates() throws {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let leaf = try root.leaf(TestKeys.bare(TestKeys.signing)) { $0.serial = 5 }
        let list = try root.revocationList(
            revoked: [5], from: TestChains.now - 10, until: TestChains.now + 100)
        let now = NumericDate(exactly: TestChains.now) ?? .latest
        let certified = try TestKeys.bare(TestKeys.signing).withCertificates([Data(leaf)])
        #expect(certified.certificateChain == [leaf])
        #expect(try JWK(certificates: [Data(leaf)]).certificateChain == [leaf])
        func text(_ label: String, _ der: [UInt8]) -> String {
            "-----BEGIN \(label)-----\n\(Data(der).base64EncodedString())\n-----END \(label)-----\n"
        }
        let anchor = text("CERTIFICATE", root.certificate)
        for store in [
            try TrustStore(anchors: [anchor]), try TrustStore(anchors: [Data(root.certificate)]),
            try TrustStore(anchors: [Data(anchor.utf8)]),
        ] {
            _ = try certified.validated(by: store, purpose: .signature, at: now)
        }
        for store in [
            try TrustStore(anchors: [anchor], revocationLists: [text("X509 CRL", list)]),
            try TrustStore(anchors: [Data(root.certificate)], revocationLists: [Data(list)]),
        ] {
            expectRejection("untrusted-key", says: "revoked") {
                _ = try certified.validated(by: store, purpose: .signature, at: now)
            }
        }
        let error = expectRejection("malformed") {
            _ = try TrustStore(anchors: [Data(root.certificate), Data()])
        }
        #expect(error?.input?.description == "anchor 2")
    }
}
