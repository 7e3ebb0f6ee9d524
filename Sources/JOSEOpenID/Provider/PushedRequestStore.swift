// The protocol for stores of pushed requests, and its errors.

public import JOSE

/// Stores pushed requests until they expire.
///
/// A store has a total capacity and a quota for each client. It throws if it is full or
/// unreachable. Providers on several machines share one store. The `ReplayStore` ensures that a
/// request is granted once; `remove` only ends its `request_uri` early.
public protocol PushedRequestStore: Sendable {
    /// Stores a request under its `reference` until `expires`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The current time.
    /// - Throws: `PushedRequestStoreError` if it cannot be stored.
    func store(_ request: PushedRequest, at now: NumericDate) async throws(PushedRequestStoreError)

    /// Returns the request with a `request_uri`; nil if the request is unknown or expired.
    ///
    /// - Parameters:
    ///   - reference: The `request_uri`.
    ///   - now: The current time.
    /// - Throws: `PushedRequestStoreError` if the store cannot be read.
    func find(
        _ reference: String, at now: NumericDate
    ) async throws(PushedRequestStoreError) -> PushedRequest?

    /// Removes the request with a `request_uri`, if any.
    ///
    /// - Parameters:
    ///   - reference: The `request_uri`.
    ///   - now: The current time.
    /// - Throws: `PushedRequestStoreError` if it cannot be removed.
    func remove(_ reference: String, at now: NumericDate) async throws(PushedRequestStoreError)
}

/// Why a store failed.
public enum PushedRequestStoreError: Error, Sendable, Hashable {
    /// The store is full.
    case full
    /// The client has reached its quota.
    case quotaExceeded
    /// The store is unreachable or responded incorrectly.
    case unavailable
}

extension JOSEError {
    /// Creates the error for the client: `limitExceeded` for the quota, else `unavailable`.
    public init(_ failure: PushedRequestStoreError) {
        self =
            switch failure {
            case .full: .unavailable(.message, "the store of pushed requests is full")
            case .quotaExceeded:
                .limitExceeded(.message, "the client has too many pushed requests waiting")
            case .unavailable:
                .unavailable(.message, "the store of pushed requests is unreachable")
            }
    }
}
