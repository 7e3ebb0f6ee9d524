// Refresh tokens that rotate: the use of an old one is a sign of theft (RFC 9700, 4.14.2).

public import JOSE
import JOSEBytes

/// All refresh tokens of one authorization. Store it under `id`. Replace it only if the stored
/// `generation` is still the one that you read.
public struct RefreshFamily: Sendable, Codable {
    /// The prefix of every token of the family.
    public let id: String
    /// The authorization request.
    public let request: ReceivedAuthorization
    /// When the whole family expires.
    public let expires: NumericDate
    /// The number of rotations. Of two concurrent requests that read the same generation, only one
    /// may write. Reject the other as `replayed`.
    public let generation: Int
    /// The scopes that the user granted; nil for all requested ones.
    private let grantedScopes: [String]?
    private let grantedResources: [String]?
    /// The SHA-256 of the valid token, so that the stored family does not reveal the token.
    let digest: String
    /// The key that a public client's tokens are bound to (RFC 9449, 5). Nil without a proof, and
    /// for confidential clients: their authentication protects their tokens.
    let keyThumbprint: String?

    /// The granted scopes: the default and the maximum for an access token.
    public var scopes: [String] { grantedScopes ?? request.scopes }
    /// The granted resources; empty if neither the request nor the grant named any.
    public var resources: [String] { grantedResources ?? request.resources }

    fileprivate init(
        _ id: String, _ request: ReceivedAuthorization, _ expires: NumericDate, scopes: [String]?,
        resources: [String]?, keyThumbprint: String?, generation: Int = 0, digest: String = ""
    ) {
        self.id = id
        self.request = request
        self.expires = expires
        self.generation = generation
        grantedScopes = scopes
        grantedResources = resources
        self.digest = digest
        self.keyThumbprint = keyThumbprint
    }

    fileprivate func next(generation: Int) throws(JOSEError) -> IssuedRefreshToken {
        let token = id + "." + (try RandomString.make(bits: 256))
        return IssuedRefreshToken(
            family: RefreshFamily(
                id, request, expires, scopes: grantedScopes, resources: grantedResources,
                keyThumbprint: keyThumbprint, generation: generation,
                digest: try SHA256String.make(of: token)),
            token: token)
    }

    /// Throws `claimRejected` for a resource that was not granted.
    fileprivate func checkResources(_ requested: [String]) throws(JOSEError) {
        guard grantedResources != nil || !resources.isEmpty else { return }
        try RegisteredClient.check(resources: requested, among: resources)
    }
}

/// A new refresh token for the client, and its family for your store.
public struct IssuedRefreshToken: Sendable {
    /// The family to store under its `id`. It has a hash of the token, not the token.
    public let family: RefreshFamily
    /// The token for the client, in `TokenResponse` or `AccessTokenResponse`.
    public let token: String
}

/// A refresh request of an authenticated client, or of an identified public one.
public struct ReceivedRefreshRequest: Sendable {
    let issuer: String
    let clientID: String
    let token: String
    /// The `id` of the token's family, to find the stored family.
    public let familyID: String
    /// The requested scopes; empty for all granted scopes, `RefreshFamily.scopes`.
    public let scopes: [String]
    /// The requested resources (RFC 8707); empty for `RefreshFamily.resources`. If neither the
    /// authorization request nor the grant named any, your code decides whether they are allowed.
    public let resources: [String]
    /// The thumbprint of the DPoP key, for the access token's `cnf`; nil without a proof. A
    /// confidential client may change its key: its authentication protects its refresh token (RFC
    /// 9449, 5).
    public let keyThumbprint: String?
    /// A new nonce for the response header `DPoP-Nonce`; nil if the client needs none.
    package let nextNonce: String?

    /// The `token_type` of the response.
    public var tokenType: AccessTokenType { keyThumbprint == nil ? .bearer : .dpop }
}

extension RegisteredClient {
    /// Issues the first refresh token of an authorization.
    ///
    /// - Parameters:
    ///   - request: The request that the user granted.
    ///   - scopes: The granted scopes; nil for all requested ones. Refresh requests cannot get more
    ///     (RFC 6749, 6).
    ///   - resources: The granted resources (RFC 8707); nil for the requested ones.
    ///   - lifetime: The lifetime of the whole family; whole seconds, at least 1.
    ///   - tokenRequest: The token request. Required for a public client whose profile accepts DPoP
    ///     proofs: the refresh tokens are bound to the key of its proof (RFC 9449, 5).
    ///   - now: The current time; the system's clock by default.
    /// - Throws: `misuse` for a request of another client or provider, a missing `tokenRequest`, an
    ///   invalid scope or lifetime, or a profile without refresh tokens
    ///   (`accessToken.hasRefreshTokens`); `internal`.
    public func refreshFamily(
        for request: ReceivedAuthorization, granting scopes: [String]? = nil,
        resources: [String]? = nil, lifetime: Duration,
        respondingTo tokenRequest: ReceivedTokenRequest? = nil, at now: NumericDate? = nil
    ) throws(JOSEError) -> IssuedRefreshToken {
        try checkOwn(request)
        let isPublic = profile.client.authentication == .publicClient
        guard !isPublic || profile.accessToken.proofs == .ignored || tokenRequest != nil else {
            throw .misuse(
                "a public client's refresh tokens are bound to its key: pass the token request")
        }
        if let tokenRequest, !isOwn(tokenRequest.clientID, tokenRequest.issuer) {
            throw .misuse("the token request belongs to another client or provider")
        }
        try profile.accessToken.checkRefreshTokens()
        let lifetimeSeconds = lifetime.wholeSeconds
        guard NumericDate.lifetimes ~= lifetimeSeconds else {
            throw .misuse("lifetime must be 1 to 253402300799 whole seconds")
        }
        _ = try KnownParameter.scope(scopes ?? [])
        let expires = try (now ?? .now).end(ofLifetime: lifetimeSeconds)
        return try RefreshFamily(
            RandomString.make(bits: 128), request, expires, scopes: scopes, resources: resources,
            keyThumbprint: isPublic ? tokenRequest?.keyThumbprint : nil
        ).next(generation: 0)
    }

