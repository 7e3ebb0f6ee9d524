// An authorization request that a provider accepted or rejected, and the response to it.

public import JOSE
import JOSEBytes

/// An accepted authorization request. Store it with the code that you issue for it.
public struct ReceivedAuthorization: Sendable, Codable {
    /// The issuer of the provider that accepted the request.
    public let issuer: String
    /// The effective parameters: those of the request object, then others of the query.
    public let parameters: OpenIDParameters
    /// The number of signed parameters, which come first. A corrupt stored value may be negative.
    private let signedCount: Int
    /// The members for `otherMembers` as JSON text, which every encoder preserves.
    private let otherMembersText: String?
    private(set) var pushedUse: PushedUse?
    /// The thumbprint of the DPoP proof's key, for a pushed request with a proof.
    private var provedKey: String?

    /// `unsigned` are the parameters that are only in the query. `others` is JSON text.
    init(
        issuer: String, signed: OpenIDParameters, unsigned: OpenIDParameters, others: String
    ) {
        self.issuer = issuer
        parameters = OpenIDParameters(signed.all + unsigned.all)
        signedCount = signed.all.count
        otherMembersText = others.isEmpty ? nil : others
    }

    func pushed(_ use: PushedUse) -> ReceivedAuthorization {
        var request = self
        request.pushedUse = use
        return request
    }

    func proved(by thumbprint: String) -> ReceivedAuthorization {
        var request = self
        request.provedKey = thumbprint
        return request
    }

    /// The thumbprint of the key that the code is bound to (RFC 9449, 10): the key of the pushed
    /// request's DPoP proof, else `dpop_jkt`.
    public var keyThumbprint: String? { provedKey ?? parameters["dpop_jkt"] }

    /// The `request_uri` of a pushed request (RFC 9126); nil for other requests.
    public var pushedReference: String? { pushedUse?.reference }

    /// The unknown members of the request object, which the library ignores (RFC 6749, 3.1). They
    /// are signed. A string that a query could contain is in `parameters` too.
    public var otherMembers: JSONObject {
        let all = otherMembersText.flatMap {
            try? ClaimsDecoder.decode(JSONValue.self, from: Array($0.utf8), maxDepth: 128)
        }
        return all?.object ?? JSONObject()
    }

    var others: String { otherMembersText ?? "" }

    /// The parameters of the signed request object. A modified query cannot change or add one.
    public var signedParameters: OpenIDParameters {
        OpenIDParameters(Array(parameters.all.prefix(max(signedCount, 0))))
    }
    /// Whether all parameters were signed. If the query may add parameters, use `isSigned(_:)`.
    public var isSigned: Bool { signedCount > 0 && signedCount == parameters.all.count }
    /// Whether this parameter was signed; false for an absent parameter.
    public func isSigned(_ name: String) -> Bool { signedParameters[name] != nil }

    /// The client's `client_id`.
    public var clientID: String { parameters["client_id"] ?? "" }
    /// The redirect URI of the response.
    public var redirectURI: String { parameters["redirect_uri"] ?? "" }
    /// `state`, which the response repeats.
    public var state: String? { parameters["state"] }
    /// `nonce`, which the ID Token repeats.
    public var nonce: String? { parameters["nonce"] }
    /// The values of `scope`.
    public var scopes: [String] { parameters.words("scope") }
    /// The code in the scope `service:<code>`.
    public var serviceCode: String? {
        scopes.lazy.compactMap { $0.removingPrefix("service:") }.first
    }
    /// The requested values of `acr`: those of `acr_values`, then those of `claims`.
    /// `RegisteredClient.acr(for:)` returns the required one.
    public var acrValues: [String] {
        parameters.words("acr_values") + ((try? RequestedClaims.claimedACRValues(parameters)) ?? [])
    }
    /// The values of `login_hint`, in order.
    public var loginHints: [String] { parameters.values("login_hint") }
    /// The values of `resource`, in order: the audience of the access token (RFC 8707).
    public var resources: [String] { parameters.values("resource") }
    /// `max_age`, in seconds.
    public var maxAgeSeconds: Int64? { parameters.requestedMaxAge }
    /// How the response must be returned.
    public var responseMode: ResponseMode {
        parameters["response_mode"].flatMap(ResponseMode.init(rawValue:)) ?? .query
    }
    /// The parameter `claims`: the claims that the client requests.
    public var claims: ClaimsRequest? {
        parameters["claims"].flatMap { try? ClaimsRequest(json: $0) }
    }
    /// `authorization_details`: a JSON array of objects, each with its `type` (RFC 9396, 2).
    public var authorizationDetails: JSONValue? {
        parameters["authorization_details"].flatMap { try? JSONValue(message: $0) }
    }
    /// `idp_params`.
    public var identityProviderParameters: JSONValue? {
        parameters["idp_params"].flatMap { try? JSONValue(message: $0) }
    }
}

/// A rejected authorization request with the response for the client.
public struct RejectedAuthorization: Sendable {
    /// The cause, for the log.
    public let cause: JOSEError
    /// The error for the client.
    public let error: AuthorizationError
    /// The response to send.
    public let redirect: AuthorizationRedirect
}

/// An authorization response, for the client's redirect URI.
public struct AuthorizationRedirect: Sendable, Hashable {
    /// How the response is returned.
    public let responseMode: ResponseMode
    /// The redirect URI of the request. A loopback URI may have another port than registered.
    public var redirectURI: String { exactRedirectURI.text }
    private let exactRedirectURI: ExactString
    /// The response's parameters; a signed response has only `response`. For `form_post` and
    /// `form_post.jwt` they are the fields of the form.
    public let parameters: OpenIDParameters

    init(responseMode: ResponseMode, redirectURI: String, parameters: OpenIDParameters) {
        self.responseMode = responseMode
        exactRedirectURI = ExactString(redirectURI)
        self.parameters = parameters
    }

    /// The URL of the redirect, for response modes without a form.
    public var url: String {
        guard responseMode.carrier != .fragment else {
            return redirectURI + "#" + parameters.encoded
        }
        return redirectURI + URLRanges.queryMark(after: redirectURI) + parameters.encoded
    }
}

extension ReceivedAuthorization: RedactedDescription {}
extension AuthorizationRedirect: RedactedDescription {}
