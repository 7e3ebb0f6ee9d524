// Where one-time tokens are remembered: the protocol, what is claimed, and how it can end.

import JOSEBytes
import JOSECrypto

/// A one-time token, as a store remembers it. Two are equal where all texts are the same bytes.
public struct ReplayEntry: Sendable, Hashable {
    /// What kind of token it is, such as `client-assertion`; names of one kind never meet those of another.
    public var purpose: String { exactPurpose.text }
    /// The `iss` of the token: quotas count by it.
    public var issuer: String { exactIssuer.text }
    /// Whom the token is for.
    public var audience: String { exactAudience.text }
    /// The `jti`.
    public var tokenID: String { exactTokenID.text }
    /// When the token was issued; nil where it does not say.
    public let issuedAt: NumericDate?
    /// By how much `issuedAt` may lie ahead of the clock that accepted it. A store that forgot must know it: until then a
    /// token may have been used before it was issued.
    public let leeway: Duration
    /// Whether who claims the use issued the token too: then `issuedAt` is by a clock of its own machines.
    public let isIssuedHere: Bool
    /// When the entry may be forgotten: the token's `exp` and the longest leeway of all who may check it.
    public let expires: NumericDate

    private let exactPurpose: ExactString
    private let exactIssuer: ExactString
    private let exactAudience: ExactString
    private let exactTokenID: ExactString

    /// A use of a token.
    ///
    /// - Parameters:
    ///   - purpose: What kind of token it is.
    ///   - issuer: The `iss` of the token.
    ///   - audience: Whom the token is for.
    ///   - tokenID: The `jti`.
    ///   - issuedAt: The `iat`, where there is one.
    ///   - leeway: By how much `iat` may lie ahead where the token was checked, at least 0: what a verifier takes that allows
    ///     more than the policies of this package counts in full. 300 seconds, as much as any policy allows, if left out.
    ///   - expires: The token's `exp` and the longest leeway of all who may check it with this store: with policies of this
    ///     package 300 seconds, whatever the leeway of the one that checked it now.
    public init(
        purpose: String, issuer: String, audience: String, tokenID: String,
        issuedAt: NumericDate? = nil, leeway: Duration = .seconds(300), expires: NumericDate
    ) {
        self.init(
            purpose, issuer, audience, tokenID, issuedAt, max(leeway, .zero), isIssuedHere: false,
            expires)
    }

    /// A use of what the one who claims it issued, such as a provider's code: no clock but its own ever told a time of it, so that no
    /// leeway counts, whatever verifiers of the same store allow others.
    ///
    /// - Parameters:
    ///   - purpose: What kind of token it is.
    ///   - issuer: Whom quotas count, such as the client that it was given to.
    ///   - audience: Whom it is for.
    ///   - tokenID: The token, or its name.
    ///   - issuedHere: When it was issued, by the clock of the machine that did. After a loss of the store's entries a later time
    ///     may let it be used twice.
    ///   - expires: When it ends.
    public init(
        purpose: String, issuer: String, audience: String, tokenID: String,
        issuedHere: NumericDate, expires: NumericDate
    ) {
        self.init(
            purpose, issuer, audience, tokenID, issuedHere, .zero, isIssuedHere: true, expires)
    }

    private init(
        _ purpose: String, _ issuer: String, _ audience: String, _ tokenID: String,
        _ issuedAt: NumericDate?, _ leeway: Duration, isIssuedHere: Bool, _ expires: NumericDate
    ) {
        exactPurpose = ExactString(purpose)
        exactIssuer = ExactString(issuer)
        exactAudience = ExactString(audience)
        exactTokenID = ExactString(tokenID)
        self.issuedAt = issuedAt
        self.leeway = leeway
        self.isIssuedHere = isIssuedHere
        self.expires = expires
    }

