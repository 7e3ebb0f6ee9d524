// Verifies a JWS, for the command and for batch.

import JOSE

/// The keys and rules to verify with.
struct VerifyJob {
    let keys: VerifierKeys
    let algorithms: AllowList
    /// The `crit` extensions that the caller checks.
    var critical: [String] = []
    let limits: JOSELimits

    func run(_ token: String) throws -> VerifiedJWS { try verifier(of: token).verify(token) }

    /// Verifies a compact token with a detached payload.
    func run(
        _ token: String, detached payload: [UInt8], _ encodings: [PayloadEncoding]
    ) throws -> VerifiedJWS {
        try verifier(of: token).verifyDetached(token, payload: payload, encodings: encodings)
    }

    func run(json token: String, _ reading: JSONReading) throws -> VerifiedJSONJWS {
        let verifier = try verifier {
            _ = try UnverifiedJSONJWS(
                token.utf8.span, limits: limits, critical: critical)
        }
        // A single key must have made one of the signatures. With a key set, all must be valid.
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

    func verifier(of token: String) throws -> JWSVerifier {
        try verifier {
            _ = try UnverifiedHeader.readJWS(
                token.utf8.span, limits: limits, critical: critical)
        }
    }

    /// Makes the verifier; `checkFormat` runs first if no algorithm in the list is available.
    private func verifier(_ checkFormat: () throws -> Void) throws -> JWSVerifier {
        let algorithms = self.matchingAlgorithms
        guard !algorithms.isEmpty else {
            try checkFormat()
            throw JOSEError.algorithmNotAllowed
        }
        return try JWSVerifier(
            keys, algorithms: algorithms, ifNamedByKey: algorithmsByKey, critical: critical,
            limits: limits)
    }

    /// The algorithms that may match; empty if the list has no available algorithm.
    var matchingAlgorithms: [SignatureAlgorithm] {
        algorithms.algorithms { keys.match(.verifying($0)) }
    }

    /// Without a list: acceptable algorithms that a key's own `alg` names, for such keys only.
    private var algorithmsByKey: [SignatureAlgorithm] {
        guard algorithms.names == nil else { return [] }
        return SignatureAlgorithm.all.filter {
            $0.status == .acceptable && keys.match(.verifying($0, requiresKeyAlgorithm: true))
        }
    }
}

/// How to verify a JWS in a JSON serialisation.
struct JSONReading {
    /// The signatures that must be valid; nil for the default of the keys.
    var requirement: SignatureRequirement?
    var detached: [UInt8]?
    var encodings: [PayloadEncoding] = [.base64URL]
    var algorithmLocation = AlgorithmLocation.protectedHeader
}

extension SignatureRequirement {
    /// The requirement `any`, `all`, or the kids that must have signed.
    static func named(_ words: [String]) -> SignatureRequirement {
        switch words {
        case ["any"]: .any
        case ["all"]: .all
        default: .each(of: words)
        }
    }
}
