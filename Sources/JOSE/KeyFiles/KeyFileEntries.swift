// The keys of a file with what belongs to each: its certificates and its name.

import JOSEBytes
import JOSECrypto

/// One key of a key file.
public struct KeyFileEntry: Sendable {
    /// The key, with its chain as `x5c`, leaf first, where the file has one.
    public var key: JWK
    /// The friendlyName of PKCS#12, which other programs call alias; nil where there is none. Never
    /// the `kid` by itself.
    public let friendlyName: String?
}

/// All keys of a key file, and what belongs to none of them.
public struct KeyFileEntries: Sendable {
    /// The keys in the file's order. A public key is left out where its private key is there too.
    /// Where there are no keys, each certificate that issued no other is one.
    public private(set) var keys: [KeyFileEntry] = []
    /// What was left out, besides `KeyFileContents.warnings`.
    public private(set) var warnings: [KeyFileWarning] = []
}

extension KeyFileContents {
    /// Every key of the file with its own certificates.
    ///
    /// - Parameter limits: Bounds on each chain.
    /// - Throws: `keyNotFound` where there is neither a key nor a certificate, `keyUnusable` where
    ///   certificates alone hold no key that can be used, or where several might be the key's own
    ///   or the next of its chain, `limitExceeded` for a chain that is too long or for too many
    ///   certificates of one name.
    ///
    /// The certificate of a key holds its public key; of several, the one with the key's localKeyID
    /// (RFC 7292, 4.2) is taken. Its issuers are found by name and signature; of several with one
    /// key, a self-signed one is taken. Certificates that belong to no key are remarked. Costs at
    /// most two checks of signatures for each certificate, more where several have one name, and
    /// 256 in all.
    public func entries(limits: JOSELimits = .standard) throws(JOSEError) -> KeyFileEntries {
        try KeyFileEntries(self, limits)
    }
}

extension KeyFileEntries {
    fileprivate init(_ file: KeyFileContents, _ limits: JOSELimits) throws(JOSEError) {
        var pool = try CertificatePool(file.certificates)
        var isUsed = [Bool](repeating: false, count: file.certificates.count)
        for place in pool.unreadable {
            isUsed[place] = true
            warning(.certificate(place, "cannot be read"))
        }
        var seen: Set<String> = []
        let privateKeys = try Set(
            file.keys.filter { $0.isPrivate && $0.keyType != .oct }.map { key throws(JOSEError) in
                try key.thumbprint()
            })
        for (index, key) in file.keys.enumerated() {
            if key.keyType != .oct {
                let name = try key.thumbprint()
                if !key.isPrivate, privateKeys.contains(name) { continue }
                guard seen.insert(name).inserted else {
                    warning(
                        KeyFileWarning(
                            "key \(index + 1) is in the file twice", isOmission: true))
                    continue
                }
            }
            let attributes = file.attributes(ofKey: index)
            var certified = key
            if let leaf = try KeyFileEntries.leaf(of: key, &pool, attributes, file) {
                let chain = try pool.chain(from: leaf, limits)
                for place in chain { isUsed[place] = true }
                certified = try key.certified(byChain: chain.map { file.certificates[$0] })
            }
            keys.append(KeyFileEntry(key: certified, friendlyName: attributes.name))
        }
        if file.keys.isEmpty { try takeCertificates(file, &pool, &isUsed, limits) }
        guard !keys.isEmpty else { throw .keyNotFound("the file holds no key") }
        for place in isUsed.indices where !isUsed[place] {
            warning(.certificate(place, "belongs to no key of the file and was left out"))
        }
    }

    /// The place of the certificate of a key; nil where there is none.
    ///
    /// Certificates with the key's localKeyID go before others, and never stand for another key.
    private static func leaf(
        of key: JWK, _ pool: inout CertificatePool, _ own: KeyFileContents.Attributes,
        _ file: KeyFileContents
    ) throws(JOSEError) -> Int? {
        let holders = pool.holders(of: key.prepared.material)
        let marked =
            own.localKeyID.isEmpty
            ? []
            : holders.filter {
                file.attributes(ofCertificate: $0).localKeyID == own.localKeyID
            }
        return try pool.leaf(of: marked.isEmpty ? holders : marked)
    }

    private mutating func warning(_ warning: KeyFileWarning) { warnings.append(warning) }

    /// Makes a public key of each certificate that issued none of the others.
    private mutating func takeCertificates(
        _ file: KeyFileContents, _ pool: inout CertificatePool, _ isUsed: inout [Bool],
        _ limits: JOSELimits
    ) throws(JOSEError) {
        var first: JOSEError?
        for place in try pool.leaves() {
            do throws(JOSEError) {
                let chain = try pool.chain(from: place, limits)
                let key = try JWK(
                    certificates: chain.map { file.certificates[$0] }, limits: limits)
                for place in chain { isUsed[place] = true }
                keys.append(
                    KeyFileEntry(key: key, friendlyName: file.attributes(ofCertificate: place).name)
                )
            } catch {
                guard KeyFileContents.skips(error.code) else { throw error }
                first = first ?? error
                isUsed[place] = true
                warning(.certificate(place, "was left out: \(error.reason)"))
            }
        }
        if keys.isEmpty, let first { throw first }
    }
}

extension KeyFileWarning {
    fileprivate static func certificate(_ place: Int, _ reason: String) -> KeyFileWarning {
        KeyFileWarning("certificate \(place + 1) \(reason)", isOmission: true)
    }
}
