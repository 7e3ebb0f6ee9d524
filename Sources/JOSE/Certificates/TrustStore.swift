// The caller's trust anchors, and a cache of the chains that were validated with them.

import JOSEBytes
package import JOSECrypto
import Synchronization

/// The intended use of a certificate's key, which keyUsage, if present, must allow. If present,
/// extendedKeyUsage must have anyExtendedKeyUsage or emailProtection: TLS alone is not enough.
public enum CertificatePurpose: Sendable, Hashable {
    /// Signatures: digitalSignature or nonRepudiation.
    case signature
    /// Encryption: keyEncipherment for an RSA key, keyAgreement for others.
    case encryption
}

/// Trust anchors and optional revocation lists; chains are validated only against these.
///
/// A store is immutable. The system's trust store, the environment and OpenSSL's configuration are
/// never used. At most 1,024 validated chains are cached; each use checks their validity period.
public final class TrustStore: Sendable {
    private let anchors: TrustAnchors
    /// The anchors in DER, for `checkIdentity`.
    private let roots: [[UInt8]]
    /// The identity that every leaf must have; nil accepts all certificates below the anchors.
    public let identity: CertificateIdentity?
    private let cache = Lock<[CacheKey: Entry]>([:])

    private static let maxCached = 1_024

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - anchors: Certificates of certification authorities in any order. Each input is one in
    ///     DER, or up to 1,000 in PEM or PKCS#7. Without anchors every chain is rejected. A chain
    ///     ends at an anchor that it contains, or at one that issued its last certificate.
    ///   - revocationLists: Complete, direct CRLs in such inputs. If there are any, every
    ///     certificate below an anchor needs a current one.
    /// - Throws: `malformed` if an input cannot be read, an anchor is not a CA certificate or a
    ///   list violates its standard; `unsupported` for an input of another format or one of the
    ///   lists below; `limitExceeded` for too many values. The error's `input` names the input.
    ///
    /// `unsupported` are delta and indirect lists, lists for only some reasons or only attribute
    /// certificates, and lists with an unknown critical extension or a weak signature algorithm.
    ///
    /// A certificate is revoked if any list names it, whatever the list's scope. Only a newer
    /// current list of the same scope, signed by the same key, replaces a list (RFC 5280, 5 and
    /// 6.3; RFC 7468, 5 and 6).
    public init(anchors: [[UInt8]], revocationLists: [[UInt8]] = []) throws(JOSEError) {
        let roots = try InputValue.all(.anchor, in: anchors)
        let lists = try InputValue.all(.revocationList, in: revocationLists)
        do {
            self.anchors = try TrustAnchors(anchors: roots.map(\.der), crls: lists.map(\.der))
        } catch {
            throw JOSEError(error, roots + lists)
        }
        self.roots = roots.map(\.der)
        identity = nil
    }

    private init(_ store: TrustStore, _ identity: CertificateIdentity) {
        anchors = store.anchors
        roots = store.roots
        self.identity = identity
    }

    /// Returns a store with the same anchors and revocation lists that requires an identity.
    ///
    /// - Parameter identity: The required identity; it replaces the store's own.
    ///
    /// The new store has its own cache of validated chains, so keep it.
    public func restricted(to identity: CertificateIdentity) -> TrustStore {
        TrustStore(self, identity)
    }

    private func checkIdentity(_ certificates: [[UInt8]]) throws(JOSEError) {
        guard let identity else { return }
        // An anchor at the end of the chain need not have the required certificate policies.
        var isAnchored = false
        if certificates.count > 1, let last = certificates.last {
            for root in roots where equal(root.span, last.span) { isAnchored = true }
        }
        do throws(JOSEError) {
            try identity.check(isAnchored ? certificates.dropLast() : certificates[...])
        } catch {
            throw error.code == .untrustedKey
                ? error : .untrustedKey("the names in a certificate cannot be read")
        }
    }

