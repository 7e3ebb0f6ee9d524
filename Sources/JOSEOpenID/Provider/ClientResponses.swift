// Making ID Tokens and UserInfo answers for one client, with its own key and the profile's layers.

public import JOSE
import JOSEBytes

/// What a provider knows about how a user authenticated.
public struct UserAuthentication: Sendable {
    /// `sub`.
    public var subject: String
    /// `auth_time`.
    public var time: NumericDate?
    /// `acr`.
    public var acr: String?
    /// The access token beside the ID Token: becomes `at_hash`, where the profile has one.
    public var accessToken: String?
    /// The code: becomes `c_hash`.
    public var code: String?

    /// The request without a browser that it answers.
    var backchannel: BackchannelBinding?

    /// An authentication.
    ///
    /// - Parameters:
    ///   - subject: The user's `sub`.
    ///   - time: When the user authenticated, `auth_time`.
    ///   - context: How, `acr`.
    public init(subject: String, time: NumericDate? = nil, acr: String? = nil) {
        self.subject = subject
        self.time = time
        self.acr = acr
    }
}

/// What an ID Token says of the backchannel request that it answers, and of the refresh token beside it.
struct BackchannelBinding: Sendable {
    let requestID: String
    let refreshToken: String?
}

/// No claims besides those that every token has.
public struct NoClaims: Encodable, Sendable {
    /// No claims.
    public init() {}
}

/// Makes what a provider answers to one client; prepared once, used from many threads.
public struct ClientResponses: Sendable {
    let issuer: JWTIssuer
    let userInfoIssuer: JWTIssuer
    let accessTokenIssuer: JWTIssuer
    let introspectionIssuer: JWTIssuer
    let logoutIssuer: JWTIssuer
    let issuerName: String
    private let algorithm: SignatureAlgorithm
    let clientID: String
    /// What introspection may tell the client of.
    let audiences: [String]
    /// Whether the client is given no access token that is bound to no key.
    let bindsAccessTokens: Bool
    private let recipient: Result<JWTRecipient, JOSEError>?

    let profile: OpenIDProfile

