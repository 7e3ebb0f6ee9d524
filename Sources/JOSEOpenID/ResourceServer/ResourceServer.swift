// A protected resource: JWT access tokens, and the proofs beside them, in one call.

public import JOSE
import JOSEBytes

/// What a resource server takes.
public struct ResourceRules: Sendable {
    /// The only algorithms of access tokens.
    public var algorithms: [SignatureAlgorithm] = [.rs256, .ps256, .es256, .ed25519, .edDSA]
    /// How far clocks may differ; 0 to 300 whole seconds.
    public var leeway = Duration.seconds(60)
    var leewaySeconds: Int { leeway.wholeSeconds }
    /// The longest life of an access token, in whole seconds; nil for any.
    public var maxLifetime: Duration? = .seconds(86_400)
    var maxLifetimeSeconds: Int? { maxLifetime?.wholeSeconds }
    /// Whether a token that is bound to nothing is rejected.
    public var requiresBinding = false
    /// Bounds on access tokens.
    public var limits = JOSELimits.standard

    /// The defaults.
    public init() {}
}

/// The judge of requests to a protected resource; prepared once, used from many threads.
///
/// A request is judged in this order: the access token (RFC 9068, 4), what it is bound to, the proof (RFC 9449, 4.3 and 7), the
/// scopes, and last the one use of the proof.
public struct ResourceServer: Sendable {
    private let tokens: AsyncJWTVerifier
    private let rules: ResourceRules
    private let proofs: DPoPVerifier?

    /// A resource server.
    ///
    /// - Parameters:
    ///   - issuer: The provider whose tokens are taken.
    ///   - audiences: The names of this resource, of which `aud` must have one.
    ///   - keys: Where the provider's keys come from: its key set, or a `RemoteJWKSet`.
    ///   - rules: What is taken.
    ///   - proofs: The judge of proofs; without one, tokens that are bound to a key are rejected.
    /// - Throws: `misuse` without a name or an algorithm, or for a leeway out of its range.
    public init(
        issuer: String, audiences: [String], keys: any KeySource,
        rules: ResourceRules = ResourceRules(), proofs: DPoPVerifier? = nil
    ) throws(JOSEError) {
        guard 0...300 ~= rules.leewaySeconds else {
            throw .misuse("rules.leeway is not 0 to 300 whole seconds")
        }
        guard rules.maxLifetimeSeconds.map({ NumericDate.lifetimes ~= $0 }) ?? true else {
            throw .misuse("rules.maxLifetime is not 1 to 253402300799 whole seconds")
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

    /// Verifies the access token of a request, and that whoever sent it may use it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - scopes: The scopes that it needs, all of them.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: Every code of the engine for the token; `claimRejected` with `cnf` where it is bound to something else, or came under the
    ///   wrong scheme, with `scope` where it does not reach so far; for the proof, errors with the step `proof`, among them `replayed`;
    ///   `unavailable` where keys or the store of proofs cannot be asked. Answer `error(rejecting:)`.
    public func verify(
        _ request: ResourceRequest, scopes: [String] = [], at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedAccessToken {
        let now = now ?? .now
        var access = try VerifiedAccessToken(await tokens.verify(request.accessToken, at: now))
        let binding = access.binding
        guard !rules.requiresBinding || !binding.isNone else {
            throw .claimRejected("cnf", "the token is bound to nothing")
        }
        let judged = try judge(request, binding, at: now)
        for scope in scopes where !access.scopes.contains(where: { $0.isExactly(scope) }) {
            throw .claimRejected("scope", "the token does not reach so far")
        }
        if let proofs, let judged {
            try await proofs.claim(judged, by: access.owner, at: now)
            access.nextNonce = judged.proof.nextNonce
        }
        return access
    }

    private func judge(
        _ request: ResourceRequest, _ binding: TokenBinding, at now: NumericDate
    ) throws(JOSEError) -> DPoPVerifier.Judged? {
        guard let proofs else {
            try binding.checkWithoutProofs(request, rejection: "this resource takes no proofs")
            return nil
        }
        return try proofs.judge(request, boundTo: binding, at: now)
    }

    /// What to answer to a request that `error` rejected, with a fresh nonce where proofs need one.
    ///
    /// - Parameters:
    ///   - error: Why it was rejected.
    ///   - now: The time of a nonce; the system's clock where none is given.
    /// - Throws: `internal`.
    public func error(
        rejecting error: JOSEError, at now: NumericDate? = nil
    ) throws(JOSEError) -> ResourceError {
        try ResourceError(rejecting: error, proofs: proofs, isBound: rules.requiresBinding, at: now)
    }
}

extension VerifiedAccessToken {
    /// By whom quotas count: a client, in the name of one user. No client takes another's room with the tokens of users whom both
    /// have. The length before the names says where one ends.
    fileprivate var owner: String {
        let room = clientID.utf8.count + subject.utf8.count + OutputSpan<UInt8>.countedRoom
        return String(utf8Capacity: room) { out in
            out.append(counted: clientID)
            out.append(copying: subject.utf8.span)
        }
    }
}

extension ResourceServer: RedactedDescription {
    package var shownAs: String { "resource server" }
}
