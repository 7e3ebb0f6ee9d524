// Sorts certificates from leaf to root.

import JOSECrypto

package enum CertificateOrder {
    /// Returns the certificates leaf first, if all of them form exactly one chain by names and
    /// signatures. Otherwise, or if they are too many for a chain, returns them unchanged. Costs
    /// one parse and at most two signature checks for each certificate, more if several have the
    /// same name.
    package static func leafFirst(_ certificates: [[UInt8]]) throws(JOSEError) -> [[UInt8]] {
        guard 2...CertificateChain.maxCertificates ~= certificates.count else {
            return certificates
        }
        var pool = try CertificatePool(certificates)
        let leaves = try pool.leaves()
        guard pool.unreadable.isEmpty, leaves.count == 1 else { return certificates }
        var chain = leaves
        while true {
            let next = try pool.next(after: chain)
            guard next.count == 1 else { break }
            chain += next
        }
        return chain.count == certificates.count ? chain.map { certificates[$0] } : certificates
    }
}
