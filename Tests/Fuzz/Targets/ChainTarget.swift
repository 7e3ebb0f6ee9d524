// Certificate chains: only the certificates that were really issued are ever trusted.

import JOSE
import JOSEBytes

extension FuzzTarget {
    /// Input: a byte whose low bit selects the purpose, then certificates, each preceded by its
    /// size in two bytes.
    static let chain = FuzzTarget("chain") { bytes in
        guard let first = bytes.first else { return }
        var chain: [[UInt8]] = []
        var rest = bytes.dropFirst()
        while rest.count >= 2, chain.count < 6 {
            let size = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            chain.append(Array(rest.dropFirst(2).prefix(size)))
            rest = rest.dropFirst(2 + size)
        }
        let purpose: CertificatePurpose = first & 1 == 0 ? .signature : .encryption
        let report = try accepted { try store.report(chain, purpose: purpose, at: now) }
        let key = try bounded(bytes) { try JWK(certificates: chain) }
        guard let key else { return }
        _ = try accepted { try key.withCertificates(chain) }
        let again = try JWK(json: key.publicJSON())
        try hold(again.certificateChain == chain, "the chain changes in JSON")
        let trusted = try accepted { try key.validated(by: store, purpose: purpose, at: now) }
        try hold(
            (trusted != nil) == (report?.error == nil && report != nil), "the report says otherwise"
        )
        guard trusted != nil else { return }
        for certificate in chain {
            try hold(
                Known.certificates.contains(certificate),
                "a certificate was trusted that nobody issued")
        }
    }

    private static let now = NumericDate(exactly: 1_760_000_000) ?? .earliest
    private static let store: TrustStore = {
        do {
            return try TrustStore(anchors: Known.anchors)
        } catch {
            preconditionFailure("the vectors' anchors: \(error)")
        }
    }()
}