    /// A name of 32 bytes for purpose, issuer, audience and `jti` together; different uses have different names.
    ///
    /// - Throws: `internal` if the digest fails.
    public func name() throws(JOSEError) -> [UInt8] {
        let (purpose, issuer, audience, tokenID) = (purpose, issuer, audience, tokenID)
        let room =
            purpose.utf8.count + issuer.utf8.count + audience.utf8.count + tokenID.utf8.count
            + 4 * OutputSpan<UInt8>.countedRoom
        do throws(CryptoError) {
            return try withScratch(of: UInt8.self, capacity: room) { (text) throws(CryptoError) in
                text.append(counted: purpose)
                text.append(counted: issuer)
                text.append(counted: audience)
                text.append(counted: tokenID)
                return try [UInt8](byteCapacity: 32) { (name) throws(CryptoError) in
                    try Hash.digest(.sha256, text.span, into: &name)
                }
            }
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
    }

    /// One text of several: lengths before the parts, so that no two lists give the same.
    static func joined(_ parts: [String]) -> String {
        let room = parts.reduce(0) { $0 + $1.utf8.count + OutputSpan<UInt8>.countedRoom }
        return String(utf8Capacity: room) { out in
            for part in parts { out.append(counted: part) }
        }
    }
}

extension ReplayEntry: RedactedDescription {
    package var shownAs: String { "one-time use" }
}

/// Why a store rejected a use; all of them reject the token.
public enum ReplayStoreError: Error, Sendable, Hashable {
    /// The token was used before, has expired, or is so old that the store may have forgotten it.
    case used
    /// The token was issued before the time since which the store has kept every entry: a store that is new, or that lost
    /// its entries, cannot tell whether it was used.
    case issuedBeforeStore
    /// There is no room for another entry.
    case full
    /// This issuer has as many entries as it may have.
    case quotaExceeded
    /// The token expires later than the store keeps entries.
    case livesTooLong
    /// The store cannot be reached or does not answer as it must.
    case unavailable
}

/// Remembers one-time tokens until they expire by themselves.
///
/// A store lets exactly one of all callers win for a use, keeps the entry until `expires` at the least, and rejects
/// when it is full or cannot tell. Several machines need one store together.
public protocol ReplayStore: Sendable {
    /// The longest time from now to the end of a use that it takes; nil where it takes any. Who claims uses that may live longer
    /// is rejected when it is made, and not when one of them comes.
    var maxLifetime: Duration? { get }

    /// Claims a use; returning means that this caller is the first.
    ///
    /// - Parameters:
    ///   - use: The token's one use.
    ///   - now: The time by which the token was judged.
    /// - Throws: What rejects the token.
    func claim(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError)
}

extension JOSEError {
    /// What a fault of a store means for the token: `replayed`, `limitExceeded` or `unavailable`.
    public init(_ failure: ReplayStoreError) {
        self =
            switch failure {
            case .used: .replayed
            case .issuedBeforeStore:
                JOSEError(
                    .replayed, .claims,
                    "the token was issued before the replay store began to remember: it may have been used"
                )
            case .full: .unavailable(.claims, "the replay store is full")
            case .quotaExceeded:
                .limitExceeded(.claims, "the issuer has too many one-time tokens in use")
            case .livesTooLong:
                .limitExceeded(.claims, "the token lives longer than the replay store remembers")
            case .unavailable: .unavailable(.claims, "the replay store does not answer")
            }
    }
}

extension ReplayStore {
    /// Any time.
    public var maxLifetime: Duration? { nil }

    /// Claims the one use of a verified token by its `iss` and `jti`; do it last, after every other check.
    ///
    /// The entry lives until `exp` and 301 seconds: another verifier with the same store may allow more leeway than this one, up
    /// to 300 seconds.
    ///
    /// - Parameters:
    ///   - token: The token; it must have `iss`, `jti` and `exp`.
    ///   - purpose: What kind of token it is.
    ///   - audience: Whom it is for.
    ///   - now: The time by which it was checked; the system's clock where none is given.
    /// - Throws: `claimRejected` for a missing claim or a `jti` that is empty or over 1,024 bytes; `replayed`;
    ///   `limitExceeded` for the issuer's quota and a life that is too long, `unavailable` where the store is full or does
    ///   not answer.
    public func claim(
        _ token: VerifiedJWT, purpose: String, audience: String, at now: NumericDate? = nil
    ) async throws(JOSEError) {
        guard let issuer = token.issuer else { throw .claimRejected("iss", "it is required") }
        guard let tokenID = token.jwtID, 1...1_024 ~= tokenID.utf8.count else {
            throw .claimRejected("jti", "it is missing, empty or too long")
        }
        guard let expiry = token.expiration else {
            throw .claimRejected("exp", "it is required and missing")
        }
        let use = ReplayEntry(
            purpose: purpose, issuer: issuer, audience: audience, tokenID: tokenID,
            issuedAt: token.issuedAt,
            leeway: .seconds(token.leewaySeconds),
            // As long as any policy may take the token, and a second more, as a store may count in whole seconds.
            expires: expiry.later(bySeconds: ClaimsPolicy.maxLeewaySeconds + 1))
        do throws(ReplayStoreError) {
            try await claim(use, at: now ?? .now)
        } catch {
            throw JOSEError(error)
        }
    }
}
