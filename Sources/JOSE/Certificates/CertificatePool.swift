// Finds the issuers of certificates by name and signature.

import JOSEBytes
import JOSECrypto

/// Certificates of a file or a PKCS#11 token in any order, with their issuers.
///
/// Issuers are found by name (RFC 5280, 7.1) and signature. The name alone counts only if libcrypto
/// does not know the signature algorithm. Nothing becomes trusted: dates, extensions and key sizes
/// are ignored. A signature is checked once with each certificate that has the issuer's name.
package struct CertificatePool {
    package static let maxSignatureChecks = 256

    package let certificates: [[UInt8]]
    /// Nil for an unreadable certificate.
    private(set) var outlines: [CertificateOutline?] = []
    private(set) var firstFailure: JOSEError?

    /// Nil for duplicates and unreadable certificates. All nil for a pool of one certificate.
    private var parsed: [CertificateChain?]
    /// The indices of the parsed certificates, sorted by subject.
    private var bySubject: [Int] = []
    private var known: [Issuers?]
    private var checkCount = 0

    private struct Issuers {
        var isSelfSigned = false
        /// The certificates whose key verifies the signature; if several, all have the same key.
        var proved: [Int] = []
        /// The certificates with the issuer's name, if libcrypto does not know the signature
        /// algorithm.
        var possible: [Int] = []
    }

    package init(_ certificates: [[UInt8]]) throws(JOSEError) {
        self.certificates = certificates
        parsed = Array(repeating: nil, count: certificates.count)
        known = Array(repeating: nil, count: certificates.count)
        var seen: Set<[UInt8]> = []
        for (index, der) in certificates.enumerated() {
            do throws(JOSEError) {
                outlines.append(try CertificateOutline(der.span))
                guard certificates.count > 1, seen.insert(der).inserted else { continue }
                guard StrictDER.isOneValue(der.span) else {
                    throw .malformed(.certificate, "a certificate is not one DER value")
                }
                parsed[index] = try CertificateMembers.parse([der])
                bySubject.append(index)
            } catch {
                guard error.code != .internal else { throw error }
                if outlines.count == index { outlines.append(nil) } else { outlines[index] = nil }
                firstFailure = firstFailure ?? error
            }
        }
        let chains = parsed
        bySubject.sort { a, b in
            guard let one = chains[a], let other = chains[b] else { return false }
            let order = one.order(against: other)
            return order == 0 ? a < b : order < 0
        }
    }

    package var unreadable: [Int] { outlines.indices.filter { outlines[$0] == nil } }

    /// Returns the indices of the certificates that issued no other one, or of all certificates if
    /// each issued another one. Of duplicates only the first counts.
    package mutating func leaves() throws(JOSEError) -> [Int] {
        guard certificates.count > 1 else { return outlines.indices.filter { outlines[$0] != nil } }
        let indexes = bySubject.sorted()
        var issuing: Set<Int> = []
        for index in indexes { issuing.formUnion(try issuers(of: index).proved) }
        let leaves = indexes.filter { !issuing.contains($0) }
        return leaves.isEmpty ? indexes : leaves
    }

    /// Returns the indices of the certificates of a key; duplicates count once.
    func holders(of key: any KeyMaterial) -> [Int] {
        var holders: [Int] = []
        for (index, outline) in outlines.enumerated() {
            guard let outline else { continue }
            let der = certificates[index]
            guard key.isKey(inSPKI: der.span.extracting(outline.publicKey)),
                !holders.contains(where: { certificates[$0] == der })
            else { continue }
            holders.append(index)
        }
        return holders
    }

    /// Returns the one of `holders`, certificates of one key, that issued no other holder; nil if
    /// `holders` is empty. A self-signed certificate may have issued a second one for its own key.
    /// Throws `keyUnusable` if several holders issued no other holder, or if each issued another.
    mutating func leaf(of holders: [Int]) throws(JOSEError) -> Int? {
        guard holders.count > 1 else { return holders.first }
        var issuing: Set<Int> = []
        for index in holders { issuing.formUnion(try issuers(of: index).proved) }
        let leaves = holders.filter { !issuing.contains($0) }
        guard leaves.count == 1 else {
            throw CertificatePool.severalLeaves(leaves.count > 1 ? leaves : holders)
        }
        return leaves.first
    }

    private static func severalLeaves(_ indexes: [Int]) -> JOSEError {
        .keyUnusable(
            "certificates {} and {} both hold this key; remove the wrong one",
            .number(indexes[0] + 1), .number(indexes[1] + 1))
    }

    /// Follows issuers as far as the pool has them. Throws `keyUnusable` if `next(after:)` returns
    /// several, `limitExceeded` if the chain is too long or needs too many signature checks.
    package mutating func chain(
        from leaf: Int, _ limits: JOSELimits
    ) throws(JOSEError) -> [Int] {
        var chain = [leaf]
        while true {
            let next = try next(after: chain)
            guard next.count <= 1 else {
                throw .keyUnusable(
                    """
                    certificates {} and {} may both be the issuer of certificate {}; remove the \
                    wrong one
                    """, .number(next[0] + 1), .number(next[1] + 1),
                    .number((chain.last ?? leaf) + 1))
            }
            guard let issuer = next.first else { return chain }
            guard chain.count < limits.chainCount else {
                throw .limitExceeded(
                    .certificate,
                    "the chain has more than {} certificates (JOSELimits.chainCount)",
                    .number(limits.chainCount))
            }
            chain.append(issuer)
        }
    }

    /// Returns the indices of the certificates that may follow in a chain: none, one, or several.
    /// If several have the same name and key (cross-certification) and exactly one is self-signed,
    /// returns the self-signed one: only the holder of the key can have made it.
    package mutating func next(after chain: [Int]) throws(JOSEError) -> [Int] {
        guard let last = chain.last else { return [] }
        let issuers = try issuers(of: last)
        let proved = issuers.proved.filter { !chain.contains($0) }
        guard issuers.proved.isEmpty else {
            guard proved.count > 1 else { return proved }
            var roots: [Int] = []
            for index in proved where try self.issuers(of: index).isSelfSigned {
                roots.append(index)
            }
            return roots.count == 1 ? roots : proved
        }
        return issuers.possible.filter { !chain.contains($0) }
    }

    private mutating func issuers(of index: Int) throws(JOSEError) -> Issuers {
        if let issuers = known[index] { return issuers }
        var issuers = Issuers()
        if let certificate = parsed[index] {
            // A chain ends at a self-signed certificate, and at a self-issued one (RFC 5280, 3.2)
            // if libcrypto does not know its signature algorithm.
            var isLast = false
            if certificate.order(byIssuer: true, against: certificate) == 0 {
                let isOwn = try isIssued(certificate, by: certificate)
                issuers.isSelfSigned = isOwn == true
                isLast = isOwn != false
            }
            if !isLast {
                for candidate in named(byIssuerOf: certificate) where candidate != index {
                    guard let issuer = parsed[candidate] else { continue }
                    switch try isIssued(certificate, by: issuer) {
                    case true: issuers.proved.append(candidate)
                    case nil: issuers.possible.append(candidate)
                    default: break
                    }
                }
            }
        }
        known[index] = issuers
        return issuers
    }

    private mutating func isIssued(
        _ certificate: CertificateChain, by issuer: CertificateChain
    ) throws(JOSEError) -> Bool? {
        guard checkCount < CertificatePool.maxSignatureChecks else {
            throw .limitExceeded(
                .certificate,
                """
                sorting the certificates needs more than {} signature checks: too many have the \
                same name
                """, .number(CertificatePool.maxSignatureChecks))
        }
        checkCount += 1
        do {
            return try certificate.isIssued(by: issuer)
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }

    /// Returns the certificates with the issuer's name, by binary search in `bySubject`.
    private func named(byIssuerOf certificate: CertificateChain) -> ArraySlice<Int> {
        func firstIndex(_ isAfter: (Int) -> Bool) -> Int {
            var (low, high) = (0, bySubject.count)
            while low < high {
                let middle = (low + high) / 2
                let order = parsed[bySubject[middle]].map {
                    certificate.order(byIssuer: true, against: $0)
                }
                if isAfter(order ?? 0) { low = middle + 1 } else { high = middle }
            }
            return low
        }
        let start = firstIndex { $0 > 0 }
        return bySubject[start..<max(start, firstIndex { $0 >= 0 })]
    }
}
