// Issues JWT access tokens (RFC 9068).

public import JOSE
import JOSEBytes

extension ClientTokenIssuer {
    /// Issues a JWT access token. The profile sets its lifetime (`accessToken.lifetime`).
    ///
    /// - Parameters:
    ///   - grant: The token's contents.
    ///   - claims: Further claims, such as `roles`, but none that the grant or the provider sets.
    ///   - now: The time of `iat`; the system's clock by default.
    /// - Throws: `misuse` for contents that a resource server would reject; `limitExceeded`,
    ///   `internal`.
    ///
    /// Source: RFC 9068, 2; RFC 9449, 6.1.
    public func accessToken(
        _ grant: AccessGrant, claims: some Encodable = NoClaims(), at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        let json = try accessTokenClaims(grant, claims, now)
        return try accessTokenIssuer.issue(checked: json.span, encryptedFor: nil)
    }

    func accessTokenClaims(
        _ grant: AccessGrant, _ claims: some Encodable, _ now: NumericDate?
    ) throws(JOSEError) -> [UInt8] {
        guard 1...255 ~= grant.subject.utf8.count else { throw .misuse("sub is empty or too long") }
        // A client with dpop_bound_access_tokens must not get a bearer token (RFC 9449, 5.2).
        guard !bindsAccessTokens || grant.binding.keyThumbprint != nil else {
            throw .misuse("the client's tokens are bound to keys: set the grant's binding")
        }
        guard let first = grant.audience.first, !grant.audience.contains(where: \.isEmpty) else {
            throw .misuse("the grant's audience is empty: name a resource")
        }
        guard !profile.accessToken.requiresBinding || !grant.binding.isEmpty else {
            throw .misuse("the profile requires a binding (accessToken.requiresBinding)")
        }
        let scope = try KnownParameter.scope(grant.scopes)
        let issued = now ?? .now
        if let time = grant.authenticatedAt {
            let age = AuthenticationAge(
                maxSeconds: nil, leewaySeconds: profile.leewaySeconds)
            if let error = age.misuse(of: time, named: "AccessGrant.authenticatedAt", at: issued) {
                throw error
            }
        }
        let expiry = try issued.end(ofLifetime: profile.accessToken.lifetimeSeconds)
        let json = try ClaimsEncoder.encodeObject(claims) { (members) throws(JOSEError) in
            members.string("iss", issuerName)
            members.string("sub", grant.subject)
            if grant.audience.count == 1 {
                members.string("aud", first)
            } else {
                members.strings("aud", grant.audience)
            }
            members.string("client_id", clientID)
            members.integer("iat", issued.seconds)
            members.integer("exp", expiry.seconds)
            members.string("jti", try RandomString.make(bits: 128))
            if !scope.isEmpty { members.string("scope", scope) }
            if let time = grant.authenticatedAt { members.date("auth_time", time) }
            if let acr = grant.acr { members.string("acr", acr) }
            if !grant.methods.isEmpty { members.strings("amr", grant.methods) }
            try grant.binding.write(to: &members)
        }
        // The caller's claims must not set a claim that the grant leaves out.
        let absent = [
            scope.isEmpty ? "scope" : nil, grant.authenticatedAt == nil ? "auth_time" : nil,
            grant.acr == nil ? "acr" : nil, grant.methods.isEmpty ? "amr" : nil,
            grant.binding.isEmpty ? "cnf" : nil,
        ]
        let document = try parse(json)
        for name in absent.compactMap(\.self) where document.member(named: name) != nil {
            throw .misuse("further claims contain one that only the grant may set")
        }
        return json
    }
}
