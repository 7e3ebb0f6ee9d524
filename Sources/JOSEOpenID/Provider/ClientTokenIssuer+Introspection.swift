// Answers of the introspection endpoint, as tokens and as JSON (RFC 9701, 5; RFC 7662, 2.2).

public import JOSE
import JOSEBytes

/// What a provider knows of a token that a resource server asks about.
public enum TokenState: Sendable {
    /// Unknown, ended, withdrawn, or none of the asking resource's.
    case inactive
    /// It counts: the members of the answer, such as `aud`, `scope`, `client_id`, `sub`, `exp` and `cnf`. `aud` must be there: an
    /// access token for others than the asking resource is told as inactive.
    case active(JSONObject)
}

extension TokenState: RedactedDescription {
    package var shownAs: String { "token state" }
}

extension ClientTokenIssuer {
    /// The answer of the introspection endpoint.
    ///
    /// - Parameters:
    ///   - request: The request, which says whether the answer is a token.
    ///   - state: What is known of the token.
    ///   - now: The time of `iat`; the system's clock where none is given.
    /// - Throws: `misuse` for members that no answer has, `keyNotFound` where the client has no key to encrypt for; `limitExceeded`,
    ///   `internal`.
    public func introspectionResponse(
        _ request: ReceivedIntrospection, _ state: TokenState, at now: NumericDate? = nil
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        guard request.wantsToken else {
            return try plainIntrospection(state)
        }
        return try .notStored(
            try introspection(state, at: now), type: IntrospectionRules.mediaType)
    }

    /// The answer as a token, signed, or signed and encrypted, as the profile says.
    ///
    /// - Parameters:
    ///   - state: What is known of the token that was asked about.
    ///   - now: The time that the answer is issued; the system's clock where none is given.
    /// - Throws: As the answer.
    public func introspection(
        _ state: TokenState, at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        let json = try introspectionClaims(state, now)
        return try introspectionIssuer.issue(
            checked: json.span, encryptedFor: recipient(profile.introspection.layers))
    }

    /// The claims of the answer as they are signed.
    func introspectionClaims(
        _ state: TokenState, _ now: NumericDate?
    ) throws(JOSEError) -> [UInt8] {
        let told = try told(state)
        return try ClaimsEncoder.object { (members) throws(JOSEError) in
            members.string("iss", issuerName)
            members.string("aud", clientID)
            members.integer("iat", (now ?? .now).seconds)
            // Neither sub nor exp stands beside it, so that nobody takes the answer for an access token (RFC 9701, 8.1).
            members.value("token_introspection", .object(told))
        }
    }

    /// The answer as JSON.
    func plainIntrospection(_ state: TokenState) throws(JOSEError) -> OpenIDHTTPResponse {
        try .notStored(try JSONValue.object(told(state)).text(), type: "application/json")
    }

    /// What this client may know.
    private func told(_ state: TokenState) throws(JOSEError) -> JSONObject {
        guard case .active(var members) = state else { return ["active": false] }
        guard members["active"] == nil else {
            throw .misuse("active is said by the state of the token")
        }
        let audience =
            members["aud"]?.string.map { [$0] } ?? members["aud"]?.array?.compactMap(\.string)
        guard let audience else { throw .misuse("the members of an active token lack aud") }
        guard audience.contains(where: { name in audiences.contains { $0.isExactly(name) } }) else {
            return ["active": false]
        }
        members["active"] = true
        return members
    }
}
