// What the claims of a token must say: one value, fixed before any token is seen.

import JOSEBytes

/// What every token of one kind must say, whoever sends it.
///
/// `issuer` and `audience` are given or `.any` is written. `exp` is required unless `requiredClaims` says otherwise.
public struct ClaimsPolicy: Sendable, Hashable {
    /// The rule for `iss`.
    public var issuer: IssuerRule
    /// The rule for `aud`.
    public var audience: AudienceRule
    /// Claims that must be present, whatever their value.
    public var requiredClaims: [String] = ["exp"]
    /// Whether a required claim outside the registered ones is missing where it is null, as in
    /// every ID Token.
    package var nullIsAbsent = false
    /// How far clocks may differ: 0 to 300 whole seconds, 60 by default. A verifier is not made with
    /// another value.
    public var leeway: Duration {
        get { .seconds(leewaySeconds) }
        set { leewaySeconds = newValue.wholeSeconds }
    }
    /// The longest life, `exp` less `iat`: whole seconds, 0 or more. `iat` is required if this is
    /// set.
    public var maxLifetime: Duration? {
        get { maxLifetimeSeconds.map { .seconds($0) } }
        set { maxLifetimeSeconds = newValue?.wholeSeconds }
    }
    package var leewaySeconds = 60
    package var maxLifetimeSeconds: Int?
    /// The rule for the header's `typ`: that of the signed token where it is inside an encrypted one, whose own `typ` may be
    /// absent, `JWT` or the same (RFC 8725, 3.11).
    public var type = MediaTypeRule.jwt
    /// Whether an encrypted token around a signed one must say so by `cty` (RFC 7519, 5.2); where it need not, another `cty`
    /// than `JWT` is rejected all the same.
    public var requiresContentType = true
    /// The client that is the authorized party, by OpenID's rules (OpenID Connect Core, 3.1.3.7).
    ///
    /// `azp`, if present, is this client or one of `trustedAudiences`. `aud` names no audience
    /// besides those of the policy and these. Without a client, `azp` and further audiences are not
    /// checked.
    public var authorizedParty: String?
    /// Further audiences that a token for `authorizedParty` may name in `aud` and `azp`, compared
    /// byte for byte. None by default.
    ///
    /// Name a client of your own whose ID Tokens you accept, such as the mobile app of a web
    /// server.
    public var trustedAudiences: [String] = []
    /// The most bytes of `sub`, at least 1; nil for any number. OpenID allows 255 (OpenID Connect
    /// Core, 2).
    public var maxSubjectBytes: Int?

    /// The most that any policy allows: what a store of one-time tokens must reckon with.
    package static let maxLeewaySeconds = 300

    var ownChecks: [OwnClaimCheck] = []

    /// A policy with the defaults for everything but issuer, audience and type.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` that tokens must have, or `.any`.
    ///   - audience: The `aud` that they must name, `.anyOf` several of them, or `.any`.
    ///   - type: What their `typ` must say, such as `"at+jwt"`.
    public init(issuer: IssuerRule, audience: AudienceRule, type: MediaTypeRule = .jwt) {
        self.issuer = issuer
        self.audience = audience
        self.type = type
    }

    /// A policy for tokens of one issuer to one audience.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` that tokens must have, byte for byte.
    ///   - audience: The `aud` that they must name, byte for byte.
    ///   - type: What their `typ` must say, such as `"at+jwt"`.
    public init(issuer: String, audience: String, type: MediaTypeRule = .jwt) {
        self.init(issuer: .exactly(issuer), audience: .contains(audience), type: type)
    }

    /// Throws `misuse` for a policy that accepts what nobody can mean.
    func check() throws(JOSEError) {
        guard issuer.texts?.isEmpty != true, issuer.texts?.contains(where: \.isEmpty) != true
        else {
            throw .misuse("the issuer is empty: name one or write .any (ClaimsPolicy.issuer)")
        }
        guard audience.texts?.isEmpty != true else {
            throw .misuse("the list of audiences is empty: name one or write .any")
        }
        guard audience.texts?.contains(where: \.isEmpty) != true else {
            throw .misuse("an audience is empty: name one or write .any (ClaimsPolicy.audience)")
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
            throw .misuse("the leeway is not 0 to 300 whole seconds (ClaimsPolicy.leeway)")
        }
        if let longest = maxLifetimeSeconds, longest < 0 {
            throw .misuse(
                "the longest life is not whole seconds, 0 or more (ClaimsPolicy.maxLifetime)")
        }
        if let limit = maxSubjectBytes, limit < 1 {
            throw .misuse("maxSubjectBytes is {}; at least 1 is required", .number(limit))
        }
    }

