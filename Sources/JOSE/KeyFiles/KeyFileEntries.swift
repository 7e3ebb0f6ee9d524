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
    /// What was left out, besides `KeyFileContents.remarks`.
    public private(set) var remarks: [KeyFileRemark] = []
}

extension KeyFileContents {
    /// Every key of the file with its own certificates.
    ///
    /// - Parameter limits: Bounds on each chain.
    /// - Throws: `keyNotFound` where there is neither a key nor a certificate, `keyUnusable` where
    ///   certificates alone hold no key that can be used, `limitExceeded` for a chain that is too
    ///   long.
    ///
    /// The certificate of a key holds its public key; of several, the one with the key's localKeyID
    /// (RFC 7292, 4.2) is taken, else the first. Its issuers are found by name and signature.
    /// Certificates that belong to no key are remarked. Costs at most one check of a signature for
    /// each certificate of each key.
    public func entries(limits: JOSELimits = .standard) throws(JOSEError) -> KeyFileEntries {
        try KeyFileEntries(self, limits)
    }
}

extension KeyFileEntries {
    fileprivate init(_ file: KeyFileContents, _ limits: JOSELimits) throws(JOSEError) {
        let pool = CertificatePool(file.certificates)
        var isUsed = [Bool](repeating: false, count: file.certificates.count)
        for place in pool.unreadable {
            isUsed[place] = true
            remark(.certificate(place, "cannot be read"))
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
                    remark(
                        KeyFileRemark(
                            "key \(index + 1) is in the file twice", isOmission: true))
                    continue
                }
            }
            let attributes = file.keyAttributes[index]
            var certified = key
            if let leaf = pool.leaf(of: key, attributes, file.certificateAttributes) {
                let chain = try pool.chain(from: leaf, limits)
                for place in chain { isUsed[place] = true }
                certified = try key.certified(
                    by: chain.map { file.certificates[$0] }, limits: limits)
            }
            keys.append(KeyFileEntry(key: certified, friendlyName: attributes.name))
        }
        if file.keys.isEmpty { try takeCertificates(file, pool, &isUsed, limits) }
        guard !keys.isEmpty else { throw .keyNotFound("the file holds no key") }
        for place in isUsed.indices where !isUsed[place] {
            remark(.certificate(place, "belongs to no key of the file and was left out"))
        }
    }

    private mutating func remark(_ remark: KeyFileRemark) { remarks.append(remark) }

    /// Makes a public key of each certificate that issued none of the others.
    private mutating func takeCertificates(
        _ file: KeyFileContents, _ pool: CertificatePool, _ isUsed: inout [Bool],
        _ limits: JOSELimits
    ) throws(JOSEError) {
        var first: JOSEError?
        for place in pool.leaves {
            do throws(JOSEError) {
                let chain = try pool.chain(from: place, limits)
                let key = try JWK(
                    certificates: chain.map { file.certificates[$0] }, limits: limits)
                for place in chain { isUsed[place] = true }
                keys.append(
                    KeyFileEntry(key: key, friendlyName: file.certificateAttributes[place].name))
            } catch {
                guard KeyFileContents.skips(error.code) else { throw error }
                first = first ?? error
                isUsed[place] = true
                remark(.certificate(place, "was left out: \(error.reason)"))
            }
        }
        if keys.isEmpty, let first { throw first }
    }
}

extension KeyFileRemark {
    fileprivate static func certificate(_ place: Int, _ reason: String) -> KeyFileRemark {
        KeyFileRemark("certificate \(place + 1) \(reason)", isOmission: true)
    }
}

/// The certificates of a file by their names.
private struct CertificatePool {
    private let certificates: [[UInt8]]
    private var outlines: [CertificateOutline?] = []
    private var bySubject: [[UInt8]: [Int]] = [:]

    init(_ certificates: [[UInt8]]) {
        self.certificates = certificates
        for (place, der) in certificates.enumerated() {
            let outline = try? CertificateOutline(der.span)
            outlines.append(outline)
            if let outline { bySubject[Array(der[outline.subject]), default: []].append(place) }
        }
    }

    var unreadable: [Int] { outlines.indices.filter { outlines[$0] == nil } }

    /// Those whose name no other one has as its issuer; all that can be read where each issued
    /// another.
    var leaves: [Int] {
        var issuers: Set<[UInt8]> = []
        for (place, outline) in outlines.enumerated() {
            let der = certificates[place]
            guard let outline, !outline.isSelfIssued(der.span) else { continue }
            issuers.insert(Array(der[outline.issuer]))
        }
        let readable = outlines.indices.filter { outlines[$0] != nil }
        let found = readable.filter { place in
            outlines[place].map { !issuers.contains(Array(certificates[place][$0.subject])) }
                ?? false
        }
        return found.isEmpty ? readable : found
    }

    /// The certificate of a key: the one with its localKeyID, or the first with its public key.
    func leaf(
        of key: JWK, _ own: KeyFileContents.Attributes, _ all: [KeyFileContents.Attributes]
    ) -> Int? {
        var fitting: [Int] = []
        for (place, outline) in outlines.enumerated() {
            guard let outline else { continue }
            let der = certificates[place]
            if key.prepared.material.isKey(inSPKI: der.span.extracting(outline.publicKey)) {
                fitting.append(place)
            }
        }
        guard !own.localKeyID.isEmpty else { return fitting.first }
        return fitting.first { all[$0].localKeyID == own.localKeyID } ?? fitting.first
    }

    /// The certificate, its issuer, and so on, as far as the file has them: found by name, and of
    /// several by signature.
    func chain(from leaf: Int, _ limits: JOSELimits) throws(JOSEError) -> [Int] {
        var chain = [leaf]
        while let last = chain.last, let outline = outlines[last] {
            let der = certificates[last]
            guard !outline.isSelfIssued(der.span) else { break }
            var next: Int?
            for place in bySubject[Array(der[outline.issuer])] ?? []
            where next == nil && !chain.contains(place) {
                if try CertificateMembers.parse([der, certificates[place]]).isOrdered {
                    next = place
                }
            }
            guard let next else { break }
            guard chain.count < limits.chainCount else {
                throw .limitExceeded(
                    .certificate,
                    "the chain has more than {} certificates (JOSELimits.chainCount)",
                    .number(limits.chainCount))
            }
            chain.append(next)
        }
        return chain
    }
}
