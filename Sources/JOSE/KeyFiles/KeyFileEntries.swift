// The keys of a file, each with its certificates and name.

import JOSEBytes
import JOSECrypto

extension KeyFileContents {
    /// A key, with its certificates and its PKCS#12 name.
    public struct Entry: Sendable {
        /// The key, with its chain as `x5c`, leaf first, if the file has one.
        public var key: JWK
        /// The friendlyName of PKCS#12, also called alias; nil if there is none. It is not used as
        /// `kid`.
        public let friendlyName: String?
    }

    /// All keys of a key file.
    public struct Entries: Sendable {
        /// The keys in the order of the file, without public keys whose private key the file has.
        /// In a file without keys: the public key of each leaf certificate.
        public private(set) var keys: [Entry] = []
        /// Parts that were left out, in addition to `KeyFileContents.warnings`.
        public private(set) var warnings: [Warning] = []
    }

    /// Returns every key of the file with its own certificates.
    ///
    /// - Parameter limits: Limits on each chain.
    /// - Throws: `keyNotFound` if there is no key and no readable certificate; `keyUnusable` if
    ///   a key has several possible certificates, or a certificate several possible issuers;
    ///   `limitExceeded` for too long a chain, or too many certificates of one name. If there are
    ///   certificates alone and none can be used, the reason for the first.
    ///
    /// The certificate of a key has its public key and, if several have it, the key's localKeyID
    /// (RFC 7292, 4.2). Issuers are found by name and signature; of several with the same key, a
    /// self-signed one is used. Certificates that belong to no key cause a warning. Usually costs
    /// up to two signature checks per certificate; more if several have one name; at most 256.
    public func entries(limits: JOSELimits = .standard) throws(JOSEError) -> KeyFileContents.Entries
    {
        try KeyFileContents.Entries(self, limits)
    }
}

extension KeyFileContents.Entries {
    fileprivate init(_ file: KeyFileContents, _ limits: JOSELimits) throws(JOSEError) {
        var pool = try CertificatePool(file.certificates)
        var isHandled = [Bool](repeating: false, count: file.certificates.count)
        for index in pool.unreadable {
            isHandled[index] = true
            warnings.append(.certificate(index, "cannot be read"))
        }
        var seen: Set<String> = []
        let privateKeys = try Set(
            file.keys.filter { $0.isPrivate && $0.keyType != .oct }.map { key throws(JOSEError) in
                try key.thumbprint()
            })
        for (index, key) in file.keys.enumerated() {
            if key.keyType != .oct {
                let thumbprint = try key.thumbprint()
                if !key.isPrivate, privateKeys.contains(thumbprint) { continue }
                guard seen.insert(thumbprint).inserted else {
                    warnings.append(
                        KeyFileContents.Warning(
                            "key \(index + 1) is in the file twice", isOmission: true))
                    continue
                }
            }
            let attributes = file.attributes(ofKey: index)
            var certified = key
            if let leaf = try KeyFileContents.Entries.leaf(of: key, &pool, attributes, file) {
                let chain = try pool.chain(from: leaf, limits)
                for certificate in chain { isHandled[certificate] = true }
                certified = try key.certified(byChain: chain.map { file.certificates[$0] })
            }
            keys.append(KeyFileContents.Entry(key: certified, friendlyName: attributes.name))
        }
        if file.keys.isEmpty { try takeCertificates(file, &pool, &isHandled, limits) }
        guard !keys.isEmpty else { throw .keyNotFound("the file has no key") }
        for index in isHandled.indices where !isHandled[index] {
            warnings.append(
                .certificate(index, "belongs to no key of the file and was left out"))
        }
    }

    /// Returns the index of the key's certificate; nil if there is none. Certificates with the
    /// key's localKeyID take precedence.
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

    /// Adds a public key for each leaf certificate.
    private mutating func takeCertificates(
        _ file: KeyFileContents, _ pool: inout CertificatePool, _ isHandled: inout [Bool],
        _ limits: JOSELimits
    ) throws(JOSEError) {
        var firstFailure: JOSEError?
        for leaf in try pool.leaves() {
            do throws(JOSEError) {
                let chain = try pool.chain(from: leaf, limits)
                let key = try JWK(
                    certificates: chain.map { file.certificates[$0] }, limits: limits)
                for certificate in chain { isHandled[certificate] = true }
                keys.append(
                    KeyFileContents.Entry(
                        key: key, friendlyName: file.attributes(ofCertificate: leaf).name)
                )
            } catch {
                guard KeyFileContents.skips(error.code) else { throw error }
                firstFailure = firstFailure ?? error
                isHandled[leaf] = true
                warnings.append(.certificate(leaf, "was left out: \(error.reason)"))
            }
        }
        if keys.isEmpty, let firstFailure { throw firstFailure }
    }
}

extension KeyFileContents.Warning {
    fileprivate static func certificate(_ index: Int, _ reason: String) -> KeyFileContents.Warning {
        KeyFileContents.Warning("certificate \(index + 1) \(reason)", isOmission: true)
    }
}
