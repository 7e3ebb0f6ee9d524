// What iss and aud must say: rules, and the texts that stand for them.

/// A rule for `iss` (RFC 7519, 4.1.1): one text, byte for byte, or any.
public struct IssuerRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The text that it must be; nil for any.
    package let text: String?

    /// Exactly this text.
    public init(stringLiteral value: String) { text = value }

    fileprivate init(_ text: String?) { self.text = text }
}

/// What may be given as the rule for `iss`: a `String`, which it must be exactly, or an `IssuerRule`.
public protocol IssuerRuleConvertible: Sendable {
    /// The rule.
    var issuerRule: IssuerRule { get }
}

extension String: IssuerRuleConvertible {
    /// Exactly this text.
    public var issuerRule: IssuerRule { IssuerRule(self) }
}

extension IssuerRule: IssuerRuleConvertible {
    /// Itself.
    public var issuerRule: IssuerRule { self }
}

extension IssuerRuleConvertible where Self == IssuerRule {
    /// Any issuer, or none.
    public static var any: IssuerRule { IssuerRule(nil) }

    /// Exactly this text, byte for byte.
    public static func exactly(_ text: String) -> IssuerRule { IssuerRule(text) }
}

/// A rule for `aud` (RFC 7519, 4.1.3): one of its elements is one of our texts, byte for byte, or anything goes.
public struct AudienceRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// Our texts, of which one must be in it; nil for any.
    package let texts: [String]?

    /// One element is exactly this text.
    public init(stringLiteral value: String) { texts = [value] }

    fileprivate init(_ texts: [String]?) { self.texts = texts }
}

/// What may be given as the rule for `aud`: a `String`, which must be in it, or an `AudienceRule`.
public protocol AudienceRuleConvertible: Sendable {
    /// The rule.
    var audienceRule: AudienceRule { get }
}

extension String: AudienceRuleConvertible {
    /// One element is exactly this text.
    public var audienceRule: AudienceRule { AudienceRule([self]) }
}

extension AudienceRule: AudienceRuleConvertible {
    /// Itself.
    public var audienceRule: AudienceRule { self }
}

extension AudienceRuleConvertible where Self == AudienceRule {
    /// Any audience, or none.
    public static var any: AudienceRule { AudienceRule(nil) }

    /// One element is exactly this text, byte for byte.
    public static func contains(_ text: String) -> AudienceRule { AudienceRule([text]) }

    /// One element is exactly one of these texts, byte for byte; a verifier takes no empty list.
    public static func anyOf(_ texts: [String]) -> AudienceRule { AudienceRule(texts) }
}
