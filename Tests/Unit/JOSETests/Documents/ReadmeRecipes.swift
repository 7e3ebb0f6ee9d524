// The recipes of the article on keys with certificates, compiled; ReadmeTests runs them.

import JOSE

/// Returns the public keys as JSON, with the chain that the CA issued for the signing key.
func publish(privateJSON: String, issuedPEM: [UInt8]) throws -> String {
    let local = try JWKSet(json: privateJSON)
    let issued = try KeyFileContents(issuedPEM).certificates  // in any order
    let signing = try local.key(use: .signature).withCertificates(issued)
    let others = local.keys.filter { $0.use != .signature }
    return try JWKSet(keys: [signing] + others).publicKeys.json()  // nothing private
}

/// Verifies tokens of a provider whose signing keys have certificates below this root.
func trusting(rootPEM: [UInt8], theirJSON: String) throws -> JWTVerifier {
    let roots = try TrustStore(anchors: [rootPEM])  // PEM or DER
    let theirs = try PublicJWKSet(json: theirJSON, certificates: .require(roots))
    for key in theirs.skipped { print("skipped \(key)") }
    return try JWTVerifier(  // checks the validity of the chain again for each token
        issuer: "https://idp.example", audience: "client-1",
        signature: .required(keys: theirs, algorithms: [.rs256]))
}
