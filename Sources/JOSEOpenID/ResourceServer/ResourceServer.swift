// Verifies requests to a protected resource: JWT access token, binding, DPoP proof, scopes.

public import JOSE
import JOSEBytes

/// Which access tokens of one issuer a resource server accepts: algorithms, times, binding.
public struct ResourceRules: Sendable {
    /// The accepted algorithms of access tokens.
    public var algorithms: [SignatureAlgorithm] = [.rs256, .ps256, .es256, .ed25519, .edDSA]
    /// The tolerated clock difference; 0 to 300 whole seconds.
    public var leeway = Duration.seconds(60)
    var leewaySeconds: Int { leeway.wholeSeconds }
    /// The maximum lifetime of an access token, at least 1 whole second; nil for any.
    public var maxLifetime: Duration? = .seconds(86_400)
    var maxLifetimeSeconds: Int? { maxLifetime?.wholeSeconds }
    /// Whether to reject tokens that are bound to neither a key nor a certificate.
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
        /// The rules for the issuer's tokens.
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
    /// The metadata to publish, with the server's issuers; nil if `init` got none.
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
    /// With several issuers, `iss` must equal the name of one of them, whose keys and rules then
    /// apply. Tokens of other issuers are rejected before keys are fetched. With one issuer, `iss`
    /// is compared after the signature is verified. Equal subjects of different issuers are
    /// different users: compare `VerifiedAccessToken.issuer` too.
    ///
    /// - Parameters:
    ///   - issuers: The issuers whose tokens are accepted.
    ///   - audiences: The identifiers of this resource; `aud` must contain one of them.
    ///   - realm: The `realm` of challenges, for people; printable ASCII without `"` and `\`.
    ///   - metadata: The metadata to publish. Its URL is in each challenge.
    ///   - proofs: The verifier of DPoP proofs. Nil rejects tokens that are bound to a key.
    /// - Throws: `misuse` without an issuer, an audience or an algorithm, or for two issuers of the
    ///   same name. `misuse` for a time out of range or an invalid realm. `misuse` for metadata of
    ///   a resource that is not one of the audiences, or without `authorization_servers` if an
    ///   issuer is not an https URL.
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
        // The largest limits apply until the issuer, with limits of its own, is known.
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

    private func requiresBinding(_ access: VerifiedAccessToken) -> Bool {
        guard issuers.count > 1 else { return issuers[0].rules.requiresBinding }
        // The issuer is verified, so it is in the list.
        let issuer = access.issuer
        return issuers.first { $0.name.isExactly(issuer) }?.rules.requiresBinding ?? true
    }

    /// Verifies the access token of a request, and that the sender may use it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - scopes: The scopes that the request needs; the token must have all of them.
    ///   - now: The time of verification; the system's clock by default.
    /// - Throws: The errors of `JWTVerifier` for the token. `claimRejected` with `cnf` for another
    ///   binding or the wrong scheme, and with `scope` for a missing scope. Errors of the proof,
    ///   such as `replayed`, have the step `proof`. `unavailable` if the keys or the replay store
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

    /// Creates the response to a rejected request, with a new nonce if proofs need one.
    ///
    /// - Parameters:
    ///   - error: The error of `verify(_:scopes:at:)`.
    ///   - scopes: The scopes that the request needs. The challenge names them.
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
    /// Quotas count by client and user of an issuer: a client cannot use up another client's quota.
    /// Length prefixes separate the names.
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
