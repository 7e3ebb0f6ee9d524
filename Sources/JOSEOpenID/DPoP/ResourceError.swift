// The error of a protected resource: a status, challenges for the schemes that it takes, and a nonce.

public import JOSE
import JOSEBytes

/// What a protected resource answers to a request that it rejects (RFC 6750, 3; RFC 9449, 7.1 and 9).
public struct ResourceError: Sendable {
    /// What went wrong; nil where the request held no token at all.
    public let code: OAuthErrorCode?
    /// A text for developers.
    public var description: String?
    /// The value of `DPoP-Nonce`; nil for none.
    public let nonce: String?
    private let algorithms: [String]?
    private let takesBearer: Bool

    /// What to answer; nothing of the cause but its class.
    ///
    /// - Parameters:
    ///   - error: What rejected the request.
    ///   - proofs: The judge of proofs, where there is one.
    ///   - isBound: Whether bearer tokens are rejected.
    ///   - now: The time of the nonce; the system's clock where none is given.
    /// - Throws: `internal`.
    public init(
        rejecting error: JOSEError, proofs: DPoPVerifier? = nil, isBound: Bool = false,
        at now: NumericDate? = nil
    ) throws(JOSEError) {
        try self.init(
            OAuthErrorCode.resource(rejecting: error), proofs: proofs, isBound: isBound, at: now)
    }

    /// What to answer where the program itself knows what is wrong, such as `.invalidToken` for a token that it looked up in
    /// vain.
    ///
    /// - Parameters:
    ///   - code: What went wrong; nil where the request held no token at all.
    ///   - proofs: The judge of proofs, where there is one.
    ///   - isBound: Whether bearer tokens are rejected.
    ///   - now: The time of the nonce; the system's clock where none is given.
    /// - Throws: `internal`.
    public init(
        _ code: OAuthErrorCode?, proofs: DPoPVerifier? = nil, isBound: Bool = false,
        at now: NumericDate? = nil
    ) throws(JOSEError) {
        self.code = code
        description = nil
        algorithms = proofs?.rules.algorithmNames
        takesBearer = proofs == nil || !isBound
        nonce = code == .useDPoPNonce ? try proofs?.freshNonce(at: now) : nil
    }

    /// The status to answer with: 401 for a missing or wrong token or proof, 403 for one that does not reach so far, 503
    /// and 500 where the server cannot answer, 400 for all else.
    public var status: Int {
        switch code {
        case nil, .invalidToken?, .invalidDPoPProof?, .useDPoPNonce?: 401
        case .insufficientScope?: 403
        case let code?: code.errorStatus
        }
    }

    /// The value of `WWW-Authenticate`: a challenge for each scheme that is taken. The one with the error comes first, as some clients
    /// look at no other.
    public var header: String {
        var challenges: [String] = []
        var parameters: [String] = []
        if let code { parameters.append("error=\"\(code)\"") }
        if let text = description?.errorText { parameters.append("error_description=\"\(text)\"") }
        guard let algorithms else {
            return parameters.isEmpty
                ? "Bearer realm=\"resource\"" : "Bearer " + parameters.joined(separator: ", ")
        }
        parameters.append("algs=\"\(algorithms.joined(separator: " "))\"")
        challenges.append("DPoP " + parameters.joined(separator: ", "))
        if takesBearer {
            challenges.insert("Bearer realm=\"resource\"", at: code == nil ? 0 : 1)
        }
        return challenges.joined(separator: ", ")
    }

    /// The answer to give.
    ///
    /// - Throws: `misuse` where it cannot be written.
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
