// Certificates of a set in the order of a chain.

import JOSECrypto

package enum CertificateOrder {
    /// The certificates leaf first, each followed by its issuer, where all of them form exactly one
    /// chain by their names and signatures; else as they are.
    ///
    /// - Throws: `internal` without memory.
    ///
    /// More certificates than a chain can have stay as they are. Costs a parse and at most two
    /// checks of signatures for each certificate, more where several have one name.
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