    /// Throws as `JWK.validated(by:purpose:at:)`, and `keyUnusable` if the leaf has another key or
    /// thumbprint. A cached chain costs one comparison.
    func validate(
        _ members: CertificateMembers?, of material: any KeyMaterial, purpose: CertificatePurpose,
        at now: NumericDate
    ) throws(JOSEError) -> ValidatedChain {
        if let defect = members?.defect { throw defect.error }
        guard let members, let certificates = members.chain else {
            throw JOSEError(.untrustedKey, .certificate, "the key has no certificates (x5c)")
        }
        let cacheKey = CacheKey(members: members, purpose: purpose)
        if let entry = cache.withLock({ $0[cacheKey] }),
            entry.material.hasSamePublicKey(as: material),
            entry.chain.contains(now)
        {
            return entry.chain
        }
        try members.checkLeaf(material)
        let parsed = try CertificateMembers.parse(certificates)
        let result: ChainResult
        do {
            result = try anchors.validate(parsed, purpose.native, at: now.seconds)
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
        switch result {
        case .rejected(let failure, let index): throw JOSEError(failure, index: index)
        case .valid(let validity):
            let validated = ValidatedChain(validity, purpose)
            // Checked before caching: the cache belongs to this store and its identity.
            try checkIdentity(certificates)
            insert(cacheKey, Entry(chain: validated, material: material))
            return validated
        }
    }

    /// Validates a chain and reports in words which certificate is rejected and why; uses no cache.
    ///
    /// - Parameters:
    ///   - certificates: The chain in DER, leaf first.
    ///   - purpose: The intended use of the leaf's key.
    ///   - now: The time of validation; nil for the system clock.
    ///   - limits: The limits on the chain.
    /// - Throws: `malformed` if an entry is not a strict DER certificate, `limitExceeded` for too
    ///   many certificates, or too many DER values in one.
    public func report(
        _ certificates: [[UInt8]], purpose: CertificatePurpose, at now: NumericDate? = nil,
        limits: JOSELimits = .standard
    ) throws(JOSEError) -> Report {
        let parsed = try CertificateMembers.parse(
            CertificateMembers.checked(certificates, limits))
        do throws(CryptoError) {
            let subjects = (0..<parsed.count).map { parsed.subject($0) }
            let now = now ?? .now
            switch try anchors.validate(parsed, purpose.native, at: now.seconds) {
            case .valid(let validity):
                if let error = identityRejection(certificates) {
                    return Report(
                        subjects: subjects, error: error, certificateIndex: 0, notBefore: nil,
                        notAfter: nil, required: identity)
                }
                let chain = ValidatedChain(validity, purpose)
                return Report(
                    subjects: subjects, error: nil, certificateIndex: nil,
                    notBefore: chain.notBefore, notAfter: chain.notAfter)
            case .rejected(let failure, let index):
                return Report(
                    subjects: subjects, error: JOSEError(failure, index: index),
                    certificateIndex: index, notBefore: nil, notAfter: nil)
            }
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }

    private func identityRejection(_ certificates: [[UInt8]]) -> JOSEError? {
        do throws(JOSEError) {
            try checkIdentity(certificates)
            return nil
        } catch {
            return error
        }
    }

    private func insert(_ cacheKey: CacheKey, _ entry: Entry) {
        cache.withLock { cache in
            // Clearing a full cache is rare, and cheaper than keeping an order of use.
            if cache.count >= TrustStore.maxCached { cache.removeAll(keepingCapacity: true) }
            cache[cacheKey] = entry
        }
    }
}

extension TrustStore {
    /// Creates a store from PEM texts; see `init(anchors:revocationLists:)` with bytes.
    public convenience init<Text: StringProtocol>(
        anchors: [Text], revocationLists: [Text] = []
    ) throws(JOSEError) {
        try self.init(
            anchors: anchors.map { Array($0.utf8) },
            revocationLists: revocationLists.map { Array($0.utf8) })
    }

    /// All certificates and thumbprints, byte for byte, and the purpose.
    private struct CacheKey: Hashable {
        let members: CertificateMembers
        let purpose: CertificatePurpose

        static func == (a: CacheKey, b: CacheKey) -> Bool {
            guard a.purpose == b.purpose,
                a.members.sha256Thumbprint == b.members.sha256Thumbprint,
                a.members.sha1Thumbprint == b.members.sha1Thumbprint,
                let first = a.members.chain, let second = b.members.chain,
                first.count == second.count
            else { return false }
            for index in first.indices {
                let (one, other) = (first[index], second[index])
                guard equal(one.span, other.span) else { return false }
            }
            return true
        }

        /// Hashes only the end of the leaf: a signature, which differs enough. `==` compares all.
        func hash(into hasher: inout Hasher) {
            guard let leaf = members.chain?.first else { return }
            var value = UInt64(leaf.count)
            for byte in leaf.suffix(8) { value = value << 8 ^ UInt64(byte) }
            hasher.combine(value)
        }
    }

    private struct Entry {
        let chain: ValidatedChain
        let material: any KeyMaterial
    }
}

extension CertificatePurpose {
    package var native: ChainPurpose {
        switch self {
        case .signature: .signature
        case .encryption: .encryption
        }
    }
}
