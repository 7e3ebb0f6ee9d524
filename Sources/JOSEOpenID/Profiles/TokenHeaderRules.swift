// What the header of each kind of token must say of it, and what ours say.

public import JOSE

/// The header of one kind of token.
public struct TokenHeaderRules: Sendable {
    /// The accepted `typ`: that of the signed token where it is inside an encrypted one, whose own may be absent, `JWT` or the
    /// same (RFC 8725, 3.11).
    public var type: MediaTypeRule
    /// The `typ` that we write; nil for none. `type` must accept it.
    public var writtenType: String?
    /// Whether an encrypted token must say by `cty` that a token is in it (RFC 7519, 5.2); where it need not, another `cty`
    /// than `JWT` is rejected all the same. We always write it.
    public var requiresContentType = true

    /// No `typ` or `JWT`, none written.
    public init() { type = .jwt }

    /// No `typ`, `JWT`, or the type that was registered for this kind of token; none written.
    init(registered: String) { type = .jwtOr([registered]) }
}

extension ClaimsPolicy {
    /// Takes over what a header must say.
    mutating func apply(_ header: TokenHeaderRules) {
        type = header.type
        requiresContentType = header.requiresContentType
    }
}

extension OpenIDProfile {
    /// Throws `misuse` where our own tokens would be rejected for their `typ`.
    func checkHeaders() throws(JOSEError) {
        for header in [
            requestObject.header, client.header, idToken.header, userInfo.header,
            jarm.header, logout.header, backchannel.header,
        ] {
            guard header.type.allows(header.writtenType) else {
                throw .misuse("the profile writes a typ that it does not accept")
            }
        }
    }
}
