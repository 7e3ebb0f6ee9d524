// What answers of the token endpoint have in common, read and written.

import JOSE
import JOSEBytes

/// The members of an answer: an access token, and what may stand beside it.
struct TokenMembers: Sendable {
    let accessToken: String
    let type: AccessTokenType
    var idToken: String?
    var expiresInSeconds: Int64?
    var refreshToken: String?
    var scopes: [String]?
    /// A newer nonce for proofs of possession, to answer with.
    var nonce: String?

    init(_ accessToken: String, _ type: AccessTokenType, idToken: String?, lives: Int64?) {
        self.accessToken = accessToken
        self.type = type
        self.idToken = idToken
        expiresInSeconds = lives
    }

    /// Reads the body of an answer with status 200.
    ///
    /// - Throws: `malformed` unless it has an access token of this type; `limitExceeded`.
    init(json: String, type: AccessTokenType, limits: JOSELimits) throws(JOSEError) {
        var bounds = limits
        // Two tokens and a few words.
        bounds.tokenBytes = limits.tokenBytes * 2
        let message = try JSONMessage(Array(json.utf8), limits: bounds)
        try message.checkIsNoError()
        guard let word = try message.string("token_type") else {
            throw .malformed(
                .message, "token_type is missing; the answer to this request has {}",
                .name(type == .dpop ? "DPoP" : "Bearer"))
        }
        guard AccessTokenType(word: word) == type else {
            throw .malformed(
                .message, "token_type is not the one that was asked for ({})",
                .name(type == .dpop ? "DPoP" : "Bearer"))
        }
        self.type = type
        guard let access = try message.string("access_token"), !access.isEmpty, access.isVisible
        else { throw .malformed(.message, "the response holds no access token") }
        accessToken = access
        idToken = try message.string("id_token")
        expiresInSeconds = try message.seconds("expires_in")
        // An empty one is none: some providers write the member in any case.
        refreshToken = try message.string("refresh_token").flatMap { $0.isEmpty ? nil : $0 }
        if let text = try message.string("scope") {
            try KnownParameter.named("scope")?.checkWords(text)
            // Blanks too many are read, as in requests; a list of none says nothing.
            let words = text.words
            guard words.allSatisfy(KnownParameter.isScope) else {
                throw .malformed(.message, "scope is no list of scopes")
            }
            scopes = words.isEmpty ? nil : words
        }
    }

    /// The body of the answer.
    ///
    /// - Throws: `misuse` where it cannot be written, for a life that is not 0 to 253402300799 seconds, or for a list of scopes that is
    ///   empty or has a word that is none.
    func json() throws(JOSEError) -> String {
        guard expiresInSeconds.map({ NumericDate.ages ~= $0 }) ?? true else {
            throw .misuse("an access token lives 0 to 253402300799 seconds")
        }
        let scope = try scopes.map(KnownParameter.scope)
        guard scope?.isEmpty != true else {
            throw .misuse("an answer names one scope at the least")
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

    /// The answer to give, which no cache keeps (RFC 6749, 5.1).
    ///
    /// - Throws: As `json()`.
    func response() throws(JOSEError) -> OpenIDHTTPResponse {
        try .notStored(
            json(), type: "application/json", further: OpenIDHTTPResponse.carrying(nonce: nonce))
    }
}
