// The two parties of the demo: each has a private set and publishes a public one.

import JOSE

/// A party with its keys.
struct DemoParty {
    let name: String
    let signing: JWK
    let encryption: JWK
    /// What it publishes.
    let published: PublicJWKSet

    init(_ name: String) throws {
        self.name = name
        signing = try JWK.generate(use: .signature, algorithm: "RS256")
        encryption = try JWK.generate(use: .encryption, algorithm: "RSA-OAEP-256")
        published = try PublicJWKSet([signing, encryption])
    }

    /// The key that others encrypt to, as they read it.
    var recipient: JWTRecipient {
        get throws {
            let key = published.keys.first { $0.use == .encryption } ?? encryption.publicKey
            return try JWTRecipient(key, algorithm: .rsaOAEP256, content: .a128CBCHS256)
        }
    }

    /// Signs with this party's key.
    var issuer: JWTIssuer {
        get throws { try JWTIssuer(signingWith: signing, algorithm: .rs256, lifetimeSeconds: 300) }
    }

    /// Opens what `sender` issued for this party: encrypted to us, signed by them, for us, in time.
    func verifier(of sender: DemoParty) throws -> JWTVerifier {
        try JWTVerifier(
            issuer: .exactly(sender.name), audience: .contains(name),
            encryption: .required(
                keys: JWKSet([signing, encryption]), algorithms: [.rsaOAEP256],
                content: [.a128CBCHS256]),
            signature: .required(keys: sender.published, algorithms: [.rs256]))
    }
}

/// The claims of the demo's token.
struct DemoClaims: Codable {
    let iss: String
    let aud: String
    let sub: String
    let nonce: String
}
