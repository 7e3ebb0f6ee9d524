// What a resource server of FAPI 2.0 takes.

import JOSE

extension ResourceRules {
    /// FAPI 2.0 Security Profile, 5.3.4: no token that is bound to nothing, and the profile's algorithms and clock.
    public static let fapi2: ResourceRules = {
        var rules = ResourceRules()
        rules.algorithms = SignatureAlgorithm.fapi2
        rules.leeway = DPoPRules.fapi2.leeway
        rules.requiresBinding = true
        return rules
    }()
}
