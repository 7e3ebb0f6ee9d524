// The caller's trust anchors and what was concluded with them.

import JOSEBytes
package import JOSECrypto
import Synchronization

/// What a certificate's key is to be used for.
public enum CertificatePurpose: Sendable, Hashable {
    /// Signatures: keyUsage digitalSignature or nonRepudiation.
    case signature
    /// Encryption to the key: keyUsage keyEncipherment.
    case encryption
}

/// Trust anchors, and revocation lists if there are any: the only roots of every chain that it validates.
///
/// Immutable: other anchors or lists are another store. The system's store, the environment and OpenSSL's
/// configuration are never consulted. Successes are remembered, at most 1,024, and checked against time at each use.
public final class TrustStore: Sendable {
    private let anchors: TrustAnchors
    /// The anchors in DER: what is in a chain and here is believed as it is.
    private let roots: [[UInt8]]
    /// Whose certificates the store believes; nil for those of everybody below its anchors.
    public let identity: CertificateIdentity?
    private let known = Lock<[Chain: Entry]>([:])

    private static let maxKnown = 1_024

    /// A store.
    ///
    /// - Parameters:
    ///   - anchors: Certificates of certification authorities, each file PEM with any number of them or one in DER, in
    ///     any order; with none, every chain is rejected. A chain ends at the one that it brings along, or at any that issued
    ///     its last certificate.
    ///   - revocationLists: CRLs, complete and direct, PEM or DER too; if there are any, every certificate below an anchor
    ///     needs a current one.
    /// - Throws: `malformed` if one of them cannot be read, an anchor is no CA certificate or a list breaks a rule of its
    ///   kind; `unsupported` for a delta list, an indirect one, one for some reasons or attribute certificates alone, one
    ///   with a critical extension that is not understood, or one that is signed as no certificate may be. The error's
    ///   `input` says which one it is.
    ///
    /// Source: RFC 5280, 5 and 6.3; RFC 7468, 5 and 6. A list that names a certificate revokes it, whatever its scope is and
    /// whatever another says, until a newer one of the same kind by its issuer takes its place.
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

    /// The same anchors and revocation lists, for certificates of one identity alone.
    ///
    /// - Parameter identity: Whose certificate a chain's leaf must be. It takes the place of the
    ///   store's own identity.
    ///
    /// The anchors and lists are shared, and whatever is remembered of the lists. Validated chains
    /// are not: keep the result. Costs an allocation; a chain costs a walk over its leaf when it is
    /// validated, and nothing once it is remembered.
    public func restricted(to identity: CertificateIdentity) -> TrustStore {
        TrustStore(self, identity)
    }

    /// Throws `untrustedKey` where the certificate is another's.
    private func checkIdentity(_ certificates: [[UInt8]]) throws(JOSEError) {
        guard let identity else { return }
        // A chain may bring its anchor along, of whom nothing is asked.
        var isAnchored = false
        if certificates.count > 1, let last = certificates.last {
            for root in roots where equal(root.span, last.span) { isAnchored = true }
        }
        do throws(JOSEError) {
            try identity.check(isAnchored ? certificates.dropLast() : certificates[...])
        } catch {
            throw error.code == .untrustedKey
                ? error : .untrustedKey("the names of a certificate cannot be read")
        }
    }

    /// Validates the chain that comes with a key's numbers.
    ///
    /// Throws `untrustedKey` with the reason, `keyUnusable` if the leaf is another key or not for this purpose. A chain
    /// that was validated before costs a comparison.
    func validate(
        _ members: CertificateMembers?, of material: any KeyMaterial, purpose: CertificatePurpose,
        at now: NumericDate
    ) throws(JOSEError) -> ValidatedChain {
        if let defect = members?.defect { throw defect.error }
        guard let members, let certificates = members.chain else {
            throw JOSEError(.untrustedKey, .certificate, "the key carries no certificates")
        }
        let chain = Chain(members: members, purpose: purpose)
        if let entry = known.withLock({ $0[chain] }),
            entry.material.hasSamePublicKey(as: material),
            entry.chain.contains(now)
        {
            return entry.chain
        }
        try members.checkLeaf(material)
        let parsed = try CertificateMembers.parse(certificates)
        let verdict: ChainResult
        do {
            verdict = try anchors.validate(parsed, purpose.native, at: now.seconds)
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
        switch verdict {
        case .rejected(let failure, let place): throw JOSEError(failure, place: place)
        case .valid(let validity):
            let validated = ValidatedChain(validity, purpose)
            // What is remembered is remembered of this store, and so of its identity.
            try checkIdentity(certificates)
            keep(chain, Entry(chain: validated, material: material))
            return validated
        }
    }

    /// Validates certificates and says in words what is wrong with which of them; nothing is remembered.
    ///
    /// - Parameters:
    ///   - certificates: The chain as DER, the leaf first.
    ///   - purpose: What the leaf's key is to be used for.
    ///   - now: The time to check by; the system's clock where none is given.
    ///   - limits: Bounds on the chain and its keys.
    /// - Throws: `malformed` if one of them is no strict DER certificate, `limitExceeded` for more than the limit.
    public func report(
        _ certificates: [[UInt8]], purpose: CertificatePurpose, at now: NumericDate? = nil,
        limits: JOSELimits = .standard
    ) throws(JOSEError) -> ChainReport {
        let parsed = try CertificateMembers.parse(
            CertificateMembers.checked(certificates, limits))
        do throws(CryptoError) {
            let subjects = (0..<parsed.count).map { parsed.subject($0) }
            let now = now ?? .now
            switch try anchors.validate(parsed, purpose.native, at: now.seconds) {
            case .valid(let validity):
                if let error = identityRejection(certificates) {
                    return ChainReport(
                        subjects: subjects, error: error, place: 0, notBefore: nil, notAfter: nil,
                        demanded: identity)
                }
                let chain = ValidatedChain(validity, purpose)
                return ChainReport(
                    subjects: subjects, error: nil, place: nil, notBefore: chain.notBefore,
                    notAfter: chain.notAfter)
            case .rejected(let failure, let place):
                return ChainReport(
                    subjects: subjects, error: JOSEError(failure, place: place), place: place,
                    notBefore: nil, notAfter: nil)
            }
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
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

    private func keep(_ chain: Chain, _ entry: Entry) {
        known.withLock { known in
            // A full store starts anew: rare, and cheaper than keeping an order.
            if known.count >= TrustStore.maxKnown { known.removeAll(keepingCapacity: true) }
            known[chain] = entry
        }
    }
}

extension TrustStore {
    /// A store from PEM texts; see `init(anchors:revocationLists:)` over bytes.
    public convenience init<Text: StringProtocol>(
        anchors: [Text], revocationLists: [Text] = []
    ) throws(JOSEError) {
        try self.init(
            anchors: anchors.map { Array($0.utf8) },
            revocationLists: revocationLists.map { Array($0.utf8) })
    }

    /// What a conclusion is about: all certificates and thumbprints, byte for byte, and the purpose.
    private struct Chain: Hashable {
        let members: CertificateMembers
        let purpose: CertificatePurpose

        static func == (a: Chain, b: Chain) -> Bool {
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

        /// The end of a certificate is its signature: random enough to hash by, and `==` compares all.
        func hash(into hasher: inout Hasher) {
            guard let leaf = members.chain?.first else { return }
            var word = UInt64(leaf.count)
            for byte in leaf.suffix(8) { word = word << 8 ^ UInt64(byte) }
            hasher.combine(word)
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
