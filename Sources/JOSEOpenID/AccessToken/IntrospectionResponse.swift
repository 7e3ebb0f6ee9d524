// A verified introspection response.

public import JOSE
import JOSEBytes

/// A verified introspection response (RFC 9701). Only an `Introspector` creates one.
public struct IntrospectionResponse: Sendable {
    /// Whether the token is active and, if it has an `exp`, not expired (leeway included).
    public let isActive: Bool
    /// The members of `token_introspection`; empty for an inactive token.
    public let members: JSONObject
    /// The values of `scope`; empty for an inactive token.
    public let scopes: [String]
    /// `cnf`: the token's binding, for `DPoPVerifier.verify(_:boundTo:owner:at:)`.
    public let binding: TokenBinding

    package init(
        _ token: VerifiedJWT, leewaySeconds: Int, at now: NumericDate
    ) throws(JOSEError) {
        let document = token.document
        guard let object = document.member("token_introspection"),
            document.kind(at: object) == .object,
            let flag = document.member("active", of: object).flatMap({ document.bool(at: $0) })
        else {
            throw .claimRejected("token_introspection", "it is not an object with active")
        }
        var hasEnded = false
        if let index = document.member("exp", of: object) {
            guard let end = document.date(at: index) else {
                throw .claimRejected("token_introspection", "its exp is not a date")
            }
            hasEnded = now >= end.later(bySeconds: leewaySeconds)
        }
        isActive = flag && !hasEnded
        let all = token["token_introspection"]?.object
        members = isActive ? all ?? JSONObject() : JSONObject()
        scopes = members["scope"]?.string?.words ?? []
        binding = isActive ? try TokenBinding(document, of: object) : TokenBinding()
    }

    /// Returns a member by name.
    public subscript(name: String) -> JSONValue? { members[name] }
}

extension IntrospectionResponse: RedactedDescription {}
