// Verifies DPoP proofs (RFC 9449, 4.3) and records their use.

public import JOSE
import JOSEBytes

/// Verifies the DPoP proofs that a server receives. Create it once and use it from many threads.
///
/// The replay store records the use of a proof after all other checks. A sender with new keys, but
/// without a token or client authentication, therefore cannot fill the store. Public clients do not
/// authenticate: limit their requests by IP address. Keys of proofs are not cached.
public struct DPoPVerifier: Sendable {
    /// The `typ` of proofs.
    static let type = "dpop+jwt"

    /// The name of this server, such as its issuer or its resource identifier.
    public let server: String
    /// The accepted algorithms and times.
    public let rules: DPoPRules
    /// The nonces that proofs must contain; nil if none is required.
    public let nonces: DPoPNonces?
    private let replays: any ReplayStore
    private let keys: HeaderKeyReader

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - server: The name of this server, such as its issuer or its resource identifier. Nonces
    ///     are valid for this name only, and used proofs are recorded under it.
    ///   - replays: Stores used proofs until one second after their `iat` plus the age and leeway
    ///     of the rules. Do not share the store with other tokens: they would use up its capacity
    ///     and quota. Servers on several machines share one store and the same rules.
    ///   - rules: Algorithms and times.
    ///   - nonces: The nonces that proofs must contain; nil to require none.
    /// - Throws: `misuse` for invalid rules, or if the store's `maxLifetime` is too short for them.
    public init(
        server: String, replays: any ReplayStore, rules: DPoPRules = .standard,
        nonces: DPoPNonces? = nil
    ) throws(JOSEError) {
        try rules.check()
        // The `iat` of a proof may be ahead by the leeway, which lengthens the storage time.
        let lifetime = Duration.seconds(rules.keptSeconds + rules.leewaySeconds)
        guard replays.maxLifetime.map({ lifetime <= $0 }) ?? true else {
            throw .misuse(
                "the replay store's maxLifetime is below dpop.maxAge + 2 * dpop.leeway + 1 second"
            )
        }
        var policy = ClaimsPolicy(issuer: .any, audience: .any)
        policy.type = .exactly(DPoPVerifier.type)
        policy.requiredClaims = ["jti", "htm", "htu", "iat"]
        policy.leewaySeconds = rules.leewaySeconds
        keys = try HeaderKeyReader(
            policy: policy, algorithms: rules.algorithms, limits: DPoPRules.limits)
        self.server = server
        self.rules = rules
        self.nonces = nonces
        self.replays = replays
    }

    package struct ExpectedRequest {
        let method: String
        let url: String
        var accessToken: String?
        /// The key that the access token is bound to.
        var thumbprint: String?
        /// The client's own rules; a proof must satisfy them in addition to the server's.
        var rules: DPoPRules?

        package init(
            method: String, url: String, accessToken: String? = nil, thumbprint: String? = nil,
            rules: DPoPRules? = nil
        ) {
            self.rules = rules
            self.method = method
            self.url = url
            self.accessToken = accessToken
            self.thumbprint = thumbprint
        }
    }

    /// A proof that passed all checks. Its use is not recorded yet.
    package struct CheckedProof {
        package let keyThumbprint: String
        fileprivate let nextNonce: String?
        fileprivate let tokenID: String
        fileprivate let issuedAt: NumericDate

        /// The proof's identifier in the replay store: key thumbprint and `jti`.
        fileprivate var useID: String {
            let (key, id) = (keyThumbprint.utf8.span, tokenID.utf8.span)
            return String(utf8Capacity: key.count + 1 + id.count) { out in
                out.append(copying: key)
                out.append(UInt8(ascii: "."))
                out.append(copying: id)
            }
        }
    }

    /// Checks a proof; `proofs` are the values of all `DPoP` headers. Errors have the step `proof`,
    /// except if the access token is bound to another key.
    package func check(
        _ proofs: [String], _ expected: ExpectedRequest, at now: NumericDate
    ) throws(JOSEError) -> CheckedProof {
        guard let text = proofs.first else {
            throw JOSEError.claimRejected("DPoP", "the request has no DPoP proof")
                .with(step: .proof)
        }
        guard proofs.count == 1 else {
            throw .malformed(.proof, "the request has more than one DPoP proof")
        }
        let key = try open(text, expected.rules)
        let thumbprint = try key.thumbprint()
        // Compare the thumbprints before computing anything with the sender's key.
        if let bound = expected.thumbprint, !thumbprint.isExactly(bound) {
            throw .claimRejected("cnf", "the access token is bound to another key than the proof's")
        }
        do throws(JOSEError) {
            let token = try key.verify(at: now)
            return try check(token, thumbprint, expected, at: now)
        } catch {
            throw error.with(step: .proof)
        }
    }

    /// Reads a proof's key. `KeyAcceleration.strictest` combines the settings of server and client.
    package func open(_ proof: String, _ client: DPoPRules?) throws(JOSEError) -> HeaderKey {
        let own = rules.acceleration
        do throws(JOSEError) {
            return try keys.readHeader(
                proof, by: client.map { own.strictest($0.acceleration) } ?? own)
        } catch {
            throw error.with(step: .proof)
        }
    }

