// What a signed answer at the redirect address must be (JWT Secured Authorization Response Mode).

import JOSE

/// The rules for answers that are signed tokens; they count where the profile has a response mode that asks for one.
public struct JARMRules: Sendable {
    /// The layers.
    public var layers = TokenLayers.signed
    /// The header; no `typ` is registered for these tokens.
    public var header = TokenHeaderRules()
    /// How long an answer that we make lives; 1 to 600 whole seconds.
    public var lifetime = Duration.seconds(300)
    var lifetimeSeconds: Int { lifetime.wholeSeconds }
    /// How far ahead of now the `exp` of an answer may be, besides the leeway; whole seconds, at least 1.
    public var horizon = Duration.seconds(600)
    var horizonSeconds: Int { horizon.wholeSeconds }

    /// Signed, five minutes long.
    public init() {}
}

extension AuthorizationRules {
    /// Whether answers may be signed tokens.
    var usesJARM: Bool { responseModes.contains(where: \.isSigned) }
}
