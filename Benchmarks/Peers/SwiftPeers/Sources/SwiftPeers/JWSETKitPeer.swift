// JWSETKit: keys as JSONWebKeySet. Claims are read by name; there is no type for them.

import Foundation
import JWSETKit

func jwsetKitOperations(_ inputs: Inputs) throws -> [Operation] {
    let decoder = JSONDecoder()
    let verifying = try decoder.decode(
        JSONWebRSAPublicKey.self, from: inputs.data("sig-public.json"))
    let signing = try decoder.decode(
        JSONWebRSAPrivateKey.self, from: inputs.data("sig-private.json"))
    let encrypting = try decoder.decode(
        JSONWebRSAPublicKey.self, from: inputs.data("enc-public.json"))
    let decrypting = try decoder.decode(
        JSONWebRSAPrivateKey.self, from: inputs.data("enc-private.json"))
    let token = try inputs.text("jws.txt")
    let nested = try inputs.text("nested.txt")
    let set = try inputs.data("jwks10.json")
    let claims = try inputs.data("claims.json")
    let payloads = (try inputs.data("payload-600.txt"), try inputs.data("payload-65536.txt"))
    let sealed = (try inputs.text("jwe-600.txt"), try inputs.text("jwe-65536.txt"))

    func verified(_ token: String) throws -> JSONWebToken {
        let jwt = try JSONWebToken(from: token)
        try jwt.verifySignature(using: verifying)
        return jwt
    }
    func checked(_ token: String) throws {
        let jwt = try verified(token)
        try jwt.payload.value.verifyDate(Date())
        try jwt.payload.value.verifyAudience(includes: IDTokenClaims.audience)
        guard jwt.payload.value.issuer == IDTokenClaims.issuer else { throw Failure("iss") }
    }
    func encrypted(_ content: Data) throws -> String {
        try String(
            JSONWebEncryption(
                content: content, keyEncryptingAlgorithm: .rsaEncryptionOAEP,
                keyEncryptionKey: encrypting, contentEncryptionAlgorithm: .aesEncryptionCBC128SHA256
            ))
    }
    func decrypted(_ text: String) throws -> Data {
        try JSONWebEncryption(from: text).decrypt(using: decrypting)
    }
    func signed() throws -> String {
        try String(
            JSONWebSignaturePlain(
                payload: claims, algorithm: .rsaSignaturePKCS1v15SHA256, using: signing))
    }
    return [
        (
            "verify",
            { try JSONWebSignaturePlain(from: token).verifySignature(using: verifying) }
        ),
        ("claims", { try checked(token) }),
        ("sign", { _ = try signed() }),
        ("encrypt-600", { _ = try encrypted(payloads.0) }),
        ("encrypt-64k", { _ = try encrypted(payloads.1) }),
        ("decrypt-600", { _ = try decrypted(sealed.0) }),
        ("decrypt-64k", { _ = try decrypted(sealed.1) }),
        ("nested-make", { _ = try encrypted(Data(signed().utf8)) }),
        ("nested-open", { try checked(String(decoding: decrypted(nested), as: UTF8.self)) }),
        (
            "set-pick",
            {
                let keys = try decoder.decode(JSONWebKeySet.self, from: set)
                guard keys[keyId: "sig-2048"] != nil else { throw Failure("no key") }
            }
        ),
    ]
}
