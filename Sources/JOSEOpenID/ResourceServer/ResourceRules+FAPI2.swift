// The rules of FAPI 2.0 for resource servers.

import JOSE

extension ResourceRules {
    /// The rules of FAPI 2.0 Security Profile, 5.3.4: bound tokens only, its algorithms and leeway.
    public static let fapi2: ResourceRules = {
        var rules = ResourceRules()
        rules.algorithms = SignatureAlgorithm.fapi2
        rules.leeway = DPoPRules.fapi2.leeway
        rules.requiresBinding = true
        return rules
    }()
}
