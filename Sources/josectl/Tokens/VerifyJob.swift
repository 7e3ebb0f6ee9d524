// Verifies a JWS, for `josectl verify`, `open`, `explain` and `batch`.

import JOSE

struct VerifyJob {
    let keys: VerifierKeys
    let algorithms: AllowList
    /// The `crit` extensions that the user checks.
    var critical: [String] = []
    let limits: JOSELimits

    func run(_ token: String) throws -> VerifiedJWS { try verifier(of: token).verify(token) }

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

    /// `checkFormat` throws for a malformed token, before the error that no algorithm is available.
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

    /// Empty if the list names no available algorithm.
    var matchingAlgorithms: [SignatureAlgorithm] {
        algorithms.algorithms { keys.match(.verifying($0)) }
    }

    /// Without a list, a key's own `alg` may also allow an algorithm of status `acceptable`.
    private var algorithmsByKey: [SignatureAlgorithm] {
        guard algorithms.names == nil else { return [] }
        return SignatureAlgorithm.all.filter {
            $0.status == .acceptable && keys.match(.verifying($0, requiresKeyAlgorithm: true))
        }
    }
}

struct JSONReading {
    /// Nil for the default of `VerifyJob.run(json:_:)`.
    var requirement: SignatureRequirement?
    var detached: [UInt8]?
    var encodings: [PayloadEncoding] = [.base64URL]
    var algorithmLocation = AlgorithmLocation.protectedHeader
}

extension SignatureRequirement {
    /// Returns `any`, `all`, or the requirement that each of these kids signed.
    static func named(_ words: [String]) -> SignatureRequirement {
        switch words {
        case ["any"]: .any
        case ["all"]: .all
        default: .each(of: words)
        }
    }
}
