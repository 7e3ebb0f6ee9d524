// The default form of the JSON serialisations: the general one, which can have several entries.

import JOSE
import Testing

@Suite("JSON serialisations: the default form")
struct DefaultFormTests {
    @Test("RFC 7516 7.2.1: recipients are written as a list, one or two", arguments: [1, 2])
    func recipients(_ count: Int) throws {
        let keys = [TestKeys.decrypting, TestKeys.large].prefix(count)
        let encrypter = try JWEJSONEncrypter(
            recipients: keys.map { try JWERecipient(key: $0.publicKey, algorithm: .rsaOAEP) },
            content: .a128CBCHS256)
        let token = try encrypter.encrypt([1])
        let value = try VectorValue(json: token)
        #expect(value["recipients"] != nil && value["encrypted_key"] == nil)
        let decrypter = try JWEDecrypter.rsa(TestKeys.decrypting)
        #expect(try decrypter.decryptJSON(token).unauthenticatedPlaintext == [1])
    }

    @Test("RFC 7515 7.2.1: signatures are written as a list", arguments: [false, true])
    func signatures(isDetached: Bool) throws {
        let signer = try JWSJSONSigner(signatories: [
            .init(signer: try JWSSigner(key: TestKeys.signing, algorithm: .rs256))
        ])
        let token = try isDetached ? signer.signDetached([1]) : signer.sign([1])
        let value = try VectorValue(json: token)
        #expect(value["signatures"] != nil && value["signature"] == nil)
    }
}
