// Why a trust store is not made, in words.

import JOSECrypto

extension JOSEError {
    /// - Parameter inputs: The anchors, then the lists.
    init(_ failure: TrustError, _ inputs: [InputValue]) {
        switch failure {
        case .anchor(let place):
            self = .malformed(.certificate, "an anchor is no CA certificate")
                .of(inputs[place].place)
        case .list(let failure, let place):
            self = JOSEError(
                failure.isFormal ? .malformed : .unsupported, .certificate,
                JOSEError.Reason(failure.reason)
            ).of(inputs[place].place)
        case .failure: self = .internalFailure
        }
    }
}

extension ListError {
    /// Whether no reader could take it.
    fileprivate var isFormal: Bool {
        switch self {
        case .unreadable, .endless, .removes, .scope: true
        case .delta, .indirect, .someReasons, .attributes, .criticalExtension, .weakSignature:
            false
        }
    }

    fileprivate var reason: StaticString {
        switch self {
        case .unreadable: "a revocation list cannot be read"
        case .endless: "a revocation list does not say when the next one comes"
        case .delta: "a revocation list is a delta list, which tells only what changed"
        case .removes: "a revocation list takes an entry back, which only a delta list may"
        case .indirect: "a revocation list is an indirect one, of other issuers' certificates"
        case .someReasons: "a revocation list is for some reasons only"
        case .attributes: "a revocation list is for attribute certificates only"
        case .scope: "a revocation list's issuing distribution point cannot be read"
        case .criticalExtension:
            "a revocation list has a critical extension that is not understood"
        case .weakSignature: "a revocation list is signed with a weak algorithm"
        }
    }
}
