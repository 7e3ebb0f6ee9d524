// What a provider heeds of the parameters that it receives: what its profile ignores is gone before anybody acts on it.

import JOSE
import JOSEBytes

extension AuthorizationRules {
    /// The parameters less what the provider ignores, whatever it holds.
    ///
    /// Nothing is taken away that the check rejects.
    func effective(_ parameters: OpenIDParameters) -> OpenIDParameters {
        guard ignoresAnything else { return parameters }
        let hints = parameters.values("login_hint")
        return OpenIDParameters(
            parameters.all.compactMap { parameter in
                let name = parameter.name
                if ignores(name) { return nil }
                if name.isExactly("scope") {
                    // One that is no list of scopes is for the check to reject.
                    return KnownParameter.isWellFormed(parameter)
                        ? kept(parameter, where: isKnown(scope:)) : parameter
                }
                if name.isExactly("login_hint"), loginHint.errorCode == nil,
                    hints.count <= loginHint.maxCount
                {
                    return loginHint.format.read(parameter.value).map { OpenIDParameter(name, $0) }
                }
                let rule = self.parameters.first {
                    $0.name.isExactly(name) && !$0.values.isEmpty
                }
                if let rule, rule.errorCode == nil {
                    return kept(parameter) { word in
                        rule.values.contains { $0.isExactly(word) }
                    }
                }
                return parameter
            })
    }

    /// Whether there is anything that the provider passes over.
    private var ignoresAnything: Bool {
        optionalScopes != nil || loginHint.errorCode == nil
            || parameters.contains { $0.errorCode == nil }
    }

    /// Whether the provider ignores a parameter of this name altogether.
    func ignores(_ name: String) -> Bool {
        parameters.contains {
            $0.name.isExactly(name) && $0.values.isEmpty && $0.errorCode == nil
        }
    }

    private func isKnown(scope: String) -> Bool {
        guard let optionalScopes else { return true }
        return (requiredScopes + optionalScopes + forbiddenScopes).contains { $0.isExactly(scope) }
            || requiresServiceScope && scope.begins(with: "service:")
    }

    /// The parameter with those of its words that are kept; nil where none is.
    private func kept(
        _ parameter: OpenIDParameter, where isKept: (String) -> Bool
    ) -> OpenIDParameter? {
        let words = parameter.value.words
        let kept = words.filter(isKept)
        guard kept.count < words.count else { return parameter }
        return kept.isEmpty ? nil : OpenIDParameter(parameter.name, kept.joined(separator: " "))
    }
}

extension LoginHintRule.Format {
    /// A received hint in the form's own spelling; nil where it has not the form.
    func read(_ hint: String) -> String? {
        if fits(hint) { return hint }
        guard case .telephone = self else { return nil }
        let plus = hint.pieces(at: 0x20).joined(separator: "+")
        return fits(plus) ? plus : nil
    }
}
