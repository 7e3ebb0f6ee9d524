// The protocol of a replay store, its entries and its errors.

import JOSEBytes
import JOSECrypto

/// The use of a one-time token, for a replay store. `digest()` identifies the entry.
///
/// `==` compares all properties, strings byte for byte.
public struct ReplayEntry: Sendable, Hashable {
    /// The kind of token, such as `client-assertion`.
    public var purpose: String { exactPurpose.text }
    /// The party whose quota the entry counts against: `iss` of another party's token, the sender
    /// of a DPoP proof, or the client that received a code.
    public var issuer: String { exactIssuer.text }
    /// The audience of the token. `verifyOnce` writes all values of `aud`, each with its length.
    public var audience: String { exactAudience.text }
    /// An identifier of the token, such as `jti`, unique for its purpose, issuer and audience.
    public var tokenID: String { exactTokenID.text }
    /// The token's time of issue, such as `iat`, if known.
    public let issuedAt: NumericDate?
    /// The time by which `issuedAt` may be ahead of the clock of the machine that accepted the
    /// token.
    ///
    /// A store that lost its entries at time T must reject tokens whose `issuedAt` is before T plus
    /// `leeway`: if the issuer's clock is fast, such tokens may have been used before T.
    public let leeway: Duration
    /// Whether the caller issued the token: `issuedAt` then comes from the caller's own clock.
    public let isIssuedHere: Bool
    /// The time after which the entry may be deleted, since no verifier accepts the token any more:
    /// for example `exp` plus the largest leeway of all verifiers.
    public let expires: NumericDate

    private let exactPurpose: ExactString
    private let exactIssuer: ExactString
    private let exactAudience: ExactString
    private let exactTokenID: ExactString

    /// Creates an entry for a token of another party.
    ///
    /// For the parameters see the properties of these names. `leeway` is at least 0; 300 seconds
    /// are the maximum of a `ClaimsPolicy`. Pass more for a verifier that allows more. `expires` is
    /// the token's `exp` plus the largest leeway of all verifiers that use the store; for those
    /// with a `ClaimsPolicy` assume 300 seconds.
    public init(
        purpose: String, issuer: String, audience: String, tokenID: String,
        issuedAt: NumericDate? = nil, leeway: Duration = .seconds(300), expires: NumericDate
    ) {
        self.init(
            purpose, issuer, audience, tokenID, issuedAt, max(leeway, .zero), isIssuedHere: false,
            expires)
    }

    /// Creates an entry for a token that the caller issued, such as a provider's code.
    ///
    /// For the parameters see the properties. `issuer` is the party whose quota counts, such as the
    /// client that received the token. `tokenID` is the token or its identifier. `issuedHere` is
    /// the time of issue by the clock of the issuing machine, so no leeway applies. If that clock
    /// is fast, the token may be used twice after the store has lost entries. `expires` is the time
    /// when the token expires.
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

    /// Returns the SHA-256 digest of purpose, issuer, audience and `tokenID`, which identifies the
    /// entry.
    ///
    /// - Throws: `internal` if the hash fails.
    public func digest() throws(JOSEError) -> [UInt8] {
        let (purpose, issuer, audience, tokenID) = (purpose, issuer, audience, tokenID)
        let capacity =
            purpose.utf8.count + issuer.utf8.count + audience.utf8.count + tokenID.utf8.count
            + 4 * OutputSpan<UInt8>.lengthPrefixBytes
        do throws(CryptoError) {
            return try withScratch(of: UInt8.self, capacity: capacity) {
                (text) throws(CryptoError) in
                text.append(counted: purpose)
                text.append(counted: issuer)
                text.append(counted: audience)
                text.append(counted: tokenID)
                return try [UInt8](byteCapacity: 32) { (digest) throws(CryptoError) in
                    try Hash.digest(.sha256, text.span, into: &digest)
                }
            }
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }

    /// Joins strings with their lengths, so that different lists give different results.
    static func joined(_ parts: [String]) -> String {
        let capacity = parts.reduce(0) { $0 + $1.utf8.count + OutputSpan<UInt8>.lengthPrefixBytes }
        return String(utf8Capacity: capacity) { out in
            for part in parts { out.append(counted: part) }
        }
    }
}

/// The reasons for which a store rejects a token.
public enum ReplayStoreError: Error, Sendable, Hashable {
    /// The token was used, has expired, or is so old that the store may have deleted its entry.
    case used
    /// The token was issued before the time since which the store has kept all entries. A store
    /// that is new or has lost entries does not know whether the token was used.
    case issuedBeforeStore
    /// The store is full. It deletes no entry before the entry expires.
    case full
    /// This issuer has reached its maximum number of entries.
    case quotaExceeded
    /// The token expires later than the store keeps entries.
    case lifetimeTooLong
    /// The store cannot be reached, or its response is invalid.
    case unavailable
}

/// Stores used one-time tokens until they expire.
///
/// For each entry at most one call succeeds. The store keeps the entry at least until `expires`. It
/// rejects the token if it is full, or does not know whether the token was used. Machines that
/// accept the same tokens must share one store.
public protocol ReplayStore: Sendable {
    /// The maximum time from now to `ReplayEntry.expires`; nil for no maximum. `DPoPVerifier`,
    /// `OpenIDProvider` and `verifyLogout` throw `misuse` for a store whose maximum is too short.
    var maxLifetime: Duration? { get }

    /// Marks a token as used. Returns only for the first caller.
    ///
    /// - Parameters:
    ///   - use: The entry of the token.
    ///   - now: The time at which the token was checked.
    /// - Throws: The reason for which the token is rejected.
    func markUsed(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError)
}

extension JOSEError {
    /// Creates the error of a token that a store rejected: `replayed`, `limitExceeded` or
    /// `unavailable`.
    public init(_ failure: ReplayStoreError) {
        self =
            switch failure {
            case .used: .replayed
            case .issuedBeforeStore:
                JOSEError(
                    .replayed, .claims,
                    """
                    the token was issued before the replay store began to keep entries: it may \
                    have been used
                    """)
            case .full: .unavailable(.claims, "the replay store is full")
            case .quotaExceeded:
                .limitExceeded(.claims, "the issuer has too many one-time tokens in use")
            case .lifetimeTooLong:
                .limitExceeded(
                    .claims, "the token expires later than the replay store keeps entries")
            case .unavailable: .unavailable(.claims, "the replay store does not respond")
            }
    }
}

extension ReplayStore {
    /// No maximum.
    public var maxLifetime: Duration? { nil }

    /// Marks a verified token as used, by its `iss` and `jti`. Call it after all other checks.
    ///
    /// The entry is kept until 301 seconds after `exp`: another verifier with the same store may
    /// allow a leeway of up to 300 seconds.
    ///
    /// - Parameters:
    ///   - token: The token; it must have `iss`, `jti` and `exp`.
    ///   - purpose: The kind of token.
    ///   - audience: The audience of the token.
    ///   - now: The time at which the token was checked; the system clock by default.
    /// - Throws: `claimRejected` for a missing claim, or a `jti` that is empty or over 1,024 bytes;
    ///   `replayed`; `limitExceeded` for the issuer's quota or a lifetime that is too long;
    ///   `unavailable` if the store is full or does not respond.
    public func markUsed(
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
            // The largest leeway of any policy, and a second for stores that count whole seconds.
            expires: expiry.later(bySeconds: ClaimsPolicy.maxLeewaySeconds + 1))
        do throws(ReplayStoreError) {
            try await markUsed(use, at: now ?? .now)
        } catch {
            throw JOSEError(error)
        }
    }
}

extension ReplayEntry: RedactedDescription {}
