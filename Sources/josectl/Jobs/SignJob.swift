// Signing a payload, for the command and for batch: which form, who signs, where the payload goes.

import JOSE

/// How a token is written.
enum TokenForm: String, CaseIterable {
    case compact, flattened, general

    /// The form of a JSON serialisation; nil for a compact token.
    var json: JSONForm? {
        switch self {
        case .compact: nil
        case .flattened: .flattened
        case .general: .general
        }
    }
}

/// What signing needs besides the payload.
struct SignJob {
    /// A signer with what stands unprotected beside its signature.
    typealias Signer = (signer: JWSSigner, unprotected: [String: JSONValue])
    let signers: [Signer]
    let form: TokenForm
    let isDetached: Bool
    let encoding: PayloadEncoding
    let limits: JOSELimits

    func run(_ payload: [UInt8]) throws -> String {
        guard let form = form.json else { return try compact(payload) }
        let signer = try JWSJSONSigner(
            signatories: signers.map {
                try .init(signer: $0.signer, unprotectedHeader: $0.unprotected)
            },
            limits: limits)
        return isDetached
            ? try signer.signDetached(payload, as: form, encoding: encoding)
            : try signer.sign(payload, as: form, encoding: encoding)
    }

    private func compact(_ payload: [UInt8]) throws -> String {
        guard signers.count == 1, signers[0].unprotected.isEmpty else {
            throw Refusal.misuse("a compact token has one signer and no unprotected header")
        }
        let signer = signers[0].signer
        guard !isDetached else { return try signer.signDetached(payload, encoding: encoding) }
        guard encoding == .unencoded else { return try signer.sign(payload) }
        guard let text = String(validating: payload, as: UTF8.self) else {
            throw Refusal.misuse("an unencoded payload is text")
        }
        return try signer.signUnencoded(text)
    }
}
