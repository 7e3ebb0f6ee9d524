// The HTTP status of an error of the token endpoint, where providers differ.

extension TokenError {
    /// The HTTP status to answer with: 503 where something that the provider needs cannot answer now, 500 where the provider
    /// itself failed, what the rules say for a client that did not prove itself, 400 for all else.
    ///
    /// - Parameter rules: The profile's `client`.
    public func status(under rules: ClientRules) -> Int {
        switch code {
        case .invalidClient: rules.unprovedStatus
        case .temporarilyUnavailable: 503
        case .serverError: 500
        default: 400
        }
    }
}
