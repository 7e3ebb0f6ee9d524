// An authorization request that a provider accepted, or rejected with an answer that may be redirected.

public import JOSE
import JOSEBytes

/// An accepted authorization request; keep it with the code that is given for it.
public struct ReceivedAuthorization: Sendable, Codable {
    /// The issuer of the provider that accepted it.
    public let issuer: String
    /// The parameters that count: those of the request object before those of the query.
    public let parameters: OpenIDParameters
    /// How many of them, from the first, a signed object carried.
    private let signedCount: Int
    /// JSON text, so that every coder keeps it as it is.
    private let otherMembersText: String?
    /// What its pushed request says of its one use; nil where it was not pushed.
    private(set) var pushedUse: PushedUse?
    /// The key that a pushed request was proved by.
    private var provedKey: String?

    /// - Parameters:
    ///   - issuer: The provider.
    ///   - signed: What a verified request object carried.
    ///   - unsigned: What the query alone says.
    ///   - others: What else the object holds, as JSON text.
    init(
        issuer: String, signed: OpenIDParameters, unsigned: OpenIDParameters, others: String
    ) {
        self.issuer = issuer
        parameters = OpenIDParameters(signed.all + unsigned.all)
        signedCount = signed.all.count
        otherMembersText = others.isEmpty ? nil : others
    }

    /// The same request, which came by a pushed one.
    func pushed(_ use: PushedUse) -> ReceivedAuthorization {
        var request = self
        request.pushedUse = use
        return request
    }

    /// The same request, whose sender has this key.
    func proved(by thumbprint: String) -> ReceivedAuthorization {
        var request = self
        request.provedKey = thumbprint
        return request
    }

    /// The key that its code is for, where it names one or was pushed with a proof (RFC 9449, 10): the thumbprint.
    public var keyThumbprint: String? { provedKey ?? parameters["dpop_jkt"] }

    /// The `request_uri` by which it came, where it was pushed (RFC 9126).
    public var pushedReference: String? { pushedUse?.reference }

    /// The members of the request object that are neither parameters nor claims that the library knows, of any type: it
    /// ignores them (RFC 6749, 3.1), and they are signed.
    public var otherMembers: JSONObject {
        let all = otherMembersText.flatMap {
            try? ClaimsDecoder.decode(JSONValue.self, from: Array($0.utf8), maxDepth: 128)
        }
        return all?.object ?? JSONObject()
    }

    /// The same members as JSON text; empty for none.
    var others: String { otherMembersText ?? "" }

    /// The parameters that a signed object carried: nobody on the way can have changed or added one.
    public var signedParameters: OpenIDParameters {
        OpenIDParameters(Array(parameters.all.prefix(max(signedCount, 0))))
    }
    /// Whether a signed object carried every parameter. Where objects need not stand alone, one of them may still be
    /// signed: see `isSigned(_:)`.
    public var isSigned: Bool { signedCount > 0 && signedCount == parameters.all.count }
    /// Whether a signed object carried this parameter; false for one that is not there.
    public func isSigned(_ name: String) -> Bool { signedParameters[name] != nil }

    /// The client.
    public var clientID: String { parameters["client_id"] ?? "" }
    /// Where the answer goes.
    public var redirectURI: String { parameters["redirect_uri"] ?? "" }
    /// `state`, to be sent back.
    public var state: String? { parameters["state"] }
    /// `nonce`, to be written into the ID Token.
    public var nonce: String? { parameters["nonce"] }
    /// `scope`, as words.
    public var scopes: [String] { parameters.words("scope") }
    /// The code behind `service:`.
    public var serviceCode: String? {
        scopes.lazy.compactMap { $0.rest(behind: "service:") }.first
    }
    /// The values of `acr` that the client asked for: `acr_values`, then those of `claims`. What the user must do for it is
    /// what `RegisteredClient.acr(for:)` tells.
    public var acrValues: [String] {
        parameters.words("acr_values") + ((try? RequestedClaims.claimedACRValues(parameters)) ?? [])
    }
    /// `login_hint`, in order.
    public var loginHints: [String] { parameters.values("login_hint") }
    /// `resource`, in order: what the access token is to be for (RFC 8707).
    public var resources: [String] { parameters.values("resource") }
    /// `max_age`, in seconds.
    public var maxAgeSeconds: Int64? { parameters.requestedMaxAge }
    /// How the answer goes back.
    public var responseMode: ResponseMode {
        parameters["response_mode"].flatMap(ResponseMode.init(rawValue:)) ?? .query
    }
    /// `claims`.
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

extension ReceivedAuthorization: RedactedDescription {
    package var shownAs: String { "received authorization" }
}

/// A rejected authorization request.
public struct RejectedAuthorization: Sendable {
    /// Why, for the log.
    public let cause: JOSEError
    /// What the client is told.
    public let error: AuthorizationError
    /// The answer to send.
    public let redirect: AuthorizationRedirect
}

/// An answer at the client's redirect address.
public struct AuthorizationRedirect: Sendable, Hashable {
    /// How it goes back.
    public let responseMode: ResponseMode
    /// The registered address.
    public var redirectURI: String { exactRedirectURI.text }
    private let exactRedirectURI: ExactString
    /// The answer's parameters, for a signed answer `response` alone: fields of the form that the browser posts for
    /// `form_post` and `form_post.jwt`.
    public let parameters: OpenIDParameters

    init(responseMode: ResponseMode, redirectURI: String, parameters: OpenIDParameters) {
        self.responseMode = responseMode
        exactRedirectURI = ExactString(redirectURI)
        self.parameters = parameters
    }

    /// Where to send the browser, where no form carries the answer.
    public var url: String {
        guard responseMode.carrier != .fragment else {
            return redirectURI + "#" + parameters.encoded
        }
        return redirectURI + AddressPlaces.queryMark(behind: redirectURI) + parameters.encoded
    }
}

extension AuthorizationRedirect: RedactedDescription {
    package var shownAs: String { "authorization redirect" }
}
