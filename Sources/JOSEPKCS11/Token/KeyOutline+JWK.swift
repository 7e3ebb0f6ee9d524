// The public JWK of a token's key, with the certificates that lie beside it.

import JOSE
import JOSEBytes

extension KeyOutline {
    /// The public key as the token tells it; from the key's own certificate where it tells none.
    ///
    /// - Throws: `keyUnusable` where the token says two different things, or too little.
    func publicKey(
        keyID: String?, use: KeyUse?, now: NumericDate = .now
    ) throws(JOSEError) -> JWK {
        var key = try numbers()
        if let chain = try chain(for: &key, now), let made = key {
            key = try made.withCertificates(chain)
        }
        guard var key else {
            throw .keyUnusable("the PKCS#11 token does not tell the public key")
        }
        key.keyID = keyID
        if keyID == nil { key.keyID = try key.thumbprint() }
        key.use = use ?? (signs == (decrypts || derives) ? nil : signs ? .signature : .encryption)
        return key
    }

    /// The key of the numbers; nil where they are not told.
    private func numbers() throws(JOSEError) -> JWK? {
        if type == .rsa, let modulus, exponent != nil, let privateModulus,
            KeyNumbers.minimal(privateModulus) != KeyNumbers.minimal(modulus)
        {
            throw KeyOutline.otherKey
        }
        return try KeyNumbers(
            type: type, modulus: modulus, exponent: exponent, curve: curve, point: point
        ).publicKey()
    }

    /// The key's certificate and those that issued it, as far as they are in the token; nil where there is none.
    ///
    /// Where the token tells no public key, the certificate with the key's id tells it.
    private func chain(
        for key: inout JWK?, _ now: NumericDate
    ) throws(JOSEError) -> [[UInt8]]? {
        var leaves = Set(ownCertificates)
        if let key {
            leaves = leaves.filter(key.isKey(ofCertificate:))
            guard !leaves.isEmpty || ownCertificates.isEmpty else {
                throw .keyUnusable("the certificate with the id of the PKCS#11 key holds another")
            }
        }
        guard let leaf = try KeyOutline.current(leaves, now) else { return nil }
        if key == nil {
            for other in leaves {
                let (one, two) = (
                    try CertificateOutline(leaf.span), try CertificateOutline(other.span)
                )
                guard leaf[one.publicKey] == other[two.publicKey] else {
                    throw .keyUnusable("certificates with the id of the PKCS#11 key hold two keys")
                }
            }
            var plain = try JWK(certificates: [leaf])
            plain = JWK(plain.prepared.material)
            key = plain
        }
        return try KeyOutline.chain(from: leaf, among: allCertificates)
    }

    /// The certificate to show of several that hold the key, as after a renewal: of those that are valid now the one whose
    /// time began last, and of those that began together the one that lasts longest.
    ///
    /// A lone one is taken as it is: whether it is valid is for those to judge who get it.
    static func current(
        _ leaves: Set<[UInt8]>, _ now: NumericDate
    ) throws(JOSEError) -> [UInt8]? {
        guard leaves.count > 1 else { return leaves.first }
        var best: (der: [UInt8], from: NumericDate, until: NumericDate)?
        var hasTwin = false
        for der in leaves {
            let outline = try CertificateOutline(der.span)
            let (from, until) = (outline.notBefore, outline.notAfter)
            guard from <= now, now <= until else { continue }
            if let best, (from, until) < (best.from, best.until) { continue }
            hasTwin = best.map { ($0.from, $0.until) == (from, until) } ?? false
            best = (der, from, until)
        }
        guard let best else {
            throw .keyUnusable("of the certificates of the PKCS#11 key none is valid now")
        }
        guard !hasTwin else {
            throw .keyUnusable("two certificates of the PKCS#11 key are valid for the same time")
        }
        return best.der
    }

    /// Follows issuers by their names and signatures until there is none, or a root; where two fit,
    /// the chain ends before them.
    private static func chain(
        from leaf: [UInt8], among all: [[UInt8]]
    ) throws(JOSEError) -> [[UInt8]] {
        var pool = try CertificatePool([leaf] + all)
        var chain = [0]
        while chain.count < JOSELimits.standard.chainCount {
            let next = try pool.next(after: chain)
            guard next.count == 1 else { break }
            chain += next
        }
        return chain.map { pool.certificates[$0] }
    }

    static let otherKey = JOSEError.keyUnusable(
        "the public key of the PKCS#11 token does not fit the private one")
}
