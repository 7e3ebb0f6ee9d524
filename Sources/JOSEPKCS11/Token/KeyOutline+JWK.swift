// The public JWK of a token's key, with its certificates.

import JOSE
import JOSEBytes

extension KeyOutline {
    /// The public key from the token's attributes, or else from the key's certificate. Throws
    /// `keyUnusable` if they contradict each other or are incomplete.
    func publicKey(
        keyID: String?, use: KeyUse?, now: NumericDate = .now
    ) throws(JOSEError) -> JWK {
        var key = try keyFromAttributes()
        if let chain = try selectChain(for: &key, now), let made = key {
            key = try made.withCertificates(chain)
        }
        guard var key else {
            throw .keyUnusable(
                "the PKCS#11 token has neither the public key nor a certificate with it")
        }
        key.keyID = keyID
        if keyID == nil { key.keyID = try key.thumbprint() }
        key.use = use ?? (signs == (decrypts || derives) ? nil : signs ? .signature : .encryption)
        return key
    }

    /// Nil if the modulus, exponent, curve or point is missing.
    private func keyFromAttributes() throws(JOSEError) -> JWK? {
        if type == .rsa, let modulus, exponent != nil, let privateModulus,
            PublicKeyParameters.minimal(privateModulus) != PublicKeyParameters.minimal(modulus)
        {
            throw KeyOutline.otherKey
        }
        return try PublicKeyParameters(
            type: type, modulus: modulus, exponent: exponent, curve: curve, point: point
        ).publicKey()
    }

    /// The key's certificate and its issuers, as far as the token has them; nil without a
    /// certificate. If `key` is nil, sets it to the public key of the certificate.
    private func selectChain(
        for key: inout JWK?, _ now: NumericDate
    ) throws(JOSEError) -> [[UInt8]]? {
        var leaves = Set(ownCertificates)
        if let key {
            leaves = leaves.filter(key.isKey(ofCertificate:))
            guard !leaves.isEmpty || ownCertificates.isEmpty else {
                throw .keyUnusable("the certificate with the id of the PKCS#11 key has another key")
            }
        }
        guard let leaf = try KeyOutline.current(leaves, now) else { return nil }
        if key == nil {
            for other in leaves {
                let (one, two) = (
                    try CertificateOutline(leaf.span), try CertificateOutline(other.span)
                )
                guard leaf[one.publicKey] == other[two.publicKey] else {
                    throw .keyUnusable(
                        "certificates with the id of the PKCS#11 key have different keys")
                }
            }
            var certified = try JWK(certificates: [leaf])
            // Without `x5c`, which `publicKey` adds.
            certified = JWK(certified.prepared.material)
            key = certified
        }
        return try KeyOutline.buildChain(from: leaf, among: allCertificates)
    }

    /// The certificate to publish if the key has several, as after a renewal: of those that are
    /// valid now, the one with the latest `notBefore`, then with the latest `notAfter`. A single
    /// certificate is not checked: its recipients decide whether it is valid.
    static func current(
        _ leaves: Set<[UInt8]>, _ now: NumericDate
    ) throws(JOSEError) -> [UInt8]? {
        guard leaves.count > 1 else { return leaves.first }
        var best: (der: [UInt8], from: NumericDate, until: NumericDate)?
        var isAmbiguous = false
        for der in leaves {
            let outline = try CertificateOutline(der.span)
            let (from, until) = (outline.notBefore, outline.notAfter)
            guard from <= now, now <= until else { continue }
            if let best, (from, until) < (best.from, best.until) { continue }
            isAmbiguous = best.map { ($0.from, $0.until) == (from, until) } ?? false
            best = (der, from, until)
        }
        guard let best else {
            throw .keyUnusable("no certificate of the PKCS#11 key is valid now")
        }
        guard !isAmbiguous else {
            throw .keyUnusable(
                "two certificates of the PKCS#11 key have the same validity: remove one")
        }
        return best.der
    }

    /// Follows issuers, up to a root, an absent or ambiguous issuer, or `JOSELimits.chainCount`.
    private static func buildChain(
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
        "the public key of the PKCS#11 token does not match the private key")
}
