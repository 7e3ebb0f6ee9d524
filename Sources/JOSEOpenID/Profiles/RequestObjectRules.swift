// How a request is carried in a signed object, and how the object travels.

import JOSE
import JOSEBytes

/// How a request is carried in a signed object (OpenID Connect Core, 6).
public struct RequestObjectRules: Sendable {
    /// Whether RFC 9101 decides where it and OpenID Connect Core, 6, differ; see
    /// `jar(layers:audience:)`.
    ///
    /// True: nothing of the query counts but `client_id` and the object, and what is rejected
    /// before the object was verified is answered by a page, as nobody has said where else. False:
    /// the query repeats what OAuth demands there, and a rejected request is answered at its
    /// `redirect_uri`.
    public var followsJAR = false
    /// Whether every request must be carried so; then what the query alone says does not count, as in `isSelfContained`.
    public var isRequired = false
    /// The layers of the object.
    public var layers: TokenLayers
    /// The layers that a provider takes besides; what we send has `layers`.
    public var alsoAccepted: [TokenLayers] = []
    /// The header of the object (RFC 9101, 10.8).
    public var header = TokenHeaderRules(registered: "oauth-authz-req+jwt")
    /// The `aud` of the object.
    public var audience: MessageAudience
    /// Claims that an object must hold besides the parameters. Each of `iss`, `aud` and `exp` may be left out of this list;
    /// where one is there it must fit all the same.
    public var requiredClaims = ["iss", "aud", "exp"]
    /// How we send a request that does not say it.
    public var delivery: RequestObjectDelivery = .none
    /// Parameters that stay in the query beside the object. A provider demands `response_type` and the scope `openid` there
    /// where they are in this list (OpenID Connect Core, 6.1); a list of `client_id` alone is RFC 9101's query.
    public var queryParameters = ["response_type", "client_id", "scope"]
    /// Parameters that go in the query alone, such as `state` and `nonce`; an object that we make
    /// does not have them.
    ///
    /// Then the objects of all logins are equal but for their times, and one registered
    /// `request_uri` can serve the newest to every login. The parameters are not signed.
    /// `isSelfContained` must be false. `client_id`, `response_type`, `scope` and `redirect_uri` are
    /// always in the object, and an object that is pushed has every parameter.
    public var queryOnlyParameters: [String] = []
    /// Whether a provider takes the parameters from the object alone, which must then hold `client_id` (RFC 9101, 4);
    /// else the query fills what the object lacks, and that is not signed.
    public var isSelfContained = true
    /// Whether `request_uri` is supported.
    public var allowsReference = true
    /// Whether a `request_uri` must write the port 443.
    public var requiresRequestURIPort443 = false
    /// Whether a `request_uri` may be a local address: for both sides on one machine in development alone, as a provider
    /// that fetches from such an address reads of its own network.
    public var allowsLocalReference = false
    /// Parameters whose JSON value an object that we make holds as a string, such as `idp_params` for a broker that expects it so.
    public var textParameters: [String] = []
    /// How long an object that we make lives; whole seconds, at least 1.
    public var lifetime = Duration.seconds(300)
    var lifetimeSeconds: Int { lifetime.wholeSeconds }

    /// The longest time from `nbf` to `exp`, and the longest that `nbf` may have passed, in whole seconds, at least 1: then both must
    /// be there, and an object that we make has them. Nil for any time, and without `nbf`.
    public var maxValidity: Duration?
    var maxValiditySeconds: Int? { maxValidity?.wholeSeconds }

    /// Rules with the defaults.
    ///
    /// - Parameters:
    ///   - layers: How a Request Object is protected.
    ///   - audience: Whom its `aud` names.
    public init(layers: TokenLayers, audience: MessageAudience) {
        self.layers = layers
        self.audience = audience
    }

    /// Rules to the letter of RFC 9101: every request in an object of the type `oauth-authz-req+jwt` with `iss`, `aud` and
    /// `exp`, and nothing of the query but `client_id`.
    ///
    /// - Parameters:
    ///   - layers: How a Request Object is protected.
    ///   - audience: Whom its `aud` names.
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

    /// The parameters that stand in the query beside the object.
    var repeatedParameters: [String] { followsJAR ? ["client_id"] : queryParameters }

    /// Whether a parameter stays out of an object that we make.
    func isQueryOnly(_ name: String) -> Bool {
        queryOnlyParameters.contains { $0.isExactly(name) }
    }

    /// The parameters less those that stay out of an object.
    func carried(_ parameters: OpenIDParameters) -> OpenIDParameters {
        queryOnlyParameters.isEmpty
            ? parameters : OpenIDParameters(parameters.all.filter { !isQueryOnly($0.name) })
    }

    /// Throws `misuse` for parameters outside the object that no provider would read.
    func checkQueryOnly() throws(JOSEError) {
        guard !queryOnlyParameters.isEmpty else { return }
        guard !isWhole else {
            throw .misuse(
                "queryOnlyParameters needs isSelfContained = false: here the object alone counts"
            )
        }
        for name in ["client_id", "response_type", "scope", "redirect_uri"]
        where isQueryOnly(name) {
            throw .misuse("queryOnlyParameters names one that is always in the object")
        }
    }

    /// The claims that an object must hold: by RFC 9101 it always says whose it is and for whom (5, 10.8).
    var demandedClaims: [String] {
        (followsJAR ? ["iss", "aud"] : [])
            + (maxValiditySeconds == nil ? [] : ["nbf", "exp"]) + requiredClaims
    }

    /// Throws `claimRejected` for an object that counts longer, or began to count longer ago, than it may.
    func checkValidity(_ token: VerifiedJWT, at now: NumericDate) throws(JOSEError) {
        guard let maxValiditySeconds else { return }
        guard let start = token.notBefore, let end = token.expiration else {
            throw .claimRejected("nbf", "it is required and missing")
        }
        let latest = start.later(bySeconds: maxValiditySeconds)
        guard now <= latest else { throw .claimRejected("nbf", "it is too long ago") }
        guard end <= latest else {
            throw .claimRejected("exp", "the object counts longer than allowed")
        }
    }

    /// Whether the parameters come from the object alone.
    var isWhole: Bool { isSelfContained || isRequired || followsJAR }
}

/// How a request travels.
public enum RequestObjectDelivery: Sendable, Hashable {
    /// As plain parameters.
    case none
    /// In the parameter `request`.
    case byValue
    /// At this `request_uri`, where the relying party serves the object.
    case byReference(String)
}

extension RequestObjectDelivery {
    /// The same way, an address byte for byte.
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
        case .byReference(let address): hasher.combine(ExactString(address))
        }
    }
}
