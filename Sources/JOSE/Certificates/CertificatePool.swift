// Certificates of a file or a token, and which of them issued which: by name and signature.

import JOSEBytes
import JOSECrypto

/// Certificates in any order. Issuers are found by their names (RFC 5280, 7.1) and by the
/// signatures, so that a certificate that only bears a name changes nothing. Nothing is trusted by
/// it: dates, extensions and strength do not count.
///
/// Each certificate is parsed once. Each signature is checked once, and only where names fit.
package struct CertificatePool {
    /// The most signatures that are checked for one pool.
    package static let maxSignatureChecks = 256

    package let certificates: [[UInt8]]
    /// The fields of each; nil where it cannot be read.
    private(set) var outlines: [CertificateOutline?] = []
    /// Why the first certificate that cannot be read cannot be.
    private(set) var firstFailure: JOSEError?

    /// Nil for a second copy, for one that cannot be parsed, and where there is only one.
    private var parsed: [CertificateChain?]
    /// The places of those, by their subjects.
    private var bySubject: [Int] = []
    private var known: [Issuers?]
    private var checkCount = 0

    /// Who issued a certificate.
    private struct Issuers {
        var isSelfSigned = false
        /// Those whose key made the signature; of several all hold one key.
        var proved: [Int] = []
        /// Those of the name, where libcrypto does not know the algorithm of the signature.
        var possible: [Int] = []
    }

    /// - Throws: `internal` without memory.
    package init(_ certificates: [[UInt8]]) throws(JOSEError) {
        self.certificates = certificates
        parsed = Array(repeating: nil, count: certificates.count)
        known = Array(repeating: nil, count: certificates.count)
        var seen: Set<[UInt8]> = []
        for (place, der) in certificates.enumerated() {
            do throws(JOSEError) {
                outlines.append(try CertificateOutline(der.span))
                guard certificates.count > 1, seen.insert(der).inserted else { continue }
                guard StrictDER.isOneValue(der.span) else {
                    throw .malformed(.certificate, "a certificate is not one DER value")
                }
                parsed[place] = try CertificateMembers.parse([der])
                bySubject.append(place)
            } catch {
                guard error.code != .internal else { throw error }
                if outlines.count == place { outlines.append(nil) } else { outlines[place] = nil }
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

    /// The places of certificates that cannot be read.
    package var unreadable: [Int] { outlines.indices.filter { outlines[$0] == nil } }

    /// The places of those that issued no other one; of all where each issued another.
    /// Of equal ones the first is named.
    ///
    /// - Throws: `limitExceeded` where this takes too many checks of signatures.
    package mutating func leaves() throws(JOSEError) -> [Int] {
        guard certificates.count > 1 else { return outlines.indices.filter { outlines[$0] != nil } }
        let places = bySubject.sorted()
        var issuing: Set<Int> = []
        for place in places { issuing.formUnion(try issuers(of: place).proved) }
        let leaves = places.filter { !issuing.contains($0) }
        return leaves.isEmpty ? places : leaves
    }

    /// The places of the certificates that hold a key; of equal ones the first.
    func holders(of key: any KeyMaterial) -> [Int] {
        var holders: [Int] = []
        for (place, outline) in outlines.enumerated() {
            guard let outline else { continue }
            let der = certificates[place]
            guard key.isKey(inSPKI: der.span.extracting(outline.publicKey)),
                !holders.contains(where: { certificates[$0] == der })
            else { continue }
            holders.append(place)
        }
        return holders
    }

    /// The place of the certificate of a key; nil where there is none. Of several it is the one
    /// that issued none of the others: an authority may certify its own key.
    ///
    /// - Throws: `keyUnusable` where two remain.
    mutating func leaf(of holders: [Int]) throws(JOSEError) -> Int? {
        guard holders.count > 1 else { return holders.first }
        var issuing: Set<Int> = []
        for place in holders { issuing.formUnion(try issuers(of: place).proved) }
        let leaves = holders.filter { !issuing.contains($0) }
        guard leaves.count == 1 else {
            throw CertificatePool.severalLeaves(leaves.count > 1 ? leaves : holders)
        }
        return leaves.first
    }

    private static func severalLeaves(_ places: [Int]) -> JOSEError {
        .keyUnusable(
            "certificates {} and {} both hold this key: remove the one that is not meant",
            .number(places[0] + 1), .number(places[1] + 1))
    }

    /// The places of a certificate, its issuer, and so on, as far as the pool has them.
    ///
    /// - Throws: `keyUnusable` where two or more certificates of one name and key might follow and
    ///   not exactly one of them is self-signed; `limitExceeded` for too long a chain, or too many
    ///   checks of signatures.
    package mutating func chain(
        from leaf: Int, _ limits: JOSELimits
    ) throws(JOSEError) -> [Int] {
        var chain = [leaf]
        while true {
            let next = try next(after: chain)
            guard next.count <= 1 else {
                throw .keyUnusable(
                    """
                    certificates {} and {} may each be the issuer of certificate {}: remove the \
                    one that is not meant
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

    /// The places of the certificates that may follow in a chain: none, one, or a choice.
    ///
    /// Of several with the same name and key, as after cross-certification, a self-signed one
    /// follows: only the holder of the key can have made it.
    package mutating func next(after chain: [Int]) throws(JOSEError) -> [Int] {
        guard let last = chain.last else { return [] }
        let issuers = try issuers(of: last)
        let proved = issuers.proved.filter { !chain.contains($0) }
        guard issuers.proved.isEmpty else {
            guard proved.count > 1 else { return proved }
            var roots: [Int] = []
            for place in proved where try self.issuers(of: place).isSelfSigned {
                roots.append(place)
            }
            return roots.count == 1 ? roots : proved
        }
        return issuers.possible.filter { !chain.contains($0) }
    }

    private mutating func issuers(of place: Int) throws(JOSEError) -> Issuers {
        if let issuers = known[place] { return issuers }
        var issuers = Issuers()
        // What is self-signed needs no other issuer; one that only says so may have one.
        if let certificate = parsed[place] {
            // By an unknown algorithm nobody can prove another issuer either: the chain ends there.
            var isLast = false
            if certificate.order(byIssuer: true, against: certificate) == 0 {
                let isOwn = try isIssued(certificate, by: certificate)
                issuers.isSelfSigned = isOwn == true
                isLast = isOwn != false
            }
            if !isLast {
                for candidate in named(byIssuerOf: certificate) where candidate != place {
                    guard let issuer = parsed[candidate] else { continue }
                    switch try isIssued(certificate, by: issuer) {
                    case true: issuers.proved.append(candidate)
                    case nil: issuers.possible.append(candidate)
                    default: break
                    }
                }
            }
        }
        known[place] = issuers
        return issuers
    }

    private mutating func isIssued(
        _ certificate: CertificateChain, by issuer: CertificateChain
    ) throws(JOSEError) -> Bool? {
        guard checkCount < CertificatePool.maxSignatureChecks else {
            throw .limitExceeded(
                .certificate,
                """
                the order of the certificates takes more than {} checks of signatures: too many \
                of them have one name
                """, .number(CertificatePool.maxSignatureChecks))
        }
        checkCount += 1
        do {
            return try certificate.isIssued(by: issuer)
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }

    /// The places whose subject is the issuer of a certificate, in order.
    private func named(byIssuerOf certificate: CertificateChain) -> ArraySlice<Int> {
        func firstPlace(_ isAfter: (Int) -> Bool) -> Int {
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
        let start = firstPlace { $0 > 0 }
        return bySubject[start..<max(start, firstPlace { $0 >= 0 })]
    }
}
