// A key's certificate and its issuing root, under names that no other test uses.

import JOSE

struct TestChain {
    let ordered: [[UInt8]]
    var shuffled: [[UInt8]] { ordered.reversed() }

    init(
        for key: JWK, from: Int64 = 1_700_000_000, until: Int64 = 4_000_000_000
    ) throws {
        let (start, end) = (try NumericDate(seconds: from), try NumericDate(seconds: until))
        let root = try JWK.generate(.curve(.p256)).selfSignedAuthority(
            subject: CertificateSubject(commonName: "root " + freshLabel()), from: start, until: end
        )
        let leaf = try key.withCertificate(
            issuedBy: root, subject: CertificateSubject(commonName: freshLabel()), from: start,
            until: end
        )
        ordered = leaf.certificateChain ?? []
    }
}
