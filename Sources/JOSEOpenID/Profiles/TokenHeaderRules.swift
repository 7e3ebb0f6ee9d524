// The rules for `typ` and `cty` in the header of each kind of token.

public import JOSE

/// Which `typ` and `cty` one kind of token has.
public struct TokenHeaderRules: Sendable {
    /// The accepted `typ` of the signed token. An encrypted token around it may have the same
    /// `typ`, `JWT` or none (RFC 8725, 3.11).
    public var type: MediaTypeRule
    /// The `typ` to write; nil for none. `type` must accept it.
    public var writtenType: String?
    /// Whether an encrypted token must have `cty` `JWT` (RFC 7519, 5.2). Another `cty` is rejected
    /// in any case, and `JWT` is always written.
    public var requiresContentType = true

    /// Creates rules that accept tokens without `typ` and with `JWT`, and write no `typ`.
    public init() { type = .jwt }

    /// Accepts tokens without `typ`, with `JWT` or with `registered`. Writes no `typ`.
    init(registered: String) { type = .jwtOr([registered]) }
}

extension ClaimsPolicy {
    mutating func apply(_ header: TokenHeaderRules) {
        type = header.type
        requiresContentType = header.requiresContentType
    }
}

extension OpenIDProfile {
    /// Throws `misuse` if the profile would reject the `typ` that it writes.
    func checkHeaders() throws(JOSEError) {
        for header in [
            requestObject.header, client.header, idToken.header, userInfo.header,
            jarm.header, logout.header, backchannel.header,
        ] {
            guard header.type.allows(header.writtenType) else {
                throw .misuse(
                    "the profile writes a typ that it does not accept (header.writtenType)")
            }
        }
    }
}
