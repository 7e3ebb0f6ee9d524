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

    /// The token; a key may be in a token of PKCS#11.
    nonisolated(nonsending) func run(_ payload: [UInt8]) async throws -> String {
        let time = ExternalKeys.patience
        if let form = form.json {
            let signer = try jsonSigner()
            return isDetached
                ? try await signer.signDetached(
                    payload, as: form, encoding: encoding, timeout: time)
                : try await signer.sign(payload, as: form, encoding: encoding, timeout: time)
        }
        let signer = try compactSigner()
        guard !isDetached else {
            return try await signer.signDetached(payload, encoding: encoding, timeout: time)
        }
        guard encoding == .unencoded else { return try await signer.sign(payload, timeout: time) }
        return try await signer.signUnencoded(SignJob.text(payload), timeout: time)
    }

    private func jsonSigner() throws -> JWSJSONSigner {
        try JWSJSONSigner(
            signatories: signers.map {
                try .init(signer: $0.signer, unprotectedHeader: $0.unprotected)
            },
            limits: limits)
    }

    private func compactSigner() throws -> JWSSigner {
        guard signers.count == 1, signers[0].unprotected.isEmpty else {
            throw Rejection.misuse("a compact token has one signer and no unprotected header")
        }
        return signers[0].signer
    }

    private static func text(_ payload: [UInt8]) throws -> String {
        guard let text = String(validating: payload, as: UTF8.self) else {
            throw Rejection.misuse("an unencoded payload is text")
        }
        return text
    }
}