    /// Receives a refresh request and authenticates the client.
    ///
    /// `body` is the form with the `grant_type` `refresh_token`. For the other parameters see
    /// `receiveTokenRequest(_:authorization:proofs:at:)`.
    ///
    /// - Throws: As that function. Respond with `OpenIDProvider.error(rejecting:)`.
    ///
    /// Source: RFC 6749, 6.
    public func receiveRefreshRequest(
        _ body: String, authorization: String? = nil, proofs: [String] = [],
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> ReceivedRefreshRequest {
        let form = try tokenForm(body, grant: "refresh_token")
        guard profile.accessToken.hasRefreshTokens else {
            throw .unsupported(
                .message, "the profile has no refresh tokens (accessToken.hasRefreshTokens)")
        }
        guard let token = form["refresh_token"] else {
            throw .malformed(.message, "the refresh token is missing")
        }
        let resources = try RegisteredClient.resources(form)
        let now = now ?? .now
        try await authenticate(form, authorization, at: now)
        let proof = try await verify(proofs: proofs, to: .token, at: now)
        return ReceivedRefreshRequest(
            issuer: provider.metadata.issuer, clientID: registration.clientID, token: token,
            familyID: token.pieces(at: UInt8(ascii: ".")).first ?? "",
            scopes: form.words("scope"), resources: resources,
            keyThumbprint: proof?.keyThumbprint, nextNonce: proof?.nextNonce)
    }

    /// Uses a refresh token and issues the next one of its family. If the profile's refresh tokens
    /// do not rotate, it returns the same family and token.
    ///
    /// - Parameters:
    ///   - request: The received refresh request.
    ///   - family: The stored family with the request's `familyID`.
    ///   - now: The current time; the system's clock by default.
    /// - Throws: `replayed` if tokens rotate and the token is not the newest: it was probably
    ///   stolen or reused, so delete the family and revoke its access tokens. `claimRejected` with
    ///   `refresh_token` for a token that is wrong, expired, or of another client or key.
    ///   `claimRejected` with `scope` or `resource` for more than was granted. Respond with
    ///   `TokenError(rejectingGrant:)`.
    public func redeem(
        _ request: ReceivedRefreshRequest, _ family: RefreshFamily, at now: NumericDate? = nil
    ) throws(JOSEError) -> IssuedRefreshToken {
        guard request.familyID.isExactly(family.id),
            isOwn(family.request.clientID, family.request.issuer),
            isOwn(request.clientID, request.issuer)
        else { throw .claimRejected("refresh_token", "it is wrong or another client's") }
        guard (now ?? .now) < family.expires else {
            throw .claimRejected("refresh_token", "it has expired")
        }
        // The key is checked first. Without the key, a wrong token must not cause `replayed`.
        if let bound = family.keyThumbprint {
            guard request.keyThumbprint?.isExactly(bound) == true else {
                throw .claimRejected("refresh_token", "it is bound to another key")
            }
        } else if profile.client.authentication == .publicClient, bindsEveryToken {
            // The client was confidential, or sent no proofs, when the token was issued.
            throw .claimRejected("refresh_token", "it is not bound to a key: log in again")
        }
        let rotates = profile.accessToken.rotatesRefreshTokens
        guard try SHA256String.make(of: request.token).equalsConstantTime(family.digest) else {
            // Without rotation, a wrong token is no sign of theft.
            throw rotates
                ? .replayed : .claimRejected("refresh_token", "it is wrong or another client's")
        }
        let scopes = family.scopes
        guard
            request.scopes.allSatisfy({ requested in scopes.contains { $0.isExactly(requested) } })
        else { throw .claimRejected("scope", "it was not granted") }
        try family.checkResources(request.resources)
        return rotates
            ? try family.next(generation: family.generation + 1)
            : IssuedRefreshToken(family: family, token: request.token)
    }
}

extension RefreshFamily: RedactedDescription {}
extension IssuedRefreshToken: RedactedDescription {}
extension ReceivedRefreshRequest: RedactedDescription {}
