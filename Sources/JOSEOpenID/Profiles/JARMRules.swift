// The rules for JWT-secured authorization responses (JARM).

import JOSE

/// The rules for JARM responses: those of the response modes with `isSigned`.
public struct JARMRules: Sendable {
    /// Whether responses are only signed, the default, or signed and encrypted.
    public var layers = TokenLayers.signed
    /// The header. No `typ` is registered for these tokens.
    public var header = TokenHeaderRules()
    /// The lifetime of a response that a provider makes; 1 to 600 whole seconds.
    public var lifetime = Duration.seconds(300)
    var lifetimeSeconds: Int { lifetime.wholeSeconds }
    /// The maximum time from now to the `exp` of a received response; whole seconds, at least 1.
    /// The leeway is added.
    public var maxValidity = Duration.seconds(600)
    var maxValiditySeconds: Int { maxValidity.wholeSeconds }

    /// Creates rules with the default values.
    public init() {}
}

extension AuthorizationRules {
    var usesJARM: Bool { responseModes.contains(where: \.isSigned) }
}
