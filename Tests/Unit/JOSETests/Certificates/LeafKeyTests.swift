// The first certificate of x5c must contain the key of the JWK, number by number.

import JOSE
import Testing

@Suite("Certificates: the leaf's key")
struct LeafKeyTests {
    private let root: TestAuthority
    private let store: TrustStore

    init() throws {
        root = try TestAuthority(TestKeys.stranger)
        store = try TrustStore(anchors: [root.certificate])
    }

    /// The JWK's public members with a leaf for another key.
    private func key(_ key: JWK, certifiedAs other: JWK, _ chain: [[UInt8]] = []) throws -> JWK {
        let x5c = try TestChains.x5c([root.leaf(other)] + chain)
        return try JWK(json: "{\(x5c),\(key.publicJSON().dropFirst())")
    }

    private func isValid(_ key: JWK) throws -> Bool {
        _ = try store.validate(key, purpose: .signature, at: TestChains.date(TestChains.now))
        return true
    }

    private func expectOther(
        _ mine: JWK, _ other: JWK, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let error = expectRejection("key-unusable", sourceLocation: sourceLocation) {
            _ = try isValid(key(mine, certifiedAs: other))
        }
        #expect(
            error?.message == "the first certificate of x5c has another public key than the JWK",
            sourceLocation: sourceLocation)
    }

    /// The signing key's modulus with another exponent.
    private func withExponent(_ exponent: String) throws -> JWK {
        let json = try TestKeys.bare(TestKeys.signing).publicJSON()
        #expect(json.contains("\"e\":\"AQAB\""))
        return try JWK(json: json.replacing("\"e\":\"AQAB\"", with: "\"e\":\"\(exponent)\""))
    }

    @Test("RFC 7517 4.7: an RSA key must match the leaf's modulus and exponent") func rsa() throws {
        let bare = TestKeys.bare(TestKeys.signing)
        #expect(try isValid(key(bare, certifiedAs: bare)))
        try expectOther(bare, withExponent("AQAD"))
        try expectOther(withExponent("AQAD"), bare)
        try expectOther(bare, TestKeys.bare(TestKeys.client))
    }

    @Test(
        "RFC 7517 4.7: an elliptic curve key must match the leaf's curve and coordinates",
        arguments: JWKCurve.all)
    func curves(_ curve: JWKCurve) throws {
        let (mine, other) = (try JWK.generate(.curve(curve)), try JWK.generate(.curve(curve)))
        try expectOther(mine, other)
        try expectOther(mine, TestKeys.bare(TestKeys.signing))
        try expectOther(TestKeys.bare(TestKeys.signing), mine)
        guard curve == .secp256k1 else {
            #expect(try isValid(key(mine, certifiedAs: mine)))
            return
        }
        // The key is compared before the store checks its curve.
        expectRejection("key-unusable", message: "a certificate's key is too weak") {
            _ = try isValid(key(mine, certifiedAs: mine))
        }
    }

    @Test("a chain in the wrong order is reported as such, not as a wrong key")
    func order() throws {
        let bare = TestKeys.bare(TestKeys.signing)
        expectRejection(
            "untrusted-key", message: "a certificate is not followed by its issuer"
        ) {
            _ = try isValid(
                key(bare, certifiedAs: TestKeys.bare(TestKeys.client), [root.leaf(bare)]))
        }
    }
}
