// Issues ID Tokens, UserInfo responses and logout tokens for one client.

public import JOSE
import JOSEBytes

/// A user's authentication at the provider.
public struct UserAuthentication: Sendable {
    /// `sub`: the identifier by which the client knows the user.
    public var subject: String
    /// `auth_time`: when the user authenticated; nil if it is unknown.
    public var time: NumericDate?
    /// `acr`: the authentication context class that the user reached; nil for none.
    public var acr: String?
    /// The access token of the same response, for `at_hash` if the profile has this claim.
    public var accessToken: String?
    /// The authorization code, for `c_hash` if the profile has this claim.
    public var code: String?

    var backchannel: BackchannelBinding?

    /// Creates an authentication; see the properties.
    public init(subject: String, time: NumericDate? = nil, acr: String? = nil) {
        self.subject = subject
        self.time = time
        self.acr = acr
    }
}

/// For the CIBA claims of an ID Token: `auth_req_id`, and the refresh token of the same response.
struct BackchannelBinding: Sendable {
    let requestID: String
    let refreshToken: String?
}

/// An empty set of further claims.
public struct NoClaims: Encodable, Sendable {
    /// Creates an empty set.
    public init() {}
}

/// Issues tokens and signed responses for one client. You can use it from many threads.
public struct ClientTokenIssuer: Sendable {
    let issuer: JWTIssuer
    let userInfoIssuer: JWTIssuer
    let accessTokenIssuer: JWTIssuer
    let introspectionIssuer: JWTIssuer
    let logoutIssuer: JWTIssuer
    let issuerName: String
    private let algorithm: SignatureAlgorithm
    let clientID: String
    /// The client's identifiers as a resource server, for introspection.
    let audiences: [String]
    let bindsAccessTokens: Bool
    private let recipient: Result<JWTRecipient, JOSEError>?

    let profile: OpenIDProfile

    init(
        _ provider: OpenIDProvider, _ registration: ClientRegistration, _ profile: OpenIDProfile,
        _ keys: JWKSet, _ clientKeys: PublicJWKSet?
    ) throws(JOSEError) {
        guard let signer = OwnSigningKey.find(keys, profile.algorithms) else {
            throw .noSigningKey
        }
        issuer = try signer.makeIssuer(nil, profile.idToken.header, profile.limits)
        userInfoIssuer = try signer.makeIssuer(nil, profile.userInfo.header, profile.limits)
        accessTokenIssuer = try signer.makeIssuer(nil, .accessToken, profile.limits)
        introspectionIssuer = try signer.makeIssuer(nil, .introspection, profile.limits)
        logoutIssuer = try signer.makeIssuer(nil, profile.logout.header, profile.limits)
        issuerName = provider.metadata.issuer
        audiences = [registration.clientID] + registration.resources
        bindsAccessTokens =
            registration.bindsAccessTokens || profile.accessToken.proofs == .required
        algorithm = signer.algorithm
        clientID = registration.clientID
        self.profile = profile
        recipient =
            profile.encryptsResponses
            ? Result { [profile] () throws(JOSEError) in
                guard let clientKeys else { throw .keyNotFound("the client has no keys") }
                return try RemoteEncryptionKey.recipient(
                    clientKeys, profile, offered: registration.keyManagement?.map(\.name))
            } : nil
    }

    /// Issues an ID Token. This costs a signature, the encryption, and one pass over the claims.
    ///
    /// - Parameters:
    ///   - request: An authorization request of this client at this provider.
    ///   - user: The user's authentication.
    ///   - claims: Further claims. The library sets `iss`, `sub`, `aud`, `iat`, `exp`, `nonce`,
    ///     `auth_time`, `acr`, `at_hash`, `c_hash` and the claims of CIBA.
    ///   - now: The time of `iat`; the system's clock by default.
    /// - Throws: `misuse` for a request of another client or provider, and for a further claim that
    ///   the library sets. `misuse` for claims that a relying party with this profile would reject.
    ///   `claimRejected` with the name of a missing claim that the profile or the request requires.
    ///   `keyNotFound`, `limitExceeded`, `internal`.
    public func idToken(
        for request: ReceivedAuthorization, _ user: UserAuthentication,
        claims: some Encodable = NoClaims(), at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        let json = try idTokenClaims(for: request, user, claims, now)
        return try issuer.issue(
            checked: json.span, encryptedFor: recipient(profile.idToken.layers))
    }

