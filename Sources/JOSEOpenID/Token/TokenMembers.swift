// Reads and writes the members of all successful responses of the token endpoint.

import JOSE
import JOSEBytes

struct TokenMembers: Sendable {
    let accessToken: String
    let type: AccessTokenType
    var idToken: String?
    var expiresInSeconds: Int64?
    var refreshToken: String?
    var scopes: [String]?
    /// The next DPoP nonce. `response()` sends it as a header.
    var nonce: String?

    init(_ accessToken: String, _ type: AccessTokenType, idToken: String?, expiresInSeconds: Int64?)
    {
        self.accessToken = accessToken
        self.type = type
        self.idToken = idToken
        self.expiresInSeconds = expiresInSeconds
    }

    init(json: String, type: AccessTokenType, limits: JOSELimits) throws(JOSEError) {
        var bounds = limits
        // The body may contain an access token, an ID Token, a refresh token and short members.
        bounds.tokenBytes = limits.tokenBytes * 2
        let message = try JSONMessage(Array(json.utf8), limits: bounds)
        try message.checkIsNoError()
        let expected: JOSEError.Value = .name(type == .dpop ? "DPoP" : "Bearer")
        guard let name = try message.string("token_type") else {
            throw .malformed(.message, "token_type is missing; expected {}", expected)
        }
        guard AccessTokenType(word: name) == type else {
            throw .malformed(.message, "token_type is not {}", expected)
        }
        self.type = type
        guard let access = try message.string("access_token"), !access.isEmpty,
            access.isPrintableASCII
        else {
            throw .malformed(
                .message, "the access token (access_token) is missing or not printable ASCII")
        }
        accessToken = access
        idToken = try message.string("id_token")
        expiresInSeconds = try message.seconds("expires_in")
        // Some providers send an empty string instead of omitting the member.
        refreshToken = try message.string("refresh_token").flatMap { $0.isEmpty ? nil : $0 }
        if let text = try message.string("scope") {
            try KnownParameter.named("scope")?.checkWords(text)
            // Extra spaces are ignored, as in requests. A scope without words counts as absent.
            let words = text.words
            guard words.allSatisfy(KnownParameter.isScope) else {
                throw .malformed(.message, "scope has characters that RFC 6749, 3.3 does not allow")
            }
            scopes = words.isEmpty ? nil : words
        }
    }

    /// Throws `misuse` for an invalid lifetime or scope, and for an empty list of scopes.
    func json() throws(JOSEError) -> String {
        guard expiresInSeconds.map({ NumericDate.durations ~= $0 }) ?? true else {
            throw .misuse("the lifetime of the access token is not 0 to 253402300799 seconds")
        }
        let scope = try scopes.map(KnownParameter.scope)
        guard scope?.isEmpty != true else {
            throw .misuse("the response's scopes are empty: use nil or at least one scope")
        }
        let bytes = try ClaimsEncoder.object { (members) throws(JOSEError) in
            members.string("access_token", accessToken)
            members.string("token_type", type.rawValue)
            if let expiresInSeconds { members.integer("expires_in", expiresInSeconds) }
            if let idToken { members.string("id_token", idToken) }
            if let refreshToken { members.string("refresh_token", refreshToken) }
            if let scope { members.string("scope", scope) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func response() throws(JOSEError) -> OpenIDHTTPResponse {
        try .notStored(
            json(), type: "application/json", further: OpenIDHTTPResponse.carrying(nonce: nonce))
    }
}
