// A protected resource: verifies JWT access tokens and their DPoP proofs in one call.

public import JOSE
import JOSEBytes

/// The rules of a resource server.
public struct ResourceRules: Sendable {
    /// The accepted algorithms of access tokens.
    public var algorithms: [SignatureAlgorithm] = [.rs256, .ps256, .es256, .ed25519, .edDSA]
    /// The tolerated clock difference; 0 to 300 whole seconds.
    public var leeway = Duration.seconds(60)
    var leewaySeconds: Int { leeway.wholeSeconds }
    /// The maximum lifetime of an access token, in whole seconds; nil for any.
    public var maxLifetime: Duration? = .seconds(86_400)
    var maxLifetimeSeconds: Int? { maxLifetime?.wholeSeconds }
    /// Whether a token that is not bound to a key or certificate is rejected.
    public var requiresBinding = false
    /// Limits for access tokens.
    public var limits = JOSELimits.standard

    /// Creates rules with the default values.
    public init() {}
}

/// Verifies requests to a protected resource. Prepared once, used from many threads.
///
/// The order of checks: the access token (RFC 9068, 4), its binding, the proof (RFC 9449, 4.3 and
/// 7), the scopes, and last the single use of the proof.
public struct ResourceServer: Sendable {
    private let tokens: AsyncJWTVerifier
    private let rules: ResourceRules
    private let proofs: DPoPVerifier?

    /// Creates a resource server.
    ///
    /// - Parameters:
    ///   - issuer: The provider whose tokens are accepted.
    ///   - audiences: The identifiers of this resource; `aud` must contain one.
    ///   - keys: The provider's keys: a key set or a `RemoteJWKSet`.
    ///   - rules: The accepted tokens.
    ///   - proofs: The verifier of DPoP proofs. Without one, tokens that are bound to a key are
    ///     rejected.
    /// - Throws: `misuse` without an audience or an algorithm, or for a time out of range.
    public init(
        issuer: String, audiences: [String], keys: any KeySource,
        rules: ResourceRules = ResourceRules(), proofs: DPoPVerifier? = nil
    ) throws(JOSEError) {
        guard 0...300 ~= rules.leewaySeconds else {
            throw .misuse("rules.leeway must be 0 to 300 whole seconds")
        }
        guard rules.maxLifetimeSeconds.map({ NumericDate.lifetimes ~= $0 }) ?? true else {
            throw .misuse("rules.maxLifetime must be 1 to 253402300799 whole seconds")
        }
        var policy = ClaimsPolicy(issuer: .exactly(issuer), audience: .anyOf(audiences))
        policy.requiredClaims = ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"]
        policy.leewaySeconds = rules.leewaySeconds
        policy.maxLifetimeSeconds = rules.maxLifetimeSeconds
        policy.apply(.accessToken)
        tokens = try AsyncJWTVerifier(
            policy: policy, keys: keys, algorithms: rules.algorithms,
            limits: rules.limits)
        self.rules = rules
        self.proofs = proofs
    }

    /// Verifies the access token of a request and the sender's right to use it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - scopes: The scopes that the request needs, all of them.
    ///   - now: The time of verification; the system's clock by default.
    /// - Throws: The errors of `JWTVerifier` for the token. `claimRejected` with `cnf` for another
    ///   binding or the wrong scheme, with `scope` for a missing scope. Errors of the proof have
    ///   the step `proof`, among them `replayed`. `unavailable` if the keys or the replay store
    ///   cannot be reached. Respond with `error(rejecting:)`.
    public func verify(
        _ request: ResourceRequest, scopes: [String] = [], at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedAccessToken {
        let now = now ?? .now
        var access = try VerifiedAccessToken(await tokens.verify(request.accessToken, at: now))
        let binding = access.binding
        guard !rules.requiresBinding || !binding.isEmpty else {
            throw .claimRejected("cnf", "the access token is not bound to a key or certificate")
        }
        let checked = try check(request, binding, at: now)
        for scope in scopes where !access.scopes.contains(where: { $0.isExactly(scope) }) {
            throw .claimRejected("scope", "the access token lacks a required scope")
        }
        if let proofs, let checked {
            try await proofs.markUsed(checked, by: access.owner, at: now)
            access.nextNonce = checked.proof.nextNonce
        }
        return access
    }

    private func check(
        _ request: ResourceRequest, _ binding: TokenBinding, at now: NumericDate
    ) throws(JOSEError) -> DPoPVerifier.CheckedProof? {
        guard let proofs else {
            try binding.checkWithoutProofs(
                request, rejection: "this resource accepts no DPoP proofs")
            return nil
        }
        return try proofs.check(request, boundTo: binding, at: now)
    }

    /// The response to a request that `error` rejected, with a new nonce if proofs need one.
    ///
    /// - Parameters:
    ///   - error: The error of `verify(_:scopes:at:)`.
    ///   - now: The time of the nonce; the system's clock by default.
    /// - Throws: `internal`.
    public func error(
        rejecting error: JOSEError, at now: NumericDate? = nil
    ) throws(JOSEError) -> ResourceError {
        try ResourceError(rejecting: error, proofs: proofs, isBound: rules.requiresBinding, at: now)
    }
}

extension VerifiedAccessToken {
    /// The owner for quotas: a client and a user, so that a client's tokens do not count against
    /// another client of the same users. A length prefix separates the two names.
    fileprivate var owner: String {
        let capacity =
            clientID.utf8.count + subject.utf8.count + OutputSpan<UInt8>.lengthPrefixBytes
        return String(utf8Capacity: capacity) { out in
            out.append(counted: clientID)
            out.append(copying: subject.utf8.span)
        }
    }
}

extension ResourceServer: RedactedDescription {
    package var shownAs: String { "resource server" }
}
