// Verifying a JWS, for the command and for batch.

import JOSE

/// What verifying needs besides the token.
struct VerifyJob {
    let keys: VerificationKeys
    let algorithms: AllowList
    /// The extensions in `crit` that the caller checks.
    var critical: [String] = []
    let limits: JOSELimits

    func run(_ token: String) throws -> VerifiedJWS { try verifier(of: token).verify(token) }

    /// Verifies a compact token whose payload came apart.
    func run(
        _ token: String, apart payload: [UInt8], _ encodings: [PayloadEncoding]
    ) throws -> VerifiedJWS {
        try verifier(of: token).verifyDetached(token, payload: payload, encodings: encodings)
    }

    /// Verifies a token of the JSON serialisations.
    func run(json token: String, _ reading: JSONReading) throws -> VerifiedJSONJWS {
        let verifier = try verifier {
            _ = try UnverifiedJSONJWS(
                token.utf8.span, limits: limits, critical: critical)
        }
        // One key: has it signed? A set: is all of it right?
        let requirement = reading.requirement ?? (keys.isSet ? .all : .any)
        guard let payload = reading.detached else {
            return try verifier.verifyJSON(
                token, requiring: requirement, encodings: reading.encodings,
                algorithmLocation: reading.algorithmLocation)
        }
        return try verifier.verifyDetachedJSON(
            token, payload: payload, requiring: requirement, encodings: reading.encodings,
            algorithmLocation: reading.algorithmLocation)
    }

    /// The verifier that judges this compact token.
    func verifier(of token: String) throws -> JWSVerifier {
        try verifier {
            _ = try UnverifiedHeader.readJWS(
                token.utf8.span, limits: limits, critical: critical)
        }
    }

    /// The verifier; `form` tells a fault of the token's form where no algorithm can be accepted.
    private func verifier(_ form: () throws -> Void) throws -> JWSVerifier {
        let rows = self.rows
        guard !rows.isEmpty else {
            // The list names nothing that exists here; a fault of the form is told first all the same.
            try form()
            throw JOSEError.algorithmNotAllowed
        }
        return switch keys {
        case .one(let key):
            try JWSVerifier(
                key: key, algorithms: rows, onlyByKey: rowsByKey, critical: critical,
                limits: limits)
        case .set(let set):
            try JWSVerifier(
                keys: set, algorithms: rows, onlyByKey: rowsByKey, critical: critical,
                limits: limits)
        }
    }

    /// The rows that may match; none where the list names only what does not exist here.
    var rows: [SignatureAlgorithm] {
        algorithms.rows { keys.fits(.verifying($0)) }
    }

    /// Without a list of the caller's: acceptable rows that a key's own `alg` names, for such keys only.
    private var rowsByKey: [SignatureAlgorithm] {
        guard algorithms.names == nil else { return [] }
        return SignatureAlgorithm.all.filter {
            $0.status == .acceptable && keys.fits(.verifying($0, isOnlyByKey: true))
        }
    }
}

/// How a JWS of the JSON serialisations is read.
struct JSONReading {
    /// Which signatures must be valid; nil for what suits the keys.
    var requirement: SignatureRequirement?
    /// The payload that came apart.
    var detached: [UInt8]?
    var encodings: [PayloadEncoding] = [.base64URL]
    var algorithmLocation = AlgorithmLocation.protectedHeader
}

extension SignatureRequirement {
    /// The rule of these words: `any`, `all`, or names of keys.
    static func named(_ words: [String]) -> SignatureRequirement {
        switch words {
        case ["any"]: .any
        case ["all"]: .all
        default: .each(of: words)
        }
    }
}