    func idTokenClaims(
        for request: ReceivedAuthorization, _ user: UserAuthentication, _ claims: some Encodable,
        _ now: NumericDate?
    ) throws(JOSEError) -> [UInt8] {
        guard request.clientID.isExactly(clientID), request.issuer.isExactly(issuerName) else {
            throw .misuse("the request belongs to another client or provider")
        }
        let rules = profile.idToken
        try check(subject: user.subject)
        let requested = try check(user, for: request)
        if request.maxAgeSeconds != nil, user.time == nil {
            throw .misuse("the request has max_age, so auth_time is required")
        }
        let issued = now ?? .now
        if let time = user.time {
            let age = AuthenticationAge(
                maxSeconds: request.maxAgeSeconds, leewaySeconds: profile.leewaySeconds)
            if let error = age.misuse(of: time, named: "UserAuthentication.time", at: issued) {
                throw error
            }
        }
        let expiry = try issued.end(ofLifetime: rules.lifetimeSeconds)
        let json = try ClaimsEncoder.encodeObject(claims) { (members) throws(JOSEError) in
            members.string("iss", issuerName)
            members.string("sub", user.subject)
            members.string("aud", clientID)
            members.integer("iat", issued.seconds)
            members.integer("exp", expiry.seconds)
            if let nonce = request.nonce { members.string("nonce", nonce) }
            if let time = user.time { members.date("auth_time", time) }
            if let acr = user.acr {
                members.string("acr", profile.authorization.acr.written(acr))
            }
            if let token = user.accessToken, !isOmitted("at_hash") {
                members.string("at_hash", try algorithm.tokenHash(of: token))
            }
            if let code = user.code, !isOmitted("c_hash") {
                members.string("c_hash", try algorithm.tokenHash(of: code))
            }
            if let backchannel = user.backchannel {
                members.string(BackchannelClaim.requestID, backchannel.requestID)
                if let token = backchannel.refreshToken {
                    members.string(
                        BackchannelClaim.refreshTokenHash,
                        try algorithm.tokenHash(of: token))
                }
            }
        }
        var required = rules.requiredClaims
        if !requested.requiredClaims.isEmpty { required += requested.requiredClaims }
        if rules.requiresAccessTokenHash { required.append("at_hash") }
        if rules.requiresCodeHash, user.backchannel == nil { required.append("c_hash") }
        var absent = rules.omittedClaims
        // An ID Token with events and without nonce resembles a logout token.
        if request.nonce == nil { absent += ["nonce", "events"] }
        if user.time == nil { absent.append("auth_time") }
        if user.acr == nil { absent.append("acr") }
        let document = try check(json, required: required, absent: absent)
        guard user.backchannel != nil || document.isAbsent(BackchannelClaim.requestID) else {
            throw .furtherClaim
        }
        return json
    }

    /// Makes the body of a UserInfo response: a JWT or JSON, as the profile requires.
    ///
    /// - Parameters:
    ///   - subject: The `sub` of the ID Token.
    ///   - claims: The user's claims. Omit absent claims: null or an empty string as the value of a
    ///     claim is `misuse` (OpenID Connect Core, 5.3.2).
    ///   - now: The time of `iat`; the system's clock by default.
    /// - Throws: As `idToken(for:_:claims:at:)`.
    public func userInfo(
        subject: String, claims: some Encodable = NoClaims(), at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        let json = try userInfoClaims(subject: subject, claims, now)
        guard let layers = profile.userInfo.layers else {
            return String(decoding: json, as: UTF8.self)
        }
        return try userInfoIssuer.issue(checked: json.span, encryptedFor: recipient(layers))
    }

    func userInfoClaims(
        subject: String, _ claims: some Encodable, _ now: NumericDate?
    ) throws(JOSEError) -> [UInt8] {
        try check(subject: subject)
        let layers = profile.userInfo.layers
        let issued = now ?? .now
        let json = try ClaimsEncoder.encodeObject(claims) { (members) throws(JOSEError) in
            members.string("sub", subject)
            guard layers != nil else { return }
            members.string("iss", issuerName)
            members.string("aud", clientID)
            members.integer("iat", issued.seconds)
        }
        // With exp, a UserInfo response could be accepted as an ID Token without nonce.
        let document = try check(
            json, required: profile.userInfo.requiredClaims,
            absent: profile.userInfo.absentClaims + (layers == nil ? [] : ["exp"]))
        var hasEmpty = false
        document.forEachMember { _, value in
            if document.kind(at: value) == .string, document.range(at: value).isEmpty {
                hasEmpty = true
            }
        }
        guard !hasEmpty else {
            throw .misuse("a UserInfo claim is an empty string: omit it")
        }
        return json
    }

    /// The media type of a UserInfo response.
    public var userInfoMediaType: String { profile.userInfo.mediaType }

    /// Makes the UserInfo response; see `userInfo(subject:claims:at:)`.
    ///
    /// - Throws: The errors of that function. Respond to an error with `BearerError(rejecting:)`.
    public func userInfoResponse(
        subject: String, claims: some Encodable = NoClaims(), at now: NumericDate? = nil
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        try .notStored(
            try userInfo(subject: subject, claims: claims, at: now), type: userInfoMediaType)
    }

