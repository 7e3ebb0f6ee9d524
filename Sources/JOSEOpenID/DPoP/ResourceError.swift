// The error response of a protected resource: status, WWW-Authenticate and DPoP-Nonce.

public import JOSE
import JOSEBytes

/// The error response of a protected resource (RFC 6750, 3; RFC 9449, 7.1 and 9; RFC 9728, 5.1).
public struct ResourceError: Sendable {
    /// The error code; nil if the request had no token.
    public let code: OAuthErrorCode?
    /// `error_description`, for developers.
    public var description: String?
    /// `realm`: the name of the protected area, for people. Only printable ASCII without `"` and
    /// `\` is written. Nil writes `resource` if a challenge would have no parameter.
    public var realm: String?
    /// `scope`: the scopes that the request needs. Written with status 401 and 403.
    public var scopes: [String] = []
    /// `resource_metadata`: the URL of the resource's metadata (RFC 9728, 5.1).
    public var metadataURL: String?
    /// The value of the header `DPoP-Nonce`; nil for none.
    public let nonce: String?
    private let algorithms: [String]?
    private let acceptsBearer: Bool

    /// Creates the response to a rejected request. It reveals the error code, but no details.
    ///
    /// - Parameters:
    ///   - error: The error that rejected the request.
    ///   - proofs: The verifier of DPoP proofs; nil if the resource accepts none.
    ///   - isBound: Whether the resource rejects bearer tokens.
    ///   - now: The time of the nonce; the system's clock by default.
    /// - Throws: `internal`.
    public init(
        rejecting error: JOSEError, proofs: DPoPVerifier? = nil, isBound: Bool = false,
        at now: NumericDate? = nil
    ) throws(JOSEError) {
        try self.init(
            OAuthErrorCode.resource(rejecting: error), proofs: proofs, isBound: isBound, at: now)
    }

    /// Creates the response for an error that your code found, such as `.invalidToken` for an
    /// unknown token. For the parameters see `init(rejecting:proofs:isBound:at:)`.
    public init(
        _ code: OAuthErrorCode?, proofs: DPoPVerifier? = nil, isBound: Bool = false,
        at now: NumericDate? = nil
    ) throws(JOSEError) {
        self.code = code
        algorithms = proofs?.rules.algorithmNames
        acceptsBearer = proofs == nil || !isBound
        nonce = code == .useDPoPNonce ? try proofs?.freshNonce(at: now) : nil
    }

    /// The HTTP status: 401 for a missing or invalid token or proof, 403 for insufficient scope,
    /// 503 or 500 for a failure of the server, else 400.
    public var status: Int {
        switch code {
        case nil, .invalidToken?, .invalidDPoPProof?, .useDPoPNonce?: 401
        case .insufficientScope?: 403
        case let code?: code.errorStatus
        }
    }

    /// The value of `WWW-Authenticate`: a challenge for each accepted scheme. The challenge with
    /// the error comes first, because some clients read only the first challenge.
    public var header: String {
        var error: [String] = []
        if let code { error.append("error=\"\(code)\"") }
        if let text = description?.errorText { error.append("error_description=\"\(text)\"") }
        if status == 401 || status == 403, let scope = try? KnownParameter.scope(scopes),
            !scope.isEmpty
        {
            error.append("scope=\"\(scope)\"")
        }
        guard let algorithms else { return challenge("Bearer", error) }
        var challenges = [
            challenge("DPoP", error + ["algs=\"\(algorithms.joined(separator: " "))\""])
        ]
        if acceptsBearer {
            challenges.insert(challenge("Bearer", []), at: code == nil ? 0 : 1)
        }
        return challenges.joined(separator: ", ")
    }

    // A challenge needs at least one parameter (RFC 6750, 3): `realm` if there is no other.
    private func challenge(_ scheme: String, _ parameters: [String]) -> String {
        let realm = realm?.errorText.map { ["realm=\"\($0)\""] } ?? []
        let metadata = metadataURL?.errorURI.map { ["resource_metadata=\"\($0)\""] } ?? []
        let all = realm + parameters + metadata
        return scheme + " "
            + (all.isEmpty ? ["realm=\"resource\""] : all).joined(separator: ", ")
    }

    /// The HTTP response.
    ///
    /// - Throws: `misuse` if it cannot be written.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        try OpenIDHTTPResponse(
            status: status,
            headers: [OpenIDParameter("WWW-Authenticate", header)]
                + OpenIDHTTPResponse.carrying(nonce: nonce) + OpenIDHTTPResponse.notStored)
    }
}

extension ResourceError: RedactedDescription {
    package var shownAs: String { code.map { "resource error \($0)" } ?? "resource error" }
}
