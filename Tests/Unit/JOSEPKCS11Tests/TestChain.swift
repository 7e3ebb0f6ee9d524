// A key's certificate and the root that issued it, under names that no other test has.

import JOSE

struct TestChain {
    let ordered: [[UInt8]]
    var shuffled: [[UInt8]] { ordered.reversed() }

    init(for key: JWK) throws {
        let start = try NumericDate(seconds: 1_700_000_000)
        let end = try NumericDate(seconds: 4_000_000_000)
        let root = try JWK.generate(curve: .p256).selfSignedAuthority(
            subject: CertificateSubject(commonName: "root " + freshLabel()), from: start, until: end
        )
        let leaf = try key.issued(
            by: root, subject: CertificateSubject(commonName: freshLabel()), from: start, until: end
        )
        ordered = leaf.certificateChain ?? []
    }
}
