// The order of authentication contexts: what a profile knows, and whether an acr is at least what was asked for.

import JOSE
import JOSEBytes

extension ACRRule {
    /// The place in the order; nil for an unknown value.
    func strength(_ value: String) -> Int? {
        if let place = weakestFirst.firstIndex(where: value.isExactly) { return place }
        guard let usual = otherSpellings.first(where: { $0.key.isExactly(value) })?.value else {
            return nil
        }
        return weakestFirst.firstIndex(where: usual.isExactly)
    }

    /// The value as the profile's guide writes it in a response; an unknown value as it is.
    func written(_ value: String) -> String {
        if let written = writtenSpellings.first(where: { $0.key.isExactly(value) })?.value {
            return written
        }
        guard let place = strength(value) else { return value }
        let usual = weakestFirst[place]
        return writtenSpellings.first { $0.key.isExactly(usual) }?.value ?? usual
    }

    /// The strongest of the values: of several the stricter counts. Without an order the first.
    func strongest(_ values: [String]) -> String? {
        weakestFirst.isEmpty
            ? values.first : values.compactMap(strength).max().map { weakestFirst[$0] }
    }

    /// The values less those that the order does not know.
    func known(_ values: [String]) -> [String] {
        weakestFirst.isEmpty ? values : values.filter { strength($0) != nil }
    }

    /// The method that `acr_values` names behind the prefix.
    func method(of parameters: OpenIDParameters) -> String? {
        guard let methodPrefix, let value = parameters.words("acr_values").first else { return nil }
        return value.rest(behind: methodPrefix)
    }
}

extension ACRRule {
    /// Throws `misuse` for an `acr` that the profile does not define, where it defines any.
    func checkDefined(_ acr: String) throws(JOSEError) {
        guard weakestFirst.isEmpty || strength(acr) != nil else {
            throw .misuse(
                "acr is a value that the profile does not define (authorization.context.weakestFirst)"
            )
        }
    }

    /// Throws unless the `acr` is one of those that the profile defines, where it defines any, and at least as strong as what
    /// was requested.
    ///
    /// - Parameter isVoluntary: Whether a relying party asked, and may accept less: the error names
    ///   the member.
    func check(
        _ acr: String?, asked: [String], isVoluntary: @autoclosure () -> Bool = false
    ) throws(JOSEError) {
        let known = weakestFirst.isEmpty ? nil : acr.map(strength)
        if case .some(nil) = known {
            throw .claimRejected("acr", "the profile does not define this value")
        }
        guard !asked.isEmpty else { return }
        guard let acr else {
            throw ACRRule.unmet(
                isVoluntary()
                    ? "it was asked for and is missing ({})" : "it was asked for and is missing")
        }
        guard !weakestFirst.isEmpty else {
            guard asked.contains(where: { $0.isExactly(acr) }) else {
                throw ACRRule.unmet(
                    isVoluntary()
                        ? "it is none of those that were asked for ({})"
                        : "it is none of those that were asked for")
            }
            return
        }
        let strength = (known ?? nil) ?? 0
        // Of several the stricter wins; one that nobody knows cannot be satisfied.
        for value in asked where !value.isExactly(acr) {
            guard let wanted = self.strength(value), strength >= wanted else {
                throw ACRRule.unmet(
                    isVoluntary()
                        ? "it is weaker than what was asked for ({})"
                        : "it is weaker than what was asked for")
            }
        }
    }

    private static func unmet(_ reason: StaticString) -> JOSEError {
        .claimRejected("acr", reason, "authorization.context.allowsUnmetVoluntary")
    }
}