    init(
        _ provider: OpenIDProvider, _ registration: ClientRegistration, _ profile: OpenIDProfile,
        ours: JWKSet, _ keys: PublicJWKSet?
    ) throws(JOSEError) {
        guard let signer = LocalSigningKey.find(ours, profile.algorithms) else {
            throw .keyNotFound("no key of ours can sign")
        }
        issuer = try signer.issuer(nil, profile.idToken.header, profile.limits)
        userInfoIssuer = try signer.issuer(nil, profile.userInfo.header, profile.limits)
        accessTokenIssuer = try signer.issuer(nil, .accessToken, profile.limits)
        introspectionIssuer = try signer.issuer(nil, .introspection, profile.limits)
        logoutIssuer = try signer.issuer(nil, profile.logout.header, profile.limits)
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
                guard let keys else { throw .keyNotFound("no key of the client is known") }
                return try RemoteEncryptionKey.recipient(
                    keys, profile, offered: registration.keyManagement?.map(\.name))
            } : nil
    }

    /// Issues an ID Token.
    ///
    /// - Parameters:
    ///   - request: The request that it answers; one of this client, at this provider.
    ///   - user: Who authenticated, when and how.
    ///   - claims: Further claims; they must not repeat `iss`, `sub`, `aud`, `iat`, `exp`, `nonce`, `auth_time`, `acr`.
    ///   - now: The time of `iat`; the system's clock where none is given.
    /// - Throws: `misuse` for a request of another client or provider, and for claims that the profile's reader would
    ///   reject, with what is wrong; `keyNotFound`, `limitExceeded`, `internal`.
    ///
    /// Costs the signature, the encryption, and one pass over the claims.
    public func idToken(
        for request: ReceivedAuthorization, _ user: UserAuthentication,
        claims: some Encodable = NoClaims(), at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        let json = try idTokenClaims(for: request, user, claims, now)
        return try issuer.issue(
            checked: json.span, encryptedFor: recipient(profile.idToken.layers))
    }

    /// The claims of an ID Token as they are signed.
    func idTokenClaims(
        for request: ReceivedAuthorization, _ user: UserAuthentication, _ claims: some Encodable,
        _ now: NumericDate?
    ) throws(JOSEError) -> [UInt8] {
        guard request.clientID.isExactly(clientID), request.issuer.isExactly(issuerName) else {
            throw .misuse("the request is of another client or provider")
        }
        let rules = profile.idToken
        try check(subject: user.subject)
        let asked = try check(user, responses: request)
        if request.maxAgeSeconds != nil, user.time == nil {
            throw .misuse("the client asked for max_age, so auth_time is required")
        }
        let issued = now ?? .now
        if let time = user.time {
            let age = AuthenticationAge(
                maxSeconds: request.maxAgeSeconds, leewaySeconds: profile.leewaySeconds)
            if let reason = age.rejection(of: time, at: issued) { throw .misuse(reason) }
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
            if let token = user.accessToken, !isAbsent("at_hash") {
                members.string("at_hash", try algorithm.tokenHash(of: token))
            }
            if let code = user.code, !isAbsent("c_hash") {
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
        if !asked.requiredClaims.isEmpty { required += asked.requiredClaims }
        if rules.requiresAccessTokenHash { required.append("at_hash") }
        if rules.requiresCodeHash, user.backchannel == nil { required.append("c_hash") }
        var absent = rules.omittedClaims
        // Further claims say nothing of what the library judges.
        if request.nonce == nil { absent += ["nonce", "events"] }
        if user.time == nil { absent.append("auth_time") }
        if user.acr == nil { absent.append("acr") }
        let document = try check(json, required: required, absent: absent)
        guard user.backchannel != nil || document.isAbsent(BackchannelClaim.requestID) else {
            throw .furtherClaim
        }
        return json
    }

    /// Makes a UserInfo answer: a token or JSON, as the profile says; see `userInfoMediaType`.
    ///
    /// - Parameters:
    ///   - subject: The `sub` of the ID Token.
    ///   - claims: The user's claims. Leave out what is not there: null and, as the value of a claim, an empty string are `misuse`
    ///     (OpenID Connect Core, 5.3.2).
    ///   - now: The time of `iat`; the system's clock where none is given.
    /// - Throws: As for an ID Token.
    public func userInfo(
        subject: String, claims: some Encodable = NoClaims(), at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        let json = try userInfoClaims(subject: subject, claims, now)
        guard let layers = profile.userInfo.layers else {
            return String(decoding: json, as: UTF8.self)
        }
        return try userInfoIssuer.issue(checked: json.span, encryptedFor: recipient(layers))
    }

    /// The claims of a UserInfo answer as they are signed or sent.
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
        // With an end it would be an ID Token wherever no nonce is expected.
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
            throw .misuse("a claim that is not there is left out of UserInfo, not an empty string")
        }
        return json
    }

    /// The media type of a UserInfo answer.
    public var userInfoMediaType: String { profile.userInfo.mediaType }

    /// The answer of the UserInfo endpoint; see `userInfo`.
    ///
    /// - Throws: As for the token; `BearerError(rejecting:)` tells what to answer then.
    public func userInfoResponse(
        subject: String, claims: some Encodable = NoClaims(), at now: NumericDate? = nil
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        try .notStored(
            try userInfo(subject: subject, claims: claims, at: now), type: userInfoMediaType)
    }

    /// Makes a logout token: post it as `logout_token` to the client's `backchannel_logout_uri`; any answer but 200 is a failure.
    ///
    /// - Parameters:
    ///   - subject: The `sub` of the client's ID Tokens.
    ///   - sessionID: The `sid` of the ID Token whose session ends; nil for all of the user's sessions.
    ///   - now: The time of `iat`; the system's clock where none is given.
    /// - Throws: `misuse` where neither is given or one cannot be; `keyNotFound`, `internal`.
    ///
    /// Source: OpenID Connect Back-Channel Logout 1.0, 2.4 and 2.5.
    public func logoutToken(
        subject: String?, sessionID: String? = nil, at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        let json = try logoutClaims(subject, sessionID, now)
        return try logoutIssuer.issue(
            checked: json.span, encryptedFor: recipient(profile.idToken.layers))
    }

    /// The claims of a logout token as they are signed.
    func logoutClaims(
        _ subject: String?, _ sessionID: String?, _ now: NumericDate?
    ) throws(JOSEError) -> [UInt8] {
        guard subject != nil || sessionID != nil, sessionID?.isEmpty != true else {
            throw .misuse("a logout token names a user or a session")
        }
        if let subject { try check(subject: subject) }
        let issued = now ?? .now
        let expiry = try issued.end(ofLifetime: profile.logout.lifetimeSeconds)
        let name = try FreshText.make(bits: 128)
        return try ClaimsEncoder.encodeObject(
            ["events": [VerifiedLogoutToken.event: JSONValue.object(JSONObject())]]
        ) { (members) throws(JOSEError) in
            members.string("iss", issuerName)
            members.string("aud", clientID)
            members.integer("iat", issued.seconds)
            members.integer("exp", expiry.seconds)
            members.string("jti", name)
            if let subject { members.string("sub", subject) }
            if let sessionID { members.string("sid", sessionID) }
        }
    }

    private func isAbsent(_ name: String) -> Bool {
        profile.idToken.omittedClaims.contains { $0.isExactly(name) }
    }

    /// Throws `misuse` for a user who does not satisfy what the client asked for.
    private func check(
        _ user: UserAuthentication, responses request: ReceivedAuthorization
    ) throws(JOSEError) -> RequestedClaims {
        let asked: RequestedClaims
        do {
            asked = try RequestedClaims(
                request.parameters, profile.authorization, isProvider: true)
        } catch {
            throw error.misuse
        }
        if let acr = user.acr { try profile.authorization.acr.checkDefined(acr) }
        guard profile.authorization.acr.isReached(user.acr, asked.acrValues) else {
            throw .misuse(
                "the acr is weaker than what the client asked for (RegisteredClient.{})",
                "unmetRequirements")
        }
        guard asked.subjects.isEmpty || asked.subjects.contains(where: user.subject.isExactly)
        else { throw .misuse("the client asked for another user") }
        return asked
    }

    private func check(subject: String) throws(JOSEError) {
        guard 1...255 ~= subject.utf8.count, subject.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw .misuse("sub has 1 to 255 ASCII characters")
        }
        if let count = profile.idToken.subjectCharacterCount, subject.utf8.count != count {
            throw .misuse("sub has not the length that the profile says")
        }
    }

    /// One pass over the text: what the reader rejects is not made.
    private func check(
        _ json: [UInt8], required: [String], absent: [String]
    ) throws(JOSEError) -> JSONDocument {
        let document: JSONDocument
        do {
            document = try JSONDocument(json, maxDepth: profile.limits.jsonDepth)
        } catch {
            throw JOSEError(error, at: .output)
        }
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
        guard !hasNull else { throw .misuse("a claim that is not there is left out, not null") }
        return document
    }

    /// For whom an answer in these layers is encrypted; nil for one that is signed only.
    func recipient(_ layers: TokenLayers) throws(JOSEError) -> JWTRecipient? {
        guard layers == .signedThenEncrypted else { return nil }
        return try recipient?.get()
    }
}

extension JOSEError {
    fileprivate static var furtherClaim: JOSEError {
        .misuse("the profile's provider never sends this claim, or not as a further one")
    }

    fileprivate static func claimMissing(_ name: String) -> JOSEError {
        .claimRejected(name, "the profile requires it and it was not given")
    }
}

extension ClientResponses: RedactedDescription {
    package var shownAs: String { "client answers" }
}

extension UserAuthentication: RedactedDescription {
    package var shownAs: String { "user authentication" }
}
