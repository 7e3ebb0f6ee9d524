// The rules for the claims of all tokens, and the values expected in one token.

import JOSEBytes

/// The rules for the claims of one kind of token.
///
/// Set `issuer` and `audience`, or write `.any`. `exp` is required unless you change
/// `requiredClaims`.
public struct ClaimsPolicy: Sendable, Hashable {
    /// The rule for `iss`.
    public var issuer: IssuerRule
    /// The rule for `aud`.
    public var audience: AudienceRule
    /// The names of required claims. A null `azp`, `at_hash` or `c_hash` counts as missing.
    public var requiredClaims: [String] = ["exp"]
    /// Whether a required claim that is null counts as missing, as in ID Tokens. For the claims of
    /// `RegisteredClaims.Name`, `mayBeNull` decides instead.
    package var nullIsAbsent = false
    /// The allowed difference between clocks: 0 to 300 whole seconds, 60 by default. A verifier
    /// rejects other values as `misuse`.
    public var leeway: Duration = .seconds(60) {
        didSet { wholeLeeway = leeway.wholeSeconds }
    }
    /// The maximum lifetime, `exp` minus `iat`, in whole seconds, 0 or more. A verifier rejects
    /// other values as `misuse`. If set, `iat` and `exp` are required.
    public var maxLifetime: Duration? {
        didSet { wholeMaxLifetime = maxLifetime?.wholeSeconds }
    }
    // In seconds; -1 for a duration that is not whole seconds. Computed once, since each
    // verification reads them. Never assign `leeway` or `maxLifetime` in an initialiser: `didSet`
    // does not run there.
    private var wholeLeeway = 60
    private var wholeMaxLifetime: Int?
    package var leewaySeconds: Int {
        get { wholeLeeway }
        set { leeway = .seconds(newValue) }
    }
    package var maxLifetimeSeconds: Int? {
        get { wholeMaxLifetime }
        set { maxLifetime = newValue.map { .seconds($0) } }
    }
    /// The rule for the header's `typ`. In a nested token it applies to the signed token.
    ///
    /// The encrypted token's `typ` may then be absent, `JWT` or a type that this rule names (RFC
    /// 8725, 3.11). With `byIssuer` it may only be absent or `JWT`.
    public var type = MediaTypeRule.jwt
    /// Whether an encrypted token around a signed one must have `cty` `JWT` (RFC 7519, 5.2). A
    /// `cty` other than `JWT` is always rejected.
    public var requiresContentType = true
    /// The client that is the authorized party (OpenID Connect Core, 3.1.3.7).
    ///
    /// If set, `azp` must be absent, this client or one of `trustedAudiences`. Every value of `aud`
    /// must then be an audience of the policy or one of `trustedAudiences`, unless `audience` is
    /// `.any`. If nil, `azp` and further audiences are not checked.
    public var authorizedParty: String?
    /// Further audiences that a token for `authorizedParty` may name in `aud` and `azp`, compared
    /// byte for byte.
    ///
    /// Name another client of yours whose ID Tokens you accept, such as the mobile app of a web
    /// server.
    public var trustedAudiences: [String] = []
    /// The maximum size of `sub` in bytes, at least 1; nil for no limit. OpenID allows 255 (OpenID
    /// Connect Core, 2).
    public var maxSubjectBytes: Int?

    /// The largest leeway of any policy. A replay store keeps entries longer than this after `exp`.
    package static let maxLeewaySeconds = 300

    var customChecks: [CustomClaimCheck] = []

    /// Creates a policy with defaults for everything except issuer, audience and type.
    ///
    /// - Parameters:
    ///   - issuer: The rule for `iss`, or `.any`.
    ///   - audience: The rule for `aud`, such as `.anyOf`, or `.any`.
    ///   - type: The rule for `typ`, such as `"at+jwt"`.
    public init(issuer: IssuerRule, audience: AudienceRule, type: MediaTypeRule = .jwt) {
        self.issuer = issuer
        self.audience = audience
        self.type = type
    }

    /// Creates a policy for tokens of one issuer to one audience.
    ///
    /// - Parameters:
    ///   - issuer: The required `iss`, compared byte for byte.
    ///   - audience: The value that `aud` must contain, compared byte for byte.
    ///   - type: The rule for `typ`, such as `"at+jwt"`.
    public init(issuer: String, audience: String, type: MediaTypeRule = .jwt) {
        self.init(issuer: .exactly(issuer), audience: .contains(audience), type: type)
    }

