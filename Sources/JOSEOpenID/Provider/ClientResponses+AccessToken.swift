// Making JWT access tokens (RFC 9068).

public import JOSE
import JOSEBytes

extension ClientResponses {
    /// Issues an access token that resource servers judge by themselves.
    ///
    /// - Parameters:
    ///   - grant: What it grants.
    ///   - claims: Further claims, such as `roles`; they must not repeat those of the grant or of the provider.
    ///   - now: The time of `iat`; the system's clock where none is given.
    /// - Throws: `misuse` for what no resource server would take; `limitExceeded`, `internal`.
    ///
    /// The profile says how long it lives. Source: RFC 9068, 2; RFC 9449, 6.1.
    public func accessToken(
        _ grant: AccessGrant, claims: some Encodable = NoClaims(), at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        let json = try accessTokenClaims(grant, claims, now)
        return try accessTokenIssuer.issue(checked: json.span, encryptedFor: nil)
    }

    /// The claims of an access token as they are signed.
    func accessTokenClaims(
        _ grant: AccessGrant, _ claims: some Encodable, _ now: NumericDate?
    ) throws(JOSEError) -> [UInt8] {
        guard 1...255 ~= grant.subject.utf8.count else { throw .misuse("sub is empty or too long") }
        // What the client was told is bound would be anybody's who has it (RFC 9449, 5.2).
        guard !bindsAccessTokens || grant.binding.keyThumbprint != nil else {
            throw .misuse("the client's tokens are bound to keys: name its proof's in the grant")
        }
        guard let first = grant.audience.first, !grant.audience.contains(where: \.isEmpty) else {
            throw .misuse("an access token is for a resource: name it in aud")
        }
        guard !profile.accessToken.requiresBinding || !grant.binding.isNone else {
            throw .misuse("the profile binds every access token to a key or a certificate")
        }
        let scope = try KnownParameter.scope(grant.scopes)
        let issued = now ?? .now
        if let time = grant.authenticatedAt {
            let age = AuthenticationAge(
                maxSeconds: nil, leewaySeconds: profile.leewaySeconds)
            if let reason = age.rejection(of: time, at: issued) { throw .misuse(reason) }
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
            members.string("jti", try FreshText.make(bits: 128))
            if !scope.isEmpty { members.string("scope", scope) }
            if let time = grant.authenticatedAt { members.date("auth_time", time) }
            if let acr = grant.acr { members.string("acr", acr) }
            if !grant.methods.isEmpty { members.strings("amr", grant.methods) }
            try grant.binding.write(to: &members)
        }
        // What the grant leaves out is not granted, whatever a user's attributes are called.
        let isSaid: KeyValuePairs = [
            "scope": !scope.isEmpty, "auth_time": grant.authenticatedAt != nil,
            "acr": grant.acr != nil, "amr": !grant.methods.isEmpty,
            "cnf": !grant.binding.isNone,
        ]
        let document: JSONDocument
        do {
            document = try JSONDocument(json, maxDepth: profile.limits.jsonDepth)
        } catch {
            throw JOSEError(error, at: .output)
        }
        for (name, isOurs) in isSaid where !isOurs && document.member(named: name) != nil {
            throw .misuse("further claims hold one that the grant is to say")
        }
        return json
    }
}
