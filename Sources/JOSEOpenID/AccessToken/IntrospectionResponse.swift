// What a provider told of a token.

public import JOSE
import JOSEBytes

/// An introspection answer that was verified; only an `Introspector` makes one.
public struct IntrospectionResponse: Sendable {
    /// Whether the token counts, and its `exp` has not come where there is one. Nothing else is told of one that does not.
    public let isActive: Bool
    /// The members of the answer; none of an inactive token.
    public let members: JSONObject
    /// `scope`, as words.
    public let scopes: [String]
    /// `cnf`: what the token is bound to; give it to `DPoPVerifier.verify(_:boundTo:owner:at:)`.
    public let binding: TokenBinding

    /// - Throws: `claimRejected` with `token_introspection` for another form, with `cnf` for what it cannot be.
    package init(
        _ token: VerifiedJWT, leewaySeconds: Int, at now: NumericDate
    ) throws(JOSEError) {
        let document = token.document
        guard let object = document.member("token_introspection"),
            document.kind(at: object) == .object,
            let flag = document.member("active", of: object).flatMap({ document.bool(at: $0) })
        else {
            throw .claimRejected("token_introspection", "it is no object that says active")
        }
        var hasEnded = false
        if let index = document.member("exp", of: object) {
            guard let end = document.date(at: index) else {
                throw .claimRejected("token_introspection", "its exp is no date")
            }
            hasEnded = now >= end.later(bySeconds: leewaySeconds)
        }
        isActive = flag && !hasEnded
        let all = token["token_introspection"]?.object
        members = isActive ? all ?? JSONObject() : JSONObject()
        scopes = members["scope"]?.string?.words ?? []
        binding = isActive ? try TokenBinding(document, of: object) : TokenBinding()
    }

    /// Any member by name.
    public subscript(name: String) -> JSONValue? { members[name] }
}

extension IntrospectionResponse: RedactedDescription {
    package var shownAs: String { "introspection answer" }
}
