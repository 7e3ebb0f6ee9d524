// Refresh tokens that follow each other: one works at a time, and an old one ends them all (RFC 9700, 4.14.2).

public import JOSE
import JOSEBytes

/// All refresh tokens that came of one authorization; keep it under `id`, and change it only from the `generation` that was read.
public struct RefreshFamily: Sendable, Codable {
    /// What every token of the family begins with.
    public let id: String
    /// The authorization that it came of.
    public let request: ReceivedAuthorization
    /// When the last of them ends.
    public let expires: NumericDate
    /// How often a token was used. Two that come at once read the same: who writes must see that nobody wrote before, and
    /// tell the other `replayed`.
    public let generation: Int
    /// What the user granted; nil for all that was asked for.
    private let grantedScopes: [String]?
    private let grantedResources: [String]?
    /// Of the one token that works, so that nobody reads it where this is kept.
    let digest: String
    /// The key that a public client's tokens are bound to (RFC 9449, 5); nil for other clients,
    /// whose tokens are bound to their authentication, and where no proof was sent.
    let keyThumbprint: String?

    /// What was granted, the most that an access token may have: what one has whose request names no scopes.
    public var scopes: [String] { grantedScopes ?? request.scopes }
    /// For which resources; empty where neither the request nor the grant named one.
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

    /// The family with its next token, in a generation.
    fileprivate func turn(_ generation: Int) throws(JOSEError) -> RefreshTurn {
        let token = id + "." + (try FreshText.make(bits: 256))
        return RefreshTurn(
            family: RefreshFamily(
                id, request, expires, scopes: grantedScopes, resources: grantedResources,
                keyThumbprint: keyThumbprint, generation: generation,
                digest: try FreshText.digest(of: token)),
            token: token)
    }

    /// Throws `claimRejected` for a resource that was not granted; where none was named, what may be had is the program's to say.
    fileprivate func checkResources(_ wanted: [String]) throws(JOSEError) {
        guard grantedResources != nil || !resources.isEmpty else { return }
        try RegisteredClient.check(resources: wanted, among: resources)
    }
}

extension RefreshFamily: RedactedDescription {
    package var shownAs: String { "refresh family" }
}

/// A family and its token of now.
public struct RefreshTurn: Sendable {
    /// To be kept in place of what was kept.
    public let family: RefreshFamily
    /// To be given to the client: `TokenResponse.refreshToken` or `RefreshResponse.refreshToken`.
    public let token: String
}

extension RefreshTurn: RedactedDescription {
    package var shownAs: String { "refresh turn" }
}

/// A refresh request whose client proved who it is.
public struct ReceivedRefreshRequest: Sendable {
    let issuer: String
    let clientID: String
    let token: String
    /// The family that the token says it is of: look it up.
    public let familyID: String
    /// The scopes that the access token is to have; empty for all that was granted, `RefreshFamily.scopes`.
    public let scopes: [String]
    /// The resources that it is to be for (RFC 8707); empty for those of before. Where neither the authorization request nor the
    /// grant named one, whether the client may have them is yours to say.
    public let resources: [String]
    /// The key that the access token is to be bound to: the thumbprint for its `cnf`; nil where the
    /// request held no proof. It may be another than before, unless the client is a public one: the
    /// refresh token is bound to the client's authentication (RFC 9449, 5).
    public let keyThumbprint: String?
    /// The value of `DPoP-Nonce` to answer with; nil where there is nothing new to say.
    package let nextNonce: String?

    /// How the access token will be used: the `token_type` of the answer.
    public var tokenType: AccessTokenType { keyThumbprint == nil ? .bearer : .dpop }
}

extension ReceivedRefreshRequest: RedactedDescription {
    package var shownAs: String { "received refresh request" }
}