    /// Issues a logout token. Send it as `logout_token` to the client's `backchannel_logout_uri`.
    /// Status 200 or 204 means success; any other status is a failure.
    ///
    /// - Parameters:
    ///   - subject: The `sub` of the client's ID Tokens.
    ///   - sessionID: The `sid` of the session's ID Tokens; nil to end all sessions of the user.
    ///   - now: The time of `iat`; the system's clock by default.
    /// - Throws: `misuse` if both identifiers are nil or one is invalid; `keyNotFound`, `internal`.
    ///
    /// Source: OpenID Connect Back-Channel Logout 1.0, 2.4, 2.5 and 2.8.
    public func logoutToken(
        subject: String?, sessionID: String? = nil, at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        let json = try logoutClaims(subject, sessionID, now)
        return try logoutIssuer.issue(
            checked: json.span, encryptedFor: recipient(profile.idToken.layers))
    }

    func logoutClaims(
        _ subject: String?, _ sessionID: String?, _ now: NumericDate?
    ) throws(JOSEError) -> [UInt8] {
        guard subject != nil || sessionID != nil, sessionID?.isEmpty != true else {
            throw .misuse("a logout token needs a subject or a sessionID")
        }
        if let subject { try check(subject: subject) }
        let issued = now ?? .now
        let expiry = try issued.end(ofLifetime: profile.logout.lifetimeSeconds)
        let tokenID = try RandomString.make(bits: 128)
        return try ClaimsEncoder.encodeObject(
            ["events": [VerifiedLogoutToken.event: JSONValue.object(JSONObject())]]
        ) { (members) throws(JOSEError) in
            members.string("iss", issuerName)
            members.string("aud", clientID)
            members.integer("iat", issued.seconds)
            members.integer("exp", expiry.seconds)
            members.string("jti", tokenID)
            if let subject { members.string("sub", subject) }
            if let sessionID { members.string("sid", sessionID) }
        }
    }

    private func isOmitted(_ name: String) -> Bool {
        profile.idToken.omittedClaims.contains { $0.isExactly(name) }
    }

    private func check(
        _ user: UserAuthentication, for request: ReceivedAuthorization
    ) throws(JOSEError) -> RequestedClaims {
        let requested = try RequestedClaims(accepted: request, profile.authorization)
        if let acr = user.acr { try profile.authorization.acr.checkDefined(acr) }
        guard profile.authorization.acr.isReached(user.acr, requested.acrValues) else {
            throw .misuse(
                "UserAuthentication.acr does not satisfy the request (RegisteredClient.{})",
                "unmetRequirements")
        }
        guard requested.allows(subject: user.subject) else {
            throw .misuse("the request is for another user than UserAuthentication.subject")
        }
        return requested
    }

    private func check(subject: String) throws(JOSEError) {
        guard 1...255 ~= subject.utf8.count, subject.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw .misuse("sub must have 1 to 255 ASCII characters")
        }
        if let count = profile.idToken.subjectCharacterCount, subject.utf8.count != count {
            throw .misuse(
                "sub must have {} characters and has {} (idToken.subjectCharacterCount)",
                .number(count), .number(subject.utf8.count))
        }
    }

    func parse(_ json: [UInt8]) throws(JOSEError) -> JSONDocument {
        do {
            return try JSONDocument(json, maxDepth: profile.limits.jsonDepth)
        } catch {
            throw JOSEError(error, at: .output)
        }
    }

    /// Throws for claims that a relying party with this profile would reject.
    private func check(
        _ json: [UInt8], required: [String], absent: [String]
    ) throws(JOSEError) -> JSONDocument {
        let document = try parse(json)
        for name in required where document.member(named: name) == nil {
            throw .claimMissing(name)
        }
        for name in absent where document.member(named: name) != nil {
            throw .furtherClaim
        }
        var hasNull = false
        document.forEachMember { _, value in
            if document.isNull(at: value) { hasNull = true }
        }
        guard !hasNull else { throw .misuse("a claim is null: omit it") }
        return document
    }

    /// Returns the recipient of an encrypted response; nil if `layers` has no encryption.
    func recipient(_ layers: TokenLayers) throws(JOSEError) -> JWTRecipient? {
        guard layers == .signedThenEncrypted else { return nil }
        return try recipient?.get()
    }
}

extension JOSEError {
    fileprivate static var furtherClaim: JOSEError {
        .misuse(
            """
            a further claim is set by the library, or is one that the profile's provider never \
            sends (idToken.omittedClaims, userInfo.absentClaims)
            """)
    }

    fileprivate static func claimMissing(_ name: String) -> JOSEError {
        .claimRejected(name, "the profile requires it, and it is missing")
    }
}

extension ClientTokenIssuer: RedactedDescription {}
extension UserAuthentication: RedactedDescription {}
