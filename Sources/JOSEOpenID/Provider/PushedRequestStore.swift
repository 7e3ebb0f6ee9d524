// Where pushed requests wait for their users' browsers: the protocol, and how it can end.

public import JOSE

/// Keeps pushed requests until their references end.
///
/// A store is bounded, in all and for each client, and rejects where it is full or cannot tell. Several machines need one
/// together: what one was told, all find. That a request is granted once is not its matter but the `ReplayStore`'s; `remove`
/// only ends a reference early.
public protocol PushedRequestStore: Sendable {
    /// Keeps a request under its `reference` until `expires`.
    ///
    /// - Parameters:
    ///   - request: The request, with its reference and its end.
    ///   - now: The time to judge by.
    /// - Throws: Why it cannot.
    func keep(_ request: PushedRequest, at now: NumericDate) async throws(PushedRequestStoreError)

    /// The request that is kept under a reference; nil for one that is unknown or has ended.
    ///
    /// - Parameters:
    ///   - reference: The `request_uri`.
    ///   - now: The time to judge by.
    /// - Throws: Why it cannot tell.
    func find(
        _ reference: String, at now: NumericDate
    ) async throws(PushedRequestStoreError) -> PushedRequest?

    /// Forgets what is kept under a reference, if anything is.
    ///
    /// - Parameters:
    ///   - reference: The `request_uri`.
    ///   - now: The time to judge by.
    /// - Throws: Why it cannot.
    func remove(_ reference: String, at now: NumericDate) async throws(PushedRequestStoreError)
}

/// Why a store of pushed requests did not do what it was asked.
public enum PushedRequestStoreError: Error, Sendable, Hashable {
    /// There is no room for another request.
    case full
    /// This client has as many waiting as it may have.
    case quotaExceeded
    /// The store cannot be reached or does not answer as it must.
    case unavailable
}

extension JOSEError {
    /// What a fault of a store means for the request: `limitExceeded` for the quota, else `unavailable`.
    public init(_ failure: PushedRequestStoreError) {
        self =
            switch failure {
            case .full: .unavailable(.message, "the store of pushed requests is full")
            case .quotaExceeded:
                .limitExceeded(.message, "the client has too many pushed requests waiting")
            case .unavailable:
                .unavailable(.message, "the store of pushed requests does not answer")
            }
    }
}