extension RegisteredClient {
    /// The first refresh token of an authorization of this client, to be given beside its access token.
    ///
    /// - Parameters:
    ///   - request: The request that the user granted.
    ///   - scopes: What the user granted; nil for all that was asked for. No later request gets more (RFC 6749, 6).
    ///   - resources: For which resources (RFC 8707); nil for those that were asked for.
    ///   - lifetime: How long the last of its tokens may live; whole seconds, at least 1.
    ///   - tokenRequest: The request to the token endpoint. For a public client whose profile takes
    ///     proofs of possession it is required: its refresh tokens are bound to the proved key
    ///     (RFC 9449, 5).
    ///   - now: The time that it begins; the system's clock where none is given.
    /// - Throws: `misuse` for a request of another client or provider, a scope that is not one word or a life that is none, and by a
    ///   profile without refresh tokens (`accessToken.hasRefreshTokens`); `internal`.
    public func refreshFamily(
        for request: ReceivedAuthorization, granting scopes: [String]? = nil,
        resources: [String]? = nil, lifetime: Duration,
        answering tokenRequest: ReceivedTokenRequest? = nil, at now: NumericDate? = nil
    ) throws(JOSEError) -> RefreshTurn {
        try checkOwn(request)
        let isPublic = profile.client.authentication == .publicClient
        guard !isPublic || profile.accessToken.proofs == .ignored || tokenRequest != nil else {
            throw .misuse(
                "a public client's refresh tokens are bound to its key: pass the token request")
        }
        if let tokenRequest {
            guard tokenRequest.clientID.isExactly(registration.clientID),
                tokenRequest.issuer.isExactly(provider.metadata.issuer)
            else { throw .misuse("the token request is of another client or provider") }
        }
        try profile.accessToken.checkRefreshTokens()
        let lifetimeSeconds = lifetime.wholeSeconds
        guard NumericDate.lifetimes ~= lifetimeSeconds else {
            throw .misuse("lifetime: is not 1 to 253402300799 whole seconds")
        }
        _ = try KnownParameter.scope(scopes ?? [])
        let expires = try (now ?? .now).end(ofLifetime: lifetimeSeconds)
        return try RefreshFamily(
            FreshText.make(bits: 128), request, expires, scopes: scopes, resources: resources,
            keyThumbprint: isPublic ? tokenRequest?.keyThumbprint : nil
        ).turn(0)
    }

    /// Receives a refresh request and proves that this client sent it.
    ///
    /// - Parameters:
    ///   - body: The form, whose `grant_type` is `refresh_token`.
    ///   - authorization: The `Authorization` header.
    ///   - proofs: The values of the header `DPoP`, as for a token request.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: As `receive(tokenRequest:authorization:proofs:at:)`; `OpenIDProvider.error(rejecting:)` tells what to answer.
    ///
    /// Source: RFC 6749, 6.
    public func receive(
        refreshRequest body: String, authorization: String? = nil, proofs: [String] = [],
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> ReceivedRefreshRequest {
        let form = try tokenForm(body, grant: "refresh_token")
        guard profile.accessToken.hasRefreshTokens else {
            throw .unsupported(.message, "the profile's provider has no refresh tokens")
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

    /// Uses a refresh token up, and gives the next one of its family; where the profile's refresh tokens do not rotate, gives the
    /// same family and the same token back.
    ///
    /// - Parameters:
    ///   - request: The refresh request that was received.
    ///   - family: What is kept of the family of its token.
    ///   - now: When it came; the system's clock where none is given.
    /// - Throws: `replayed` for a token of the family that is not the one of now: somebody has an old one, so forget the family, and
    ///   with it the access tokens that came of it. `claimRejected` with `refresh_token` for another client's or one that has ended,
    ///   with `scope` or `resource` for more than was granted. Answer `TokenError(rejectingGrant:)`.
    public func rotate(
        _ request: ReceivedRefreshRequest, _ family: RefreshFamily, at now: NumericDate? = nil
    ) throws(JOSEError) -> RefreshTurn {
        guard request.familyID.isExactly(family.id), (try? checkOwn(family.request)) != nil,
            request.clientID.isExactly(registration.clientID),
            request.issuer.isExactly(provider.metadata.issuer)
        else { throw .claimRejected("refresh_token", "it is wrong or another client's") }
        guard (now ?? .now) < family.expires else {
            throw .claimRejected("refresh_token", "it has expired")
        }
        // Before the token: without the key nobody can use it, and a guess must not end the family.
        if let bound = family.keyThumbprint {
            guard request.keyThumbprint?.isExactly(bound) == true else {
                throw .claimRejected("refresh_token", "it is bound to another key")
            }
        } else if profile.client.authentication == .publicClient, bindsEveryToken {
            // Of a time when the client or its profile was another one.
            throw .claimRejected("refresh_token", "it is bound to no key: a new login is required")
        }
        let rotates = profile.accessToken.rotatesRefreshTokens
        guard try FreshText.digest(of: request.token).isSecretly(family.digest) else {
            // Where no token follows another, a wrong one tells of no thief.
            throw rotates
                ? .replayed : .claimRejected("refresh_token", "it is wrong or another client's")
        }
        let scopes = family.scopes
        guard request.scopes.allSatisfy({ wanted in scopes.contains { $0.isExactly(wanted) } })
        else { throw .claimRejected("scope", "it was not granted") }
        try family.checkResources(request.resources)
        return rotates
            ? try family.turn(family.generation + 1)
            : RefreshTurn(family: family, token: request.token)
    }
}
