// Parsed certificates and the anchors that judge them.

internal import CJOSECrypto
internal import JOSEBytes

/// Why a chain is rejected.
package enum ChainError: Sendable {
    case expired, notYetValid, notACA, pathLength, signature, order, duplicate, surplus
    case unknownRoot, selfSigned, criticalExtension, nameConstraints, weakSignature, weakKey
    case oldVersion
    case revoked, revocationUnknown, keyUsage, extendedKeyUsage, leafIsCA, policies, other
}

/// The span of time in which a validated path holds, in seconds since 1970, inclusive.
package struct ChainValidity: Sendable {
    package let notBefore: Int64
    package let notAfter: Int64
}

/// The outcome of a validation.
package enum ChainResult: Sendable {
    case valid(ChainValidity)
    /// `place`: 0 the leaf; the count of the chain means the anchor.
    case rejected(ChainError, place: Int)
}

/// What a certificate's key is to be used for.
package enum ChainPurpose: Sendable {
    case signature, encryption
}

/// Certificates, leaf first.
package final class CertificateChain: Sendable {
    /// The most certificates that a chain can have.
    package static let maxCertificates = Int(JOSE_MAX_CHAIN)

    fileprivate let handle: Handle
    package let count: Int

    /// Parses certificates whose bytes are strict DER already.
    ///
    /// - Throws: `rejected` if one of them is no certificate.
    package init(_ certificates: [[UInt8]]) throws(CryptoError) {
        var chain: OpaquePointer?
        var failed = 0
        try check(
            unsafe lendAll(certificates) { pointers, sizes in
                unsafe jose_chain_read(&chain, &failed, pointers, sizes, certificates.count)
            })
        guard let chain = unsafe chain else { throw .failure }
        count = certificates.count
        handle = unsafe Handle(chain, release: jose_chain_free)
    }

    /// Whether each certificate stands once and names the next as its issuer.
    package var isOrdered: Bool { unsafe jose_chain_is_ordered(handle.pointer) }

    /// Whether the first certificate was issued by that of another chain: by its name, and by the
    /// signature; nil where libcrypto does not know the algorithm of the signature. Costs a check
    /// of the signature where the name is right.
    ///
    /// - Throws: `failure` where memory or the provider fails.
    package func isIssued(by issuer: CertificateChain) throws(CryptoError) -> Bool? {
        switch unsafe jose_chain_issued(handle.pointer, issuer.handle.pointer) {
        case .JOSE_OK: return true
        case .JOSE_REJECTED: return false
        case .JOSE_UNSUPPORTED: return nil
        case .JOSE_BAD_KEY, .JOSE_INTERNAL: throw .failure
        }
    }

    /// Where the subject of the first certificate, or its issuer, is in an order of names: negative
    /// before the subject of the other's, 0 where RFC 5280, 7.1, calls the names equal.
    package func order(byIssuer: Bool = false, against other: CertificateChain) -> Int {
        Int(unsafe jose_chain_compare(handle.pointer, byIssuer, other.handle.pointer))
    }

    /// What the leaf's own strength and uses say against this purpose; nil for nothing.
    package func leafFailure(_ purpose: ChainPurpose) -> ChainError? {
        let failure = unsafe jose_chain_leaf_failure(
            handle.pointer,
            purpose == .signature ? .JOSE_PURPOSE_SIGNATURE : .JOSE_PURPOSE_ENCRYPTION)
        return failure == .JOSE_CHAIN_OK ? nil : ChainError(failure)
    }

    /// The subject's name in RFC 2253 form, with all that must not be shown in its escapes.
    package func subject(_ place: Int) -> String {
        var text = [CChar](repeating: 0, count: 1_024)
        let count = unsafe jose_chain_subject(handle.pointer, place, &text, text.count)
        return printable(
            name: String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}

/// Why a revocation list is not taken.
package enum ListError: Sendable {
    case unreadable, endless, delta, removes, indirect, someReasons, attributes, scope
    case criticalExtension, weakSignature
}

/// Why no store is made.
package enum TrustError: Error {
    /// The anchor at this place is no CA certificate.
    case anchor(Int)
    /// The place counts behind the anchors.
    case list(ListError, Int)
    /// Memory or the provider.
    case failure
}

/// The only roots, and CRLs.
package final class TrustAnchors: Sendable {
    private let handle: Handle

    /// Takes CA certificates, and CRLs that are complete and direct.
    package init(anchors: [[UInt8]], crls: [[UInt8]]) throws(TrustError) {
        var trust: OpaquePointer?
        var failure = jose_trust_failure()
        let status = unsafe lendAll(anchors) { anchor, anchorSizes in
            unsafe lendAll(crls) { crl, crlSizes in
                unsafe jose_trust_make(
                    &trust, &failure, anchor, anchorSizes, anchors.count, crl, crlSizes, crls.count)
            }
        }
        if status == .JOSE_REJECTED {
            throw ListError(failure.list).map { .list($0, failure.index) } ?? .anchor(failure.index)
        }
        guard let trust = unsafe trust else { throw .failure }
        handle = unsafe Handle(trust, release: jose_trust_free)
    }

    /// Judges a chain at a time, in seconds since 1970.
    ///
    /// - Throws: `failure` where memory or the provider fails.
    package func validate(
        _ chain: CertificateChain, _ purpose: ChainPurpose, at time: Int64
    ) throws(CryptoError) -> ChainResult {
        var report = jose_chain_report()
        let status = unsafe jose_trust_validate(
            handle.pointer, chain.handle.pointer,
            purpose == .signature ? .JOSE_PURPOSE_SIGNATURE : .JOSE_PURPOSE_ENCRYPTION, time,
            &report)
        switch status {
        case .JOSE_OK:
            return .valid(ChainValidity(notBefore: report.not_before, notAfter: report.not_after))
        case .JOSE_REJECTED:
            return .rejected(ChainError(report.failure), place: report.index)
        case .JOSE_BAD_KEY, .JOSE_INTERNAL, .JOSE_UNSUPPORTED: throw .failure
        }
    }
}

extension ListError {
    fileprivate init?(_ failure: jose_list_failure) {
        switch failure {
        case .JOSE_LIST_OK: return nil
        case .JOSE_LIST_MALFORMED: self = .unreadable
        case .JOSE_LIST_NO_NEXT_UPDATE: self = .endless
        case .JOSE_LIST_DELTA: self = .delta
        case .JOSE_LIST_REMOVE_FROM_CRL: self = .removes
        case .JOSE_LIST_INDIRECT: self = .indirect
        case .JOSE_LIST_SOME_REASONS: self = .someReasons
        case .JOSE_LIST_ATTRIBUTES: self = .attributes
        case .JOSE_LIST_SCOPE: self = .scope
        case .JOSE_LIST_CRITICAL_EXTENSION: self = .criticalExtension
        case .JOSE_LIST_WEAK_SIGNATURE: self = .weakSignature
        }
    }
}

extension ChainError {
    fileprivate init(_ failure: jose_chain_failure) {
        self =
            switch failure {
            case .JOSE_CHAIN_EXPIRED: .expired
            case .JOSE_CHAIN_NOT_YET_VALID: .notYetValid
            case .JOSE_CHAIN_NOT_A_CA: .notACA
            case .JOSE_CHAIN_PATH_LENGTH: .pathLength
            case .JOSE_CHAIN_SIGNATURE: .signature
            case .JOSE_CHAIN_ORDER: .order
            case .JOSE_CHAIN_DUPLICATE: .duplicate
            case .JOSE_CHAIN_UNUSED_CERTIFICATE: .surplus
            case .JOSE_CHAIN_UNKNOWN_ROOT: .unknownRoot
            case .JOSE_CHAIN_SELF_SIGNED: .selfSigned
            case .JOSE_CHAIN_CRITICAL_EXTENSION: .criticalExtension
            case .JOSE_CHAIN_NAME_CONSTRAINTS: .nameConstraints
            case .JOSE_CHAIN_WEAK_SIGNATURE: .weakSignature
            case .JOSE_CHAIN_WEAK_KEY: .weakKey
            case .JOSE_CHAIN_OLD_VERSION: .oldVersion
            case .JOSE_CHAIN_REVOKED: .revoked
            case .JOSE_CHAIN_REVOCATION_UNKNOWN: .revocationUnknown
            case .JOSE_CHAIN_KEY_USAGE: .keyUsage
            case .JOSE_CHAIN_EXTENDED_KEY_USAGE: .extendedKeyUsage
            case .JOSE_CHAIN_LEAF_IS_CA: .leafIsCA
            case .JOSE_CHAIN_POLICIES: .policies
            case .JOSE_CHAIN_OK, .JOSE_CHAIN_OTHER, .JOSE_CHAIN_INTERNAL: .other
            }
    }
}
