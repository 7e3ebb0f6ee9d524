// A protected resource: verifies JWT access tokens and their DPoP proofs in one call.

public import JOSE
import JOSEBytes

/// Which access tokens of one issuer a resource server accepts: algorithms, times, binding.
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

/// Verifies requests to a protected resource. Create it once and use it from many threads.
///
/// The order of checks: the access token (RFC 9068, 4), its binding, the proof (RFC 9449, 4.3 and
/// 7), the scopes, and last the single use of the proof.
public struct ResourceServer: Sendable {
    /// An issuer whose access tokens a resource server accepts, with its own keys and rules.
    public struct Issuer: Sendable {
        /// The exact `iss` of the issuer's tokens.
        public var name: String
        /// The issuer's keys: a key set or a `RemoteJWKSet`.
        public var keys: any KeySource
        /// The accepted tokens.
        public var rules: ResourceRules

        /// Creates an issuer; see the properties.
        public init(
            _ name: String, keys: any KeySource, rules: ResourceRules = ResourceRules()
        ) {
            self.name = name
            self.keys = keys
            self.rules = rules
        }
    }

    private let tokens: AsyncJWTVerifier
    private let issuers: [Issuer]
    private let proofs: DPoPVerifier?
    private let realm: String?
    /// The resource's metadata to publish, with the server's issuers; nil if none were passed.
    public let metadata: Metadata?

    /// Creates a resource server for the tokens of one issuer; see
    /// `init(issuers:audiences:realm:metadata:proofs:)`.
    public init(
        issuer: String, audiences: [String], keys: any KeySource,
        rules: ResourceRules = ResourceRules(), proofs: DPoPVerifier? = nil
    ) throws(JOSEError) {
        try self.init(
            issuers: [Issuer(issuer, keys: keys, rules: rules)], audiences: audiences,
            proofs: proofs)
    }

    /// Creates a resource server for the tokens of one or several issuers.
    ///
    /// With several issuers, the `iss` of a token selects one of them by exact comparison, and only
    /// its keys and rules are used. A token of any other issuer is rejected before keys are
    /// fetched. With one issuer, `iss` is compared after the signature is verified. Subjects of
    /// different issuers are different users: compare `VerifiedAccessToken`'s `issuer` too.
    ///
    /// - Parameters:
    ///   - issuers: The issuers whose tokens are accepted.
    ///   - audiences: The identifiers of this resource; `aud` must contain one.
    ///   - realm: `realm` of the challenges, for people; printable ASCII without `"` and `\`.
    ///   - metadata: The metadata to publish. Its URL is in each challenge.
    ///   - proofs: The verifier of DPoP proofs. Without one, tokens that are bound to a key are
    ///     rejected.
    /// - Throws: `misuse` without an issuer, an audience or an algorithm, or for two issuers of the
    ///   same name. `misuse` for a time out of range, an invalid realm, or metadata of a resource
    ///   that is not one of the audiences.
    public init(
        issuers: [Issuer], audiences: [String], realm: String? = nil, metadata: Metadata? = nil,
        proofs: DPoPVerifier? = nil
    ) throws(JOSEError) {
        guard let first = issuers.first else { throw .misuse("a resource server needs an issuer") }
        guard realm.map({ $0.errorText != nil && !$0.isEmpty }) ?? true else {
            throw .misuse("realm must be printable ASCII without quotation marks and backslashes")
        }
        let verifiers = try issuers.map { (issuer) throws(JOSEError) in
            try issuer.verifier(audiences)
        }
        // The limits that apply until the issuer is known: the largest of all issuers. Each
        // verifier then applies its own limits.
        var limits = first.rules.limits
        for others in issuers.map(\.rules.limits) {
            limits.tokenBytes = max(limits.tokenBytes, others.tokenBytes)
            limits.jsonDepth = max(limits.jsonDepth, others.jsonDepth)
        }
        tokens =
            verifiers.count == 1
            ? verifiers[0] : try AsyncJWTVerifier(byIssuer: verifiers, limits: limits)
        if let metadata {
            guard audiences.contains(where: metadata.resource.isExactly) else {
                throw .misuse("the metadata's resource must be one of the audiences")
            }
            self.metadata = try metadata.completed(
                issuers: issuers.map(\.name), algorithms: proofs?.rules.algorithmNames)
        } else {
            self.metadata = nil
        }
        self.issuers = issuers
        self.realm = realm
        self.proofs = proofs
    }

    /// Whether a token without binding is rejected.
    private func requiresBinding(_ access: VerifiedAccessToken) -> Bool {
        guard issuers.count > 1 else { return issuers[0].rules.requiresBinding }
        // The issuer is verified, so it is in the list.
        let issuer = access.issuer
        return issuers.first { $0.name.isExactly(issuer) }?.rules.requiresBinding ?? true
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
        guard !binding.isEmpty || !requiresBinding(access) else {
            throw .claimRejected("cnf", "the access token is not bound to a key or certificate")
        }
        let checked = try check(request, binding, at: now)
        for scope in scopes where !access.scopes.contains(where: { $0.isExactly(scope) }) {
            throw .claimRejected("scope", "the access token lacks a required scope")
        }
        if let proofs, let checked {
            let proof = try await proofs.markUsed(checked, by: access.owner, at: now)
            access.nextNonce = proof.nextNonce
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
    ///   - scopes: The scopes that the request needs, to name them in the challenge.
    ///   - now: The time of the nonce; the system's clock by default.
    /// - Throws: `internal`.
    public func error(
        rejecting error: JOSEError, scopes: [String] = [], at now: NumericDate? = nil
    ) throws(JOSEError) -> ResourceError {
        var response = try ResourceError(
            rejecting: error, proofs: proofs,
            isBound: issuers.allSatisfy(\.rules.requiresBinding), at: now)
        response.realm = realm
        response.scopes = scopes
        response.metadataURL = (metadata?.resource).map(Metadata.documentURL)
        return response
    }
}

extension ResourceServer.Issuer {
    /// Makes the verifier of this issuer's tokens (RFC 9068, 4).
    fileprivate func verifier(_ audiences: [String]) throws(JOSEError) -> AsyncJWTVerifier {
        guard 0...300 ~= rules.leewaySeconds else {
            throw .misuse("rules.leeway must be 0 to 300 whole seconds")
        }
        guard rules.maxLifetimeSeconds.map({ NumericDate.lifetimes ~= $0 }) ?? true else {
            throw .misuse("rules.maxLifetime must be 1 to 253402300799 whole seconds")
        }
        var policy = ClaimsPolicy(issuer: .exactly(name), audience: .anyOf(audiences))
        policy.requiredClaims = ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"]
        policy.leewaySeconds = rules.leewaySeconds
        policy.maxLifetimeSeconds = rules.maxLifetimeSeconds
        policy.apply(.accessToken)
        return try AsyncJWTVerifier(
            policy: policy, keys: keys, algorithms: rules.algorithms, limits: rules.limits)
    }
}

extension VerifiedAccessToken {
    /// The owner for quotas: a client and a user of an issuer, so that a client's tokens do not
    /// count against another client of the same users. Length prefixes separate the names.
    fileprivate var owner: String {
        let issuer = issuer
        let capacity =
            issuer.utf8.count + clientID.utf8.count + subject.utf8.count
            + 2 * OutputSpan<UInt8>.lengthPrefixBytes
        return String(utf8Capacity: capacity) { out in
            out.append(counted: issuer)
            out.append(counted: clientID)
            out.append(copying: subject.utf8.span)
        }
    }
}

extension ResourceServer: RedactedDescription {}
extension ResourceServer.Issuer: RedactedDescription {}
