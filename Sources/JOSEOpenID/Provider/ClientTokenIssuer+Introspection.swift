// Makes introspection responses, as JWTs or as plain JSON (RFC 9701, 5; RFC 7662, 2.2).

public import JOSE
import JOSEBytes

/// The state of a token that a resource server asks about.
public enum TokenState: Sendable {
    /// Unknown, expired, revoked, or not for the resource server that asks.
    case inactive
    /// Active, with the members of the response, such as `scope`, `client_id`, `sub`, `exp` and
    /// `cnf`. `aud` is required. If `aud` names neither the resource server that asks nor one of
    /// its `ClientRegistration.resources`, the response says inactive.
    case active(JSONObject)
}

extension ClientTokenIssuer {
    /// Makes the introspection response, as a JWT or as plain JSON.
    ///
    /// - Parameters:
    ///   - request: The request, which decides whether the response is a JWT.
    ///   - state: The state of the token.
    ///   - now: The time of `iat`; the system's clock by default.
    /// - Throws: `misuse` for invalid members; `keyNotFound` if the client has no encryption key;
    ///   `limitExceeded`, `internal`.
    public func introspectionResponse(
        _ request: ReceivedIntrospection, _ state: TokenState, at now: NumericDate? = nil
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        guard request.wantsToken else {
            return try plainIntrospection(state)
        }
        return try .notStored(
            try introspection(state, at: now), type: IntrospectionRules.mediaType)
    }

    /// Makes the response as a JWT. The profile decides whether it is encrypted.
    ///
    /// - Parameters:
    ///   - state: The state of the token.
    ///   - now: The time of `iat`; the system's clock by default.
    /// - Throws: As `introspectionResponse(_:_:at:)`.
    public func introspection(
        _ state: TokenState, at now: NumericDate? = nil
    ) throws(JOSEError) -> String {
        let json = try introspectionClaims(state, now)
        return try introspectionIssuer.issue(
            checked: json.span, encryptedFor: recipient(profile.introspection.layers))
    }

    func introspectionClaims(
        _ state: TokenState, _ now: NumericDate?
    ) throws(JOSEError) -> [UInt8] {
        let members = try self.members(state)
        return try ClaimsEncoder.object { (claims) throws(JOSEError) in
            claims.string("iss", issuerName)
            claims.string("aud", clientID)
            claims.integer("iat", (now ?? .now).seconds)
            // No sub and exp: nobody must take the response for an access token (RFC 9701, 8.1).
            claims.value("token_introspection", .object(members))
        }
    }

    func plainIntrospection(_ state: TokenState) throws(JOSEError) -> OpenIDHTTPResponse {
        try .notStored(try JSONValue.object(members(state)).text(), type: "application/json")
    }

    /// Returns the response's members for this client. A token for other resources is inactive.
    private func members(_ state: TokenState) throws(JOSEError) -> JSONObject {
        guard case .active(var members) = state else { return ["active": false] }
        guard members["active"] == nil else {
            throw .misuse("active must not be among the members; the TokenState sets it")
        }
        let audience =
            members["aud"]?.string.map { [$0] } ?? members["aud"]?.array?.compactMap(\.string)
        guard let audience else { throw .misuse("the members of an active token need aud") }
        guard audience.contains(where: { name in audiences.contains { $0.isExactly(name) } }) else {
            return ["active": false]
        }
        members["active"] = true
        return members
    }
}

extension TokenState: RedactedDescription {}
