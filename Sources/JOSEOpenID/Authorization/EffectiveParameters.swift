// Removes the parameters that a provider's profile ignores.

import JOSE
import JOSEBytes

extension AuthorizationRules {
    /// Removes the parameters, scopes, values and hints that the provider ignores. Call it before
    /// `AuthorizationCheck`.
    func effective(_ parameters: OpenIDParameters) -> OpenIDParameters {
        guard ignoresAnything else { return parameters }
        let hints = parameters.values("login_hint")
        return OpenIDParameters(
            parameters.all.compactMap { parameter in
                let name = parameter.name
                if ignores(name) { return nil }
                if name.isExactly("scope") {
                    return KnownParameter.isWellFormed(parameter)
                        ? kept(parameter, where: isKnown(scope:)) : parameter
                }
                if name.isExactly("login_hint"), loginHint.dropsInvalidValues,
                    hints.count <= loginHint.maxCount
                {
                    return loginHint.format.read(parameter.value).map { OpenIDParameter(name, $0) }
                }
                let rule = self.parameters.first {
                    $0.name.isExactly(name) && !$0.values.isEmpty
                }
                if let rule, rule.dropsInvalidValues {
                    return kept(parameter) { word in
                        rule.values.contains { $0.isExactly(word) }
                    }
                }
                return parameter
            })
    }

    private var ignoresAnything: Bool {
        optionalScopes != nil || loginHint.dropsInvalidValues
            || parameters.contains(where: \.dropsInvalidValues)
    }

    func ignores(_ name: String) -> Bool {
        parameters.contains {
            $0.name.isExactly(name) && $0.values.isEmpty && $0.dropsInvalidValues
        }
    }

    private func isKnown(scope: String) -> Bool {
        guard let optionalScopes else { return true }
        return (requiredScopes + optionalScopes + forbiddenScopes).contains { $0.isExactly(scope) }
            || requiresServiceScope && scope.begins(with: "service:")
    }

    /// Nil if no word is left.
    private func kept(
        _ parameter: OpenIDParameter, where isKept: (String) -> Bool
    ) -> OpenIDParameter? {
        let words = parameter.value.words
        let left = words.filter(isKept)
        guard left.count < words.count else { return parameter }
        return left.isEmpty ? nil : OpenIDParameter(parameter.name, left.joined(separator: " "))
    }
}

extension LoginHintRule.Format {
    /// Nil if the format is wrong. An unescaped `+` of a telephone number was decoded to a space.
    func read(_ hint: String) -> String? {
        if fits(hint) { return hint }
        guard case .telephone = self else { return nil }
        let plus = hint.pieces(at: 0x20).joined(separator: "+")
        return fits(plus) ? plus : nil
    }
}