    /// Throws `misuse` for empty names, numbers out of range and incomplete rules.
    func check() throws(JOSEError) {
        guard issuer.texts?.isEmpty != true, issuer.texts?.contains(where: \.isEmpty) != true
        else {
            throw .misuse("the issuer is empty: name one or use .any (ClaimsPolicy.issuer)")
        }
        guard audience.texts?.isEmpty != true else {
            throw .misuse("the list of audiences is empty: name one or use .any")
        }
        guard audience.texts?.contains(where: \.isEmpty) != true else {
            throw .misuse("an audience is empty: name one or use .any (ClaimsPolicy.audience)")
        }
        guard authorizedParty?.isEmpty != true else {
            throw .misuse("the authorized party is empty (ClaimsPolicy.authorizedParty)")
        }
        guard trustedAudiences.isEmpty || authorizedParty != nil else {
            throw .misuse("trustedAudiences needs authorizedParty, the client_id")
        }
        guard !trustedAudiences.contains(where: \.isEmpty) else {
            throw .misuse("a trusted audience is empty (ClaimsPolicy.trustedAudiences)")
        }
        guard 0...ClaimsPolicy.maxLeewaySeconds ~= leewaySeconds else {
            throw .misuse("leeway is not 0 to 300 whole seconds (ClaimsPolicy.leeway)")
        }
        if let max = maxLifetimeSeconds, max < 0 {
            throw .misuse("maxLifetime is not 0 or more whole seconds (ClaimsPolicy.maxLifetime)")
        }
        if let limit = maxSubjectBytes, limit < 1 {
            throw .misuse("maxSubjectBytes is {}; at least 1 is required", .number(limit))
        }
    }

    /// Returns the rules of OpenID Connect for an ID Token.
    ///
    /// `iss`, `sub`, `aud`, `exp` and `iat` are required. `sub` has at most 255 bytes, and the
    /// token's lifetime is at most one day. If present, `azp` must be the client or in
    /// `trustedAudiences`. So must every value of `aud`.
    ///
    /// - Parameters:
    ///   - issuer: The provider's issuer identifier.
    ///   - clientID: Your `client_id`, which `aud` must contain.
    public static func openID(issuer: String, clientID: String) -> ClaimsPolicy {
        var policy = ClaimsPolicy(issuer: issuer, audience: clientID)
        policy.requiredClaims = ["iss", "sub", "aud", "exp", "iat"]
        policy.maxLifetime = .seconds(86_400)
        policy.authorizedParty = clientID
        policy.maxSubjectBytes = 255
        return policy
    }
}

// `==` compares strings byte for byte, as the checks of tokens do. Otherwise a caller that caches
// verifiers by policy could get the verifier of another issuer.

extension IssuerRule {
    /// Compares strings byte for byte.
    public static func == (a: IssuerRule, b: IssuerRule) -> Bool {
        a.texts?.map(ExactString.init) == b.texts?.map(ExactString.init)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(texts?.map(ExactString.init)) }
}

extension AudienceRule {
    /// Compares strings byte for byte.
    public static func == (a: AudienceRule, b: AudienceRule) -> Bool {
        a.texts?.map(ExactString.init) == b.texts?.map(ExactString.init)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(texts?.map(ExactString.init)) }
}

extension ClaimsPolicy {
    /// Compares all properties: strings byte for byte, custom checks by identity.
    public static func == (a: ClaimsPolicy, b: ClaimsPolicy) -> Bool {
        a.issuer == b.issuer && a.audience == b.audience && a.type == b.type
            && a.requiresContentType == b.requiresContentType
            && a.leeway == b.leeway && a.maxLifetime == b.maxLifetime
            && a.authorizedParty.map(ExactString.init) == b.authorizedParty.map(ExactString.init)
            && a.trustedAudiences.map(ExactString.init) == b.trustedAudiences.map(ExactString.init)
            && a.maxSubjectBytes == b.maxSubjectBytes
            && a.requiredClaims.map(ExactString.init) == b.requiredClaims.map(ExactString.init)
            && a.nullIsAbsent == b.nullIsAbsent
            && a.customChecks == b.customChecks
    }

    /// Hashes what `==` compares, except `nullIsAbsent`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(issuer)
        hasher.combine(audience)
        hasher.combine(type)
        hasher.combine(requiresContentType)
        hasher.combine(leeway)
        hasher.combine(maxLifetime)
        hasher.combine(authorizedParty.map(ExactString.init))
        hasher.combine(trustedAudiences.map(ExactString.init))
        hasher.combine(maxSubjectBytes)
        hasher.combine(requiredClaims.map(ExactString.init))
        hasher.combine(customChecks)
    }
}

/// Values that one particular token must have, known from its request.
public struct ClaimsExpectation: Sendable {
    /// The `nonce` of the request, required in the token and compared in constant time.
    public var nonce: String?
    /// The known `sub`, compared in constant time.
    public var subject: String?
    /// The access token that came with an ID Token. If `at_hash` is present, it must match.
    public var accessToken: String?
    /// Whether `at_hash` must be present; `accessToken` must then be set.
    public var requiresAccessTokenHash = false
    /// The authorization code that came with an ID Token. If `c_hash` is present, it must match.
    public var code: String?
    /// Whether `c_hash` must be present; `code` must then be set.
    public var requiresCodeHash = false

    /// Creates an expectation. Only the values that you pass are checked.
    ///
    /// - Parameters:
    ///   - nonce: The `nonce` of the request.
    ///   - subject: The known `sub`.
    ///   - accessToken: The access token that came with an ID Token.
    public init(nonce: String? = nil, subject: String? = nil, accessToken: String? = nil) {
        self.nonce = nonce
        self.subject = subject
        self.accessToken = accessToken
    }

    /// No expected values: only the policy applies.
    public static let none = ClaimsExpectation()
}

extension ClaimsExpectation: RedactedDescription {}