    private func check(
        _ token: VerifiedJWT, _ thumbprint: String, _ expected: ExpectedRequest, at now: NumericDate
    ) throws(JOSEError) -> CheckedProof {
        guard let tokenID = token.jwtID, 1...256 ~= tokenID.utf8.count else {
            throw .claimRejected("jti", "it must be a string of 1 to 256 bytes")
        }
        guard let method = try stringIndex("htm", token),
            token.document.equals(at: method, expected.method)
        else {
            throw .claimRejected("htm", "it is not the method of the request")
        }
        // `expected.url` comes from the sender and may be invalid; then every proof is rejected.
        guard let url = try text("htu", token), NormalizedURL.areSame(expected.url, url)
        else { throw .claimRejected("htu", "it is not the https URL of the request") }
        guard let issued = token.issuedAt else { throw .claimRejected("iat", "it is not a date") }
        try DPoPVerifier.check(issued, rules, at: now)
        if let rules = expected.rules {
            try DPoPVerifier.check(issued, rules, at: now)
            let algorithm = try token.header().algorithm
            guard rules.algorithms.contains(where: { JOSEAlgorithm($0) == algorithm }) else {
                throw .algorithmNotAllowed
            }
        }
        let hash = try stringIndex("ath", token)
        if let accessToken = expected.accessToken {
            guard let hash,
                token.document.equalsConstantTime(try SHA256String.make(of: accessToken), at: hash)
            else {
                throw .claimRejected("ath", "it is not the hash of the access token")
            }
        }
        let next = try check(nonce: text("nonce", token), at: now)
        return CheckedProof(
            keyThumbprint: thumbprint, nextNonce: next, tokenID: tokenID, issuedAt: issued)
    }

    private static func check(
        _ issued: NumericDate, _ rules: DPoPRules, at now: NumericDate
    ) throws(JOSEError) {
        guard now <= issued.later(bySeconds: rules.maxAgeSeconds + rules.leewaySeconds) else {
            throw .claimRejected("iat", "the proof is too old")
        }
        guard issued <= now.later(bySeconds: rules.leewaySeconds) else {
            throw .claimRejected("iat", "the proof was issued in the future")
        }
    }

    /// Returns a newer nonce if the nonce of the proof is aging.
    private func check(nonce: String?, at now: NumericDate) throws(JOSEError) -> String? {
        guard let nonces else { return nil }
        guard let nonce else { throw .claimRejected("nonce", "the server requires a nonce") }
        switch try nonces.status(
            of: nonce, for: server, leewaySeconds: rules.leewaySeconds, at: now)
        {
        case .fresh: return nil
        case .aging: return try nonces.make(for: server, at: now)
        case .rejected:
            throw .claimRejected("nonce", "it was not made by this server, or is too old")
        }
    }

    private func text(
        _ name: StaticString, _ token: VerifiedJWT
    ) throws(JOSEError) -> String? {
        try stringIndex(name, token).flatMap(token.document.string(at:))
    }

    /// Returns the index of a claim that must be a string; nil if the claim is absent.
    private func stringIndex(
        _ name: StaticString, _ token: VerifiedJWT
    ) throws(JOSEError) -> Int? {
        guard let index = token.document.member(name) else { return nil }
        guard token.document.kind(at: index) == .string else {
            throw .claimRejected(name.description, "it is not a string")
        }
        return index
    }

    /// Records the use of a proof in the quota of `owner`. Call this after all other checks.
    func markUsed(
        _ checked: CheckedProof, by owner: String, at now: NumericDate
    ) async throws(JOSEError) -> VerifiedDPoPProof {
        let use = ReplayEntry(
            purpose: "dpop", issuer: owner, audience: server,
            tokenID: checked.useID, issuedAt: checked.issuedAt,
            leeway: .seconds(rules.leewaySeconds),
            expires: checked.issuedAt.later(bySeconds: rules.keptSeconds))
        do throws(ReplayStoreError) {
            try await replays.markUsed(use, at: now)
        } catch {
            throw JOSEError(error).with(step: .proof)
        }
        return VerifiedDPoPProof(
            keyThumbprint: checked.keyThumbprint, nextNonce: checked.nextNonce)
    }

    /// Makes a nonce for a response; nil if no nonces are required.
    ///
    /// - Throws: `internal`.
    public func freshNonce(at now: NumericDate? = nil) throws(JOSEError) -> String? {
        try nonces?.make(for: server, at: now)
    }
}

/// A verified proof whose use is recorded. The sender of the request has the private key.
public struct VerifiedDPoPProof: Sendable {
    /// The thumbprint of the key, base64url of SHA-256.
    public let keyThumbprint: String
    /// The value for the response header `DPoP-Nonce`; nil if no new nonce is needed.
    public let nextNonce: String?
}

extension DPoPVerifier: RedactedDescription {}
extension VerifiedDPoPProof: RedactedDescription {}
