// The calls of the page "Migrating from JWSETKit", by their numbers, and tokens in both directions.

import Foundation
import JOSE
import JWSETKit

func jwsetKit() throws {
    let claims = try JSONWebTokenClaims {  // 1
        $0.issuer = "https://op.example"
        $0.audience = ["app"]
        $0.subject = "zoe"
        $0.expiry = Date(timeIntervalSinceNow: 300)
    }
    let key = try JSONWebECPrivateKey(algorithm: .ecdsaSignatureP256SHA256)
    let der = try key.exportKey(format: .pkcs8)
    do {
        _ = try JSONWebECPrivateKey(importing: der, format: .pkcs8)  // 2
    } catch {
        // JWSETKit 2.2.0 with swift-crypto 4.5.0, though OpenSSL and this library read the key.
        report("JWSETKit rejects its own PKCS #8: \(error)")
    }
    let theirs = try JSONWebToken(  // 3
        payload: claims, algorithm: .ecdsaSignatureP256SHA256, using: key
    ).description

    // Ours reads theirs: the key as PKCS#8.
    let ours = try KeyFileContents(Array(der)).key()
    let verifier = try JWTVerifier(
        issuer: "https://op.example", audience: "app",
        signature: .required(key: ours, algorithms: [.es256]))
    try check(verifier.verify(theirs).subject == "zoe", "a token of JWSETKit")
    try check(rejects { try verifier.verify(damaged(theirs)) }, "a damaged token of JWSETKit")

    // Theirs reads ours: the key as a key set.
    var signing = ours
    signing.keyID = "e-1"
    signing.algorithm = .es256
    let keys = try JSONDecoder().decode(  // 4
        JSONWebKeySet.self, from: Data(PublicJWKSet(keys: [signing.publicKey]).json().utf8))
    let issued = try JWTIssuer(key: signing, algorithm: .es256, lifetime: .seconds(300))
        .issue(Session.sample)
    let read = try JSONWebToken(from: issued)
    try read.verifySignature(using: keys)  // 5
    try read.verifyDate(Date())
    try read.payload.value.verifyAudience(includes: "app")
    try read.verify(using: keys, for: "app")  // 6
    try check(read.payload.value.subject == "zoe", "a token of ours at JWSETKit")
    try check(
        rejects { try JSONWebToken(from: damaged(issued)).verifySignature(using: keys) },
        "a damaged token of ours at JWSETKit")

    // Several signatures as JSON, and a detached payload.
    let text = Array("a message".utf8)
    var signers = [key, try JSONWebECPrivateKey(algorithm: .ecdsaSignatureP256SHA256)]
    signers[0].keyId = "e-1"
    signers[1].keyId = "e-2"
    var several = try JSONWebSignaturePlain(
        signatures: ["e-1", "e-2"].map {
            try JSONWebSignatureHeader(
                protected: JOSEHeader(
                    algorithm: JSONWebSignatureAlgorithm.ecdsaSignatureP256SHA256, type: .jose,
                    keyId: $0), signature: Data())
        }, payload: ProtectedDataWebContainer(encoded: Data(text)))
    try several.updateSignature(using: signers)  // 7
    var second = try KeyFileContents(Array(signers[1].exportKey(format: .pkcs8))).key()
    second.keyID = "e-2"
    let both = try JWSVerifier(
        keys: PublicJWKSet(keys: [signing.publicKey, second.publicKey]), algorithms: [.es256])
    func written(_ format: JSONWebSignatureRepresentation) throws -> String {
        let encoder = JSONEncoder()
        encoder.userInfo[.jwsEncodedRepresentation] = format
        return String(decoding: try encoder.encode(several), as: UTF8.self)
    }
    try check(
        both.verifyJSON(written(.jsonGeneral), requiring: .each(of: ["e-1", "e-2"])).payload
            == text, "two signatures of JWSETKit")
    let detached = try JSONDecoder().decode(  // 8
        String.self, from: Data(written(.compactDetached).utf8))
    _ = try both.verifyDetached(detached, payload: text)
    try check(
        rejects { try both.verifyDetached(detached, payload: text + [0]) },
        "a detached payload of JWSETKit, and another payload")
    let general = try JWSJSONSigner(
        signatories: [signing, second].map {
            try .init(signer: JWSSigner(key: $0, algorithm: .es256))
        }
    ).sign(text)
    let theirKeys = try JSONDecoder().decode(
        JSONWebKeySet.self,
        from: Data(PublicJWKSet(keys: [signing.publicKey, second.publicKey]).json().utf8))
    try JSONDecoder().decode(JSONWebSignaturePlain.self, from: Data(general.utf8))
        .verifySignature(using: theirKeys)
    report("passed: two signatures of ours at JWSETKit")

    // Encrypted messages: RSA-OAEP-256 with A256GCM.
    let recipient = try JOSE.JWK.generate(.rsa, use: .encryption)
    let public_ = try JSONDecoder().decode(
        JSONWebRSAPublicKey.self, from: Data(recipient.publicJSON().utf8))
    let sealed = try JSONWebEncryption(  // 9
        content: Data(text), keyEncryptingAlgorithm: .rsaEncryptionOAEPSHA256,
        keyEncryptionKey: public_, contentEncryptionAlgorithm: .aesEncryptionGCM256)
    let opened = try JWEDecrypter(
        key: recipient, algorithms: [.rsaOAEP256], content: [.a256GCM]
    ).decrypt(String(sealed))
    try check(opened.unauthenticatedPlaintext == text, "a JWE of JWSETKit")
    let private_ = try JSONDecoder().decode(
        JSONWebRSAPrivateKey.self, from: Data(recipient.privateJSON().utf8))
    let made = try JWEEncrypter(
        key: recipient.publicKey, algorithm: .rsaOAEP256, content: .a256GCM
    ).encrypt(text)
    try check(
        JSONWebEncryption(from: made).decrypt(using: private_) == Data(text),  // 10
        "a JWE of ours at JWSETKit")
}
