// What a signed answer at the redirect address must be (JWT Secured Authorization Response Mode).

import JOSE

/// The rules for answers that are signed tokens; they count where the profile has a response mode that asks for one.
public struct SignedAnswerRules: Sendable {
    /// The layers.
    public var layers = TokenLayers.signed
    /// The header; no `typ` is registered for these tokens.
    public var header = TokenHeaderRules()
    /// How long an answer that we make lives, in seconds; 1 to 600.
    public var lifetimeSeconds = 300
    /// How far ahead of now the `exp` of an answer may be, in seconds, besides the leeway; at least 1.
    public var horizonSeconds = 600

    /// Signed, five minutes long.
    public init() {}
}

extension AuthorizationRules {
    /// Whether answers may be signed tokens.
    var hasSignedAnswers: Bool { responseModes.contains(where: \.isSigned) }
}
