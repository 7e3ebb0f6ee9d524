// The key that signs: the order of the keys is the order of a rotation.

import JOSE
import Testing

@testable import JOSEOpenID

@Suite("Choice of the signing key")
struct SigningKeyTests {
    @Test("a new key after the old one does not sign, whichever algorithm the profile prefers")
    func order() throws {
        let old = try JWK.generate(.rsa, keyID: "old", use: .signature)
        let new = try JWK.generate(.curve(.p256), keyID: "new", use: .signature)
        for signature in [[.es256, .rs256], [.rs256, .es256]] as [[SignatureAlgorithm]] {
            let rules = AlgorithmRules(signature: signature, keyManagement: [], content: [])
            for keys in [[old, new], [new, old]] {
                let signer = try #require(OwnSigningKey.find(JWKSet(keys: keys), rules))
                #expect(signer.key.keyID == keys[0].keyID)
            }
        }
    }
}
