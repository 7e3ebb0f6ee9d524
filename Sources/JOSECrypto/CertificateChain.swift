// Parsed certificate chains and the trust anchors that validate them.

internal import CJOSECrypto
internal import JOSEBytes

/// Why a chain is rejected (`jose_chain_failure`).
package enum ChainError: Sendable {
    case expired, notYetValid, notACA, pathLength, signature, order, duplicate, unusedCertificate
    case unknownRoot, selfSigned, criticalExtension, nameConstraints, weakSignature, weakKey
    case oldVersion
    case revoked, revocationUnknown, keyUsage, extendedKeyUsage, leafIsCA, policies, other
}

/// The first and last second since 1970 at which a validation result holds.
package struct ChainValidity: Sendable {
    package let notBefore: Int64
    package let notAfter: Int64
}

package enum ChainResult: Sendable {
    case valid(ChainValidity)
    /// `index` is 0 for the leaf. If it equals the chain's count, the anchor is meant.
    case rejected(ChainError, index: Int)
}

package enum ChainPurpose: Sendable {
    case signature, encryption
}

package final class CertificateChain: Sendable {
    package static let maxCertificates = Int(JOSE_MAX_CHAIN)

    fileprivate let handle: Handle
    package let count: Int

    /// Parses certificates, leaf first. The caller has checked that they are strict DER. Throws
    /// `rejected` if one is no certificate, or for a count other than 1 to `maxCertificates`.
    package init(_ certificates: [[UInt8]]) throws(CryptoError) {
        var chain: OpaquePointer?
        var failed = 0
        try check(
            unsafe withPointers(certificates) { pointers, sizes in
                unsafe jose_chain_read(&chain, &failed, pointers, sizes, certificates.count)
            })
        guard let chain = unsafe chain else { throw .failure }
        count = certificates.count
        handle = unsafe Handle(chain, release: jose_chain_free)
    }

    /// Whether no certificate occurs twice and each names the next one as its issuer.
    package var isOrdered: Bool { unsafe jose_chain_is_ordered(handle.pointer) }

    /// Whether the first certificate of `issuer` issued the first one of this chain. If the names
    /// match, the signature is checked: nil if libcrypto does not know its algorithm. Throws
    /// `failure` if memory or libcrypto fails.
    package func isIssued(by issuer: CertificateChain) throws(CryptoError) -> Bool? {
        switch unsafe jose_chain_issued(handle.pointer, issuer.handle.pointer) {
        case .JOSE_OK: return true
        case .JOSE_REJECTED: return false
        case .JOSE_UNSUPPORTED: return nil
        case .JOSE_BAD_KEY, .JOSE_INTERNAL: throw .failure
        }
    }

    /// Compares the subject, or with `byIssuer` the issuer, of the first certificate with the
    /// subject of the first one in `other`: below 0 if lower, 0 if equal (RFC 5280, 7.1).
    package func order(byIssuer: Bool = false, against other: CertificateChain) -> Int {
        Int(unsafe jose_chain_compare(handle.pointer, byIssuer, other.handle.pointer))
    }

    /// Why the leaf's version, strength or usages exclude the purpose; nil if they allow it.
    package func leafFailure(_ purpose: ChainPurpose) -> ChainError? {
        let failure = unsafe jose_chain_leaf_failure(
            handle.pointer,
            purpose == .signature ? .JOSE_PURPOSE_SIGNATURE : .JOSE_PURPOSE_ENCRYPTION)
        return failure == .JOSE_CHAIN_OK ? nil : ChainError(failure)
    }

    /// The subject as in RFC 2253, with unsafe characters escaped; empty if over 1,023 bytes long.
    package func subject(_ index: Int) -> String {
        var text = [CChar](repeating: 0, count: 1_024)
        let count = unsafe jose_chain_subject(handle.pointer, index, &text, text.count)
        return printable(
            name: String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}

/// Why a CRL is rejected (`jose_list_failure`).
package enum ListError: Sendable {
    case malformed, noNextUpdate, delta, removeFromCRL, indirect, someReasons, attributes, scope
    case criticalExtension, weakSignature
}

package enum TrustError: Error {
    /// The anchor at this index is not a CA certificate.
    case anchor(Int)
    /// The CRL at this index is rejected. The indexes of CRLs follow those of the anchors.
    case list(ListError, Int)
    case failure
}

package final class TrustAnchors: Sendable {
    private let handle: Handle

    /// Anchors must be CA certificates; CRLs must be complete and direct.
    package init(anchors: [[UInt8]], crls: [[UInt8]]) throws(TrustError) {
        var trust: OpaquePointer?
        var failure = jose_trust_failure()
        let status = unsafe withPointers(anchors) { anchor, anchorSizes in
            unsafe withPointers(crls) { crl, crlSizes in
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

    /// Validates a chain at `time`, in seconds since 1970 (RFC 5280, 6).
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
            return .rejected(ChainError(report.failure), index: report.index)
        case .JOSE_BAD_KEY, .JOSE_INTERNAL, .JOSE_UNSUPPORTED: throw .failure
        }
    }
}

extension ListError {
    fileprivate init?(_ failure: jose_list_failure) {
        switch failure {
        case .JOSE_LIST_OK: return nil
        case .JOSE_LIST_MALFORMED: self = .malformed
        case .JOSE_LIST_NO_NEXT_UPDATE: self = .noNextUpdate
        case .JOSE_LIST_DELTA: self = .delta
        case .JOSE_LIST_REMOVE_FROM_CRL: self = .removeFromCRL
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
            case .JOSE_CHAIN_UNUSED_CERTIFICATE: .unusedCertificate
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
