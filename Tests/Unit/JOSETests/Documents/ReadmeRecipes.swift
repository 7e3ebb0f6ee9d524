// The recipes of the article on keys with certificates, compiled; ReadmeTests runs them.

import JOSE

/// Our public keys as JSON, with the chain that the CA issued for the signing key.
func publish(privateJSON: String, issuedPEM: [UInt8]) throws -> String {
    let ours = try JWKSet(json: privateJSON)
    let issued = try KeyFileContents(issuedPEM).certificates  // in any order
    let signing = try ours.key(use: .signature).withCertificates(issued)  // leaf: this key
    let others = ours.keys.filter { $0.use != .signature }
    return try JWKSet(keys: [signing] + others).publicKeys.json()  // holds nothing private
}

/// Opens tokens of a provider whose signing keys lead to this root; nothing else is ever trusted.
func trusting(rootPEM: [UInt8], theirJSON: String) throws -> JWTVerifier {
    let roots = try TrustStore(anchors: [rootPEM])  // PEM or DER
    let theirs = try PublicJWKSet(json: theirJSON, certificates: .require(roots))
    for key in theirs.skipped { print("skipped \(key)") }
    return try JWTVerifier(  // judges the chain again, by the clock, at each token
        issuer: "https://idp.example", audience: "client-1",
        signature: .required(keys: theirs, algorithms: [.rs256]))
}
