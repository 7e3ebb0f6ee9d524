// Signs a payload, for `josectl sign` and `batch`.

import JOSE

struct SignJob {
    typealias Signer = (signer: JWSSigner, unprotected: [String: JSONValue])
    let signers: [Signer]
    let form: TokenForm
    let isDetached: Bool
    let encoding: PayloadEncoding
    let limits: JOSELimits

    nonisolated(nonsending) func run(_ payload: [UInt8]) async throws -> String {
        let time = ExternalKeys.timeout
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
            throw Rejection.misuse("an unencoded payload must be UTF-8 text")
        }
        return text
    }
}
