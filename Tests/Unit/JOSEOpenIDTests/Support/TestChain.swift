// A root CA, and keys with certificates that it issued or that are self-signed.

import JOSE
import JOSEOpenID

struct TestChain {
    let root: JWK
    private let subject = CertificateSubject(commonName: "peer")
    private let from = TestEnvironment.at(-100)
    private let until = TestEnvironment.at(1_000)

    init(_ key: JWK = TestKeys.unrelated) throws {
        root = try key.selfSignedAuthority(
            subject: CertificateSubject(commonName: "root"), from: from, until: until)
    }

    var anchors: [[UInt8]] { root.certificateChain ?? [] }

    func issued(_ keys: JWKSet) throws -> JWKSet {
        JWKSet(
            keys: try keys.keys.map {
                try $0.withCertificate(issuedBy: root, subject: subject, from: from, until: until)
            })
    }

    func selfSigned(_ keys: JWKSet) throws -> JWKSet {
        JWKSet(
            keys: try keys.keys.map {
                try $0.withSelfSignedCertificate(subject: subject, from: from, until: until)
            })
    }

    /// The same set, restricted to keys whose certificates chain to one of these roots.
    static func read(_ keys: JWKSet, anchors: [[UInt8]], at now: NumericDate = .testNow) throws
        -> PublicJWKSet
    {
        try PublicJWKSet(
            json: keys.publicKeys.json(), certificates: .require(TrustStore(anchors: anchors)),
            at: now)
    }
}
