// Compares values of acr: their order, spellings, and whether an acr satisfies a request.

import JOSE
import JOSEBytes

extension ACRRule {
    /// The value's index in `weakestFirst`; nil for an unknown value.
    func strength(_ value: String) -> Int? {
        if let index = weakestFirst.firstIndex(where: value.isExactly) { return index }
        guard let usual = otherSpellings.first(where: { $0.key.isExactly(value) })?.value else {
            return nil
        }
        return weakestFirst.firstIndex(where: usual.isExactly)
    }

    /// The spelling for responses; an unknown value is returned unchanged.
    func written(_ value: String) -> String {
        if let written = writtenSpellings.first(where: { $0.key.isExactly(value) })?.value {
            return written
        }
        guard let index = strength(value) else { return value }
        let usual = weakestFirst[index]
        return writtenSpellings.first { $0.key.isExactly(usual) }?.value ?? usual
    }

    /// The strongest of the values, in its usual spelling. Without an order, the first.
    func strongest(_ values: [String]) -> String? {
        weakestFirst.isEmpty
            ? values.first : values.compactMap(strength).max().map { weakestFirst[$0] }
    }

    /// The values without those that the order does not contain.
    func known(_ values: [String]) -> [String] {
        weakestFirst.isEmpty ? values : values.filter { strength($0) != nil }
    }

    /// The method in `acr_values`, without the prefix.
    func method(of parameters: OpenIDParameters) -> String? {
        guard let methodPrefix, let value = parameters.words("acr_values").first else { return nil }
        return value.removingPrefix(methodPrefix)
    }
}

extension ACRRule {
    /// Throws `misuse` for a value that the profile's order does not contain.
    func checkDefined(_ acr: String) throws(JOSEError) {
        guard weakestFirst.isEmpty || strength(acr) != nil else {
            throw .misuse(
                "the profile does not define this acr (authorization.acr.weakestFirst)"
            )
        }
    }

    /// Checks that the `acr` is defined by the profile and at least as strong as requested.
    ///
    /// - Parameter isVoluntary: Whether a relying party could accept less: then the error names the
    ///   option.
    func check(
        _ acr: String?, requested: [String], isVoluntary: @autoclosure () -> Bool = false
    ) throws(JOSEError) {
        let known = weakestFirst.isEmpty ? nil : acr.map(strength)
        if case .some(nil) = known {
            throw .claimRejected("acr", "the profile does not define this value")
        }
        guard !requested.isEmpty else { return }
        guard let acr else {
            throw ACRRule.unmet(
                isVoluntary()
                    ? "it was requested and is missing; {} accepts that"
                    : "it was requested and is missing")
        }
        guard !weakestFirst.isEmpty else {
            guard requested.contains(where: { $0.isExactly(acr) }) else {
                throw ACRRule.unmet(
                    isVoluntary()
                        ? "it is none of the requested values; {} accepts that"
                        : "it is none of the requested values")
            }
            return
        }
        let strength = (known ?? nil) ?? 0
        // The strictest of several values counts. An unknown value cannot be satisfied.
        for value in requested where !value.isExactly(acr) {
            guard let required = self.strength(value), strength >= required else {
                throw ACRRule.unmet(
                    isVoluntary()
                        ? "it is weaker than requested; {} accepts that"
                        : "it is weaker than requested")
            }
        }
    }

    private static func unmet(_ reason: StaticString) -> JOSEError {
        .claimRejected("acr", reason, "authorization.acr.relyingPartyAcceptsUnmetVoluntary")
    }
}
