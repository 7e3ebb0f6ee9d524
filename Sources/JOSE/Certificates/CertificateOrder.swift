// Certificates of a set in the order of a chain, by their names alone.

import JOSEBytes

package enum CertificateOrder {
    /// The certificates leaf first, each followed by its issuer, where names leave no choice; else
    /// as they are.
    ///
    /// A choice is left where two have one subject, where more than one is no issuer of another, or
    /// where one cannot be read. No signature is checked. Costs a walk over each certificate.
    package static func leafFirst(_ certificates: [[UInt8]]) -> [[UInt8]] {
        guard certificates.count > 1 else { return certificates }
        var places: [[UInt8]: Int] = [:]
        var issuers: [[UInt8]] = []
        for (index, der) in certificates.enumerated() {
            guard let outline = try? CertificateOutline(der.span) else { return certificates }
            guard places.updateValue(index, forKey: Array(der[outline.subject])) == nil else {
                return certificates
            }
            issuers.append(Array(der[outline.issuer]))
        }
        let next = issuers.enumerated().map { index, name in
            places[name].flatMap { $0 == index ? nil : $0 }
        }
        let issuing = Set(next.compactMap { $0 })
        let leaves = certificates.indices.filter { !issuing.contains($0) }
        guard leaves.count == 1 else { return certificates }
        var chain: [[UInt8]] = []
        var place: Int? = leaves[0]
        while let index = place, chain.count < certificates.count {
            chain.append(certificates[index])
            place = next[index]
        }
        return place == nil && chain.count == certificates.count ? chain : certificates
    }
}
