// The order and the spellings of acr values, and whether an acr satisfies a request.

import JOSE
import JOSEBytes

extension ACRRule {
    /// The index in `weakestFirst`; nil for an unknown value.
    func strength(_ value: String) -> Int? {
        if let index = weakestFirst.firstIndex(where: value.isExactly) { return index }
        guard let usual = otherSpellings.first(where: { $0.key.isExactly(value) })?.value else {
            return nil
        }
        return weakestFirst.firstIndex(where: usual.isExactly)
    }

    /// The spelling for responses. An unknown value is returned unchanged.
    func written(_ value: String) -> String {
        if let written = writtenSpellings.first(where: { $0.key.isExactly(value) })?.value {
            return written
        }
        guard let index = strength(value) else { return value }
        let usual = weakestFirst[index]
        return writtenSpellings.first { $0.key.isExactly(usual) }?.value ?? usual
    }

    /// The strongest value, as `weakestFirst` spells it. Without an order, the first value.
    func strongest(_ values: [String]) -> String? {
        weakestFirst.isEmpty
            ? values.first : values.compactMap(strength).max().map { weakestFirst[$0] }
    }

    func known(_ values: [String]) -> [String] {
        weakestFirst.isEmpty ? values : values.filter { strength($0) != nil }
    }

    func method(of parameters: OpenIDParameters) -> String? {
        guard let methodPrefix, let value = parameters.words("acr_values").first else { return nil }
        return value.removingPrefix(methodPrefix)
    }
}

extension ACRRule {
    func checkDefined(_ acr: String) throws(JOSEError) {
        guard weakestFirst.isEmpty || strength(acr) != nil else {
            throw .misuse(
                "the profile does not define this acr (authorization.acr.weakestFirst)"
            )
        }
    }

    /// Throws `claimRejected` for an undefined `acr`, and for one that is missing or too weak for
    /// `requested`. With `isVoluntary`, the error names the option that accepts less.
    func check(
        _ acr: String?, requested: [String], isVoluntary: @autoclosure () -> Bool = false
    ) throws(JOSEError) {
        // `.some(nil)` is an `acr` that the profile does not define.
        let level = weakestFirst.isEmpty ? nil : acr.map(strength)
        if case .some(nil) = level {
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
        let reached = (level ?? nil) ?? 0
        // The strictest of several values counts. An unknown value cannot be satisfied.
        for value in requested where !value.isExactly(acr) {
            guard let required = strength(value), reached >= required else {
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
