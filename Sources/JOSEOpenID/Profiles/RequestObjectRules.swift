// The rules for request objects: signed authorization requests.

import JOSE
import JOSEBytes

/// The rules for request objects (OpenID Connect Core, 6; RFC 9101).
public struct RequestObjectRules: Sendable {
    /// Whether to follow RFC 9101 where it differs from OpenID Connect Core, 6; see
    /// `jar(layers:audience:)`.
    ///
    /// If true, only `client_id` and the object are read from the query. An error before the object
    /// is verified must be shown as a page, since no redirect URI is trusted yet. If false, the
    /// query repeats the parameters that OAuth requires, and its `redirect_uri` receives errors.
    public var followsJAR = false
    /// Whether every request must have a request object. A provider then reads parameters only from
    /// the object.
    public var isRequired = false
    /// Whether a relying party signs the object, or signs and encrypts it.
    public var layers: TokenLayers
    /// Further layers that a provider accepts. A relying party always sends `layers`.
    public var alsoAccepted: [TokenLayers] = []
    /// The header of the object (RFC 9101, 10.8).
    public var header = TokenHeaderRules(registered: "oauth-authz-req+jwt")
    /// The `aud` of the object.
    public var audience: MessageAudience
    /// Required claims in addition to the parameters. You may remove `iss`, `aud` and `exp`: a
    /// wrong one is rejected in any case.
    public var requiredClaims = ["iss", "aud", "exp"]
    /// How a relying party sends requests by default.
    public var delivery: RequestObjectDelivery = .none
    /// Parameters that are in the query too. If they include `response_type` and `scope`, a
    /// provider requires `response_type` and the scope `openid` in the query (OpenID Connect Core,
    /// 6.1).
    public var queryParameters = ["response_type", "client_id", "scope"]
    /// Parameters that a relying party writes only into the query, unsigned, such as `state` and
    /// `nonce`.
    ///
    /// The objects of all logins then differ only in their times and `jti`. So you can register one
    /// `request_uri` and serve the newest object there. `isSelfContained`, `isRequired` and
    /// `followsJAR` must be false. `client_id`, `response_type`, `scope` and `redirect_uri` are
    /// always in the object, and a pushed object has every parameter.
    public var queryOnlyParameters: [String] = []
    /// Whether a provider reads parameters only from the object, which must contain `client_id`
    /// (RFC 9101, 4). If false, the query adds unsigned parameters that the object lacks.
    public var isSelfContained = true
    /// Whether `request_uri` is supported.
    public var allowsReference = true
    /// Whether a `request_uri` must contain the port 443.
    public var requiresRequestURIPort443 = false
    /// Whether a `request_uri` may have a local host. For development on one machine only: a
    /// provider that fetches it reads from its own network.
    public var allowsLocalReference = false
    /// Parameters with JSON that a relying party writes into the object as a string, such as
    /// `idp_params` for some brokers.
    public var textParameters: [String] = []
    /// The lifetime of an object that a relying party makes; whole seconds, at least 1.
    public var lifetime = Duration.seconds(300)
    var lifetimeSeconds: Int { lifetime.wholeSeconds }

    /// The maximum time from `nbf` to `exp`, and the maximum age of `nbf`; whole seconds, at least
    /// 1. Both claims are then required and written. If nil, there is no limit and no `nbf`.
    public var maxValidity: Duration?
    var maxValiditySeconds: Int? { maxValidity?.wholeSeconds }

    /// Creates rules with these properties and default values for the others; see the properties.
    public init(layers: TokenLayers, audience: MessageAudience) {
        self.layers = layers
        self.audience = audience
    }

    /// Creates rules that follow RFC 9101 exactly: every request is an object of the type
    /// `oauth-authz-req+jwt` with `iss`, `aud` and `exp`, and only `client_id` is read from the
    /// query.
    ///
    /// - Parameters:
    ///   - layers: The layers of the object.
    ///   - audience: The `aud` of the object.
    public static func jar(
        layers: TokenLayers = .signed, audience: MessageAudience = .issuer
    ) -> RequestObjectRules {
        var rules = RequestObjectRules(layers: layers, audience: audience)
        rules.followsJAR = true
        rules.isRequired = true
        rules.header.type = "oauth-authz-req+jwt"
        rules.header.writtenType = "oauth-authz-req+jwt"
        rules.delivery = .byValue
        rules.queryParameters = ["client_id"]
        return rules
    }

    var repeatedParameters: [String] { followsJAR ? ["client_id"] : queryParameters }

    func isQueryOnly(_ name: String) -> Bool {
        queryOnlyParameters.contains { $0.isExactly(name) }
    }

    func withoutQueryOnly(_ parameters: OpenIDParameters) -> OpenIDParameters {
        queryOnlyParameters.isEmpty
            ? parameters : OpenIDParameters(parameters.all.filter { !isQueryOnly($0.name) })
    }

    /// Throws `misuse` for query-only parameters that no provider would read.
    func checkQueryOnly() throws(JOSEError) {
        guard !queryOnlyParameters.isEmpty else { return }
        guard !readsObjectOnly else {
            throw .misuse(
                "queryOnlyParameters needs isSelfContained, isRequired and followsJAR to be false"
            )
        }
        for name in ["client_id", "response_type", "scope", "redirect_uri"]
        where isQueryOnly(name) {
            throw .misuse("queryOnlyParameters contains a parameter that is always in the object")
        }
    }

    /// RFC 9101 always requires `iss` and `aud` (5, 10.8).
    var allRequiredClaims: [String] {
        (followsJAR ? ["iss", "aud"] : [])
            + (maxValiditySeconds == nil ? [] : ["nbf", "exp"]) + requiredClaims
    }

    /// Throws `claimRejected` for an object that is too old, or valid for too long.
    func checkValidity(_ token: VerifiedJWT, at now: NumericDate) throws(JOSEError) {
        guard let maxValiditySeconds else { return }
        guard let start = token.notBefore, let end = token.expiration else {
            throw .claimRejected("nbf", "it is required and missing")
        }
        let latest = start.later(bySeconds: maxValiditySeconds)
        guard now <= latest else { throw .claimRejected("nbf", "it is too long ago") }
        guard end <= latest else {
            throw .claimRejected("exp", "the object is valid for longer than allowed")
        }
    }

    var readsObjectOnly: Bool { isSelfContained || isRequired || followsJAR }
}

/// How a relying party sends a request.
public enum RequestObjectDelivery: Sendable, Hashable {
    /// As plain parameters.
    case none
    /// In the parameter `request`.
    case byValue
    /// By this `request_uri`, at which the relying party serves the object.
    case byReference(String)
}

extension RequestObjectDelivery {
    /// Compares values, URIs byte for byte.
    public static func == (a: RequestObjectDelivery, b: RequestObjectDelivery) -> Bool {
        switch (a, b) {
        case (.none, .none), (.byValue, .byValue): true
        case (.byReference(let a), .byReference(let b)): a.isExactly(b)
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .byValue: hasher.combine(1)
        case .byReference(let uri): hasher.combine(ExactString(uri))
        }
    }
}