    /// The rules of OpenID Connect for an ID Token.
    ///
    /// `sub` and `iat` are required, `sub` has at most 255 bytes, the token lives at most one day,
    /// and audiences and `azp` other than the client are rejected unless `trustedAudiences` names
    /// them.
    ///
    /// - Parameters:
    ///   - issuer: The provider's issuer identifier.
    ///   - clientID: Our `client_id`, which `aud` must name.
    public static func openID(issuer: String, clientID: String) -> ClaimsPolicy {
        var policy = ClaimsPolicy(issuer: issuer, audience: clientID)
        policy.requiredClaims = ["iss", "sub", "aud", "exp", "iat"]
        policy.maxLifetimeSeconds = 86_400
        policy.authorizedParty = clientID
        policy.maxSubjectBytes = 255
        return policy
    }
}

// Texts are compared as they are in tokens: whoever keeps a verifier for each policy must not get another issuer's.

extension IssuerRule {
    /// The same rule, byte for byte.
    public static func == (a: IssuerRule, b: IssuerRule) -> Bool {
        a.texts?.map(ExactString.init) == b.texts?.map(ExactString.init)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(texts?.map(ExactString.init)) }
}

extension AudienceRule {
    /// The same rule, byte for byte.
    public static func == (a: AudienceRule, b: AudienceRule) -> Bool {
        a.texts?.map(ExactString.init) == b.texts?.map(ExactString.init)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(texts?.map(ExactString.init)) }
}

extension ClaimsPolicy {
    /// The same rules, texts byte for byte.
    public static func == (a: ClaimsPolicy, b: ClaimsPolicy) -> Bool {
        a.issuer == b.issuer && a.audience == b.audience && a.type == b.type
            && a.requiresContentType == b.requiresContentType
            && a.leewaySeconds == b.leewaySeconds
            && a.maxLifetimeSeconds == b.maxLifetimeSeconds
            && a.authorizedParty.map(ExactString.init) == b.authorizedParty.map(ExactString.init)
            && a.trustedAudiences.map(ExactString.init) == b.trustedAudiences.map(ExactString.init)
            && a.maxSubjectBytes == b.maxSubjectBytes
            && a.requiredClaims.map(ExactString.init) == b.requiredClaims.map(ExactString.init)
            && a.nullIsAbsent == b.nullIsAbsent
            && a.ownChecks == b.ownChecks
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(issuer)
        hasher.combine(audience)
        hasher.combine(type)
        hasher.combine(requiresContentType)
        hasher.combine(leewaySeconds)
        hasher.combine(maxLifetimeSeconds)
        hasher.combine(authorizedParty.map(ExactString.init))
        hasher.combine(trustedAudiences.map(ExactString.init))
        hasher.combine(maxSubjectBytes)
        hasher.combine(requiredClaims.map(ExactString.init))
        hasher.combine(ownChecks)
    }
}

/// What one particular token must say, known from the request that it answers.
public struct ClaimsExpectation: Sendable {
    /// The `nonce` that was sent; compared in constant time. A token without it is rejected.
    public var nonce: String?
    /// The `sub` that is known already; compared in constant time.
    public var subject: String?
    /// The access token that came beside an ID Token: `at_hash`, if present, must fit it.
    public var accessToken: String?
    /// Whether `at_hash` must be present.
    public var requiresAccessTokenHash = false
    /// The authorization code that came beside an ID Token: `c_hash`, if present, must fit it.
    public var code: String?
    /// Whether `c_hash` must be present.
    public var requiresCodeHash = false

    /// Expects nothing particular.
    ///
    /// - Parameters:
    ///   - nonce: The `nonce` of the request.
    ///   - subject: The `sub` that is known already.
    ///   - accessToken: The access token that came beside an ID Token: `at_hash`, if present, must fit it.
    public init(nonce: String? = nil, subject: String? = nil, accessToken: String? = nil) {
        self.nonce = nonce
        self.subject = subject
        self.accessToken = accessToken
    }

    /// Expects nothing particular.
    public static let none = ClaimsExpectation()
}

extension ClaimsExpectation: RedactedDescription {
    package var shownAs: String { "claims expectation" }
}
