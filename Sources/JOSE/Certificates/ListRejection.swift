// The reasons why a trust store cannot be created, as messages.

import JOSECrypto

extension JOSEError {
    /// `inputs` are the anchors, then the revocation lists.
    init(_ failure: TrustError, _ inputs: [InputValue]) {
        switch failure {
        case .anchor(let index):
            self = .malformed(.certificate, "it is not a CA certificate")
                .of(inputs[index].input)
        case .list(let failure, let index):
            self = JOSEError(
                failure.violatesStandard ? .malformed : .unsupported, .certificate,
                JOSEError.Reason(failure.reason)
            ).of(inputs[index].input)
        case .failure: self = .internalFailure
        }
    }
}

extension ListError {
    /// Whether the list violates its standard, so that no reader can use it.
    fileprivate var violatesStandard: Bool {
        switch self {
        case .malformed, .noNextUpdate, .removeFromCRL, .scope: true
        case .delta, .indirect, .someReasons, .attributes, .criticalExtension, .weakSignature:
            false
        }
    }

    fileprivate var reason: StaticString {
        switch self {
        case .malformed: "it cannot be read as a revocation list"
        case .noNextUpdate: "the revocation list has no nextUpdate"
        case .delta: "delta revocation lists are not supported; use the complete list"
        case .removeFromCRL: "only a delta revocation list may have a removeFromCRL entry"
        case .indirect: "indirect revocation lists (of several issuers) are not supported"
        case .someReasons: "revocation lists for some reasons only are not supported"
        case .attributes: "revocation lists for attribute certificates are not supported"
        case .scope: "the issuing distribution point of the revocation list cannot be read"
        case .criticalExtension: "the revocation list has an unknown critical extension"
        case .weakSignature: "the revocation list is signed with a weak algorithm"
        }
    }
}
