// Judging proofs of possession (RFC 9449, 4.3), and claiming the one use of each, last.

public import JOSE
import JOSEBytes

/// A server's judge of proofs; prepared once, used from many threads.
///
/// A proof is claimed behind every other check, in a store of its own: a stranger with fresh keys,
/// whom no token and no client's authentication lets so far, fills nobody's store. Public clients
/// have no authentication: limit their requests by address. No key of a proof outlives the call.
public struct DPoPVerifier: Sendable {
    /// The media type of proofs.
    static let type = "dpop+jwt"

    /// The name of this server, such as its issuer or its resource identifier.
    public let server: String
    /// The rules.
    public let rules: DPoPRules
    /// The nonces that proofs must hold; nil where none is asked for.
    public let nonces: DPoPNonces?
    private let replays: any ReplayStore
    private let keys: HeaderKeyReader

    /// A judge.
    ///
    /// - Parameters:
    ///   - server: The name of this server, such as its issuer or its resource identifier; its proofs and nonces count for no
    ///     server of another name.
    ///   - replays: Where used proofs are remembered, until their `iat` and the age and leeway of the rules: a store of their own, whose
    ///     capacity and quota no other tokens share. Servers on several machines share one, and the rules.
    ///   - rules: Algorithms and times.
    ///   - nonces: The nonces that proofs must hold; nil to ask for none.
    /// - Throws: `misuse` for rules that cannot be, and for a store that takes no lives as long as theirs.
    public init(
        server: String, replays: any ReplayStore, rules: DPoPRules = .standard,
        nonces: DPoPNonces? = nil
    ) throws(JOSEError) {
        try rules.check()
        // A proof may come as far ahead as the leeway.
        let longest = Duration.seconds(rules.keptSeconds + rules.leewaySeconds)
        guard replays.maxLifetime.map({ longest <= $0 }) ?? true else {
            throw .misuse(
                "the replay store's maxLifetime is below a proof's maxAge and twice leeway, and 1 second"
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

    /// What one request must be proved for.
    package struct Demand {
        let method: String
        let url: String
        /// The access token that came with it.
        var accessToken: String?
        /// The key that it is bound to.
        var thumbprint: String?
        /// A client's own rules, which count where they are stricter.
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

    /// A proof that was accepted, but not claimed yet.
    package struct Judged {
        package let proof: VerifiedDPoPProof
        fileprivate let tokenID: String
        fileprivate let issuedAt: NumericDate

        /// The proof's name among those of all keys.
        fileprivate var useID: String {
            let (key, id) = (proof.keyThumbprint.utf8.span, tokenID.utf8.span)
            return String(utf8Capacity: key.count + 1 + id.count) { out in
                out.append(copying: key)
                out.append(UInt8(ascii: "."))
                out.append(copying: id)
            }
        }
    }

    /// Judges a proof; every rejection has the step `proof`, but for another key than the token's.
    ///
    /// - Parameter proofs: The values of the header `DPoP`: there must be one.
    package func judge(
        _ proofs: [String], _ demand: Demand, at now: NumericDate
    ) throws(JOSEError) -> Judged {
        guard let text = proofs.first else {
            throw JOSEError.claimRejected("DPoP", "the request holds no proof").met(at: .proof)
        }
        guard proofs.count == 1 else {
            throw .malformed(.proof, "the request holds more than one proof")
        }
        let key = try open(text, demand.rules)
        let thumbprint = try key.thumbprint()
        // Before the stranger's key is computed with.
        if let bound = demand.thumbprint, !thumbprint.isExactly(bound) {
            throw .claimRejected("cnf", "the proof is by another key than the token is bound to")
        }
        do throws(JOSEError) {
            let token = try key.verify(at: now)
            return try check(token, thumbprint, demand, at: now)
        } catch {
            throw error.met(at: .proof)
        }
    }

    /// The proof's key, which computes as both rules allow.
    package func open(_ proof: String, _ client: DPoPRules?) throws(JOSEError) -> HeaderKey {
        let own = rules.acceleration
        do throws(JOSEError) {
            return try keys.open(proof, by: client.map { own.strictest($0.acceleration) } ?? own)
        } catch {
            throw error.met(at: .proof)
        }
    }

    private func check(
        _ token: VerifiedJWT, _ thumbprint: String, _ demand: Demand, at now: NumericDate
    ) throws(JOSEError) -> Judged {
        guard let tokenID = token.jwtID, 1...256 ~= tokenID.utf8.count else {
            throw .claimRejected("jti", "it is empty, too long or no string")
        }
        guard let method = try string("htm", token),
            token.document.equals(at: method, demand.method)
        else {
            throw .claimRejected("htm", "it is not the method of the request")
        }
        // What a stranger asked for may be no address at all: no proof is for that.
        guard let url = try text("htu", token), RequestTarget.areSame(demand.url, url)
        else { throw .claimRejected("htu", "it is not the https address of the request") }
        guard let issued = token.issuedAt else { throw .claimRejected("iat", "it is no date") }
        try DPoPVerifier.check(issued, rules, at: now)
        if let rules = demand.rules {
            try DPoPVerifier.check(issued, rules, at: now)
            let algorithm = try token.header().algorithm
            guard rules.algorithms.contains(where: { JOSEAlgorithm($0) == algorithm }) else {
                throw .algorithmNotAllowed
            }
        }
        let hash = try string("ath", token)
        if let accessToken = demand.accessToken {
            guard let hash,
                token.document.isSecretly(try FreshText.digest(of: accessToken), at: hash)
            else {
                throw .claimRejected("ath", "it is not the hash of the access token")
            }
        }
        let next = try check(nonce: text("nonce", token), at: now)
        return Judged(
            proof: VerifiedDPoPProof(keyThumbprint: thumbprint, nextNonce: next), tokenID: tokenID,
            issuedAt: issued)
    }

    private static func check(
        _ issued: NumericDate, _ rules: DPoPRules, at now: NumericDate
    ) throws(JOSEError) {
        let most = rules.maxAgeSeconds + rules.leewaySeconds
        guard now <= issued.later(bySeconds: most) else {
            throw .claimRejected("iat", "the proof is too old")
        }
        guard issued <= now.later(bySeconds: rules.leewaySeconds) else {
            throw .claimRejected("iat", "the proof was issued in the future")
        }
    }

    /// A newer nonce to answer with, where the one that came is aging.
    private func check(
        nonce: String?, at now: NumericDate
    ) throws(JOSEError) -> String? {
        guard let nonces else { return nil }
        guard let nonce else { throw .claimRejected("nonce", "the server asks for one") }
        switch try nonces.judge(
            nonce, for: server, leewaySeconds: rules.leewaySeconds, at: now)
        {
        case .fresh: return nil
        case .aging: return try nonces.make(for: server, at: now)
        case .rejected: throw .claimRejected("nonce", "it is none of this server's, or too old")
        }
    }

    private func text(
        _ name: StaticString, _ token: VerifiedJWT
    ) throws(JOSEError) -> String? {
        try string(name, token).flatMap(token.document.string(at:))
    }

    /// The index of a claim that is a string; nil where it is absent.
    private func string(
        _ name: StaticString, _ token: VerifiedJWT
    ) throws(JOSEError) -> Int? {
        guard let index = token.document.member(name) else { return nil }
        guard token.document.kind(at: index) == .string else {
            throw .claimRejected(name.description, "it is not a string")
        }
        return index
    }

    /// Claims the one use of an accepted proof; do it last.
    ///
    /// - Parameter owner: Who brought it, as its token or its authentication says: quotas count by it.
    func claim(
        _ judged: Judged, by owner: String, at now: NumericDate
    ) async throws(JOSEError) {
        let use = ReplayEntry(
            purpose: "dpop", issuer: owner, audience: server,
            tokenID: judged.useID, issuedAt: judged.issuedAt,
            leeway: .seconds(rules.leewaySeconds),
            expires: judged.issuedAt.later(bySeconds: rules.keptSeconds))
        do throws(ReplayStoreError) {
            try await replays.claim(use, at: now)
        } catch {
            throw JOSEError(error).met(at: .proof)
        }
    }

    /// A nonce to answer with; nil where none is asked for.
    ///
    /// - Throws: `internal`.
    public func freshNonce(at now: NumericDate? = nil) throws(JOSEError) -> String? {
        try nonces?.make(for: server, at: now)
    }
}

extension DPoPVerifier: RedactedDescription {
    package var shownAs: String { "DPoP verifier" }
}

/// A proof that was accepted and claimed: whoever sent the request has the key.
public struct VerifiedDPoPProof: Sendable {
    /// The thumbprint of the key, base64url of SHA-256.
    public let keyThumbprint: String
    /// The value of the header `DPoP-Nonce` to answer with; nil where the one that came is good for a while.
    public let nextNonce: String?
}

extension VerifiedDPoPProof: RedactedDescription {
    package var shownAs: String { "verified proof" }
}
