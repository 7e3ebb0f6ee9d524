// The rules for authorization requests: parameters, login hints and acr values.

import JOSE
import JOSEBytes

/// The rules for the parameters of an authorization request.
///
/// A provider rejects a request that breaks a rule, or ignores the value if the rule says so. A
/// relying party throws `misuse` and sends nothing.
public struct AuthorizationRules: Sendable {
    /// The scopes that every request must have, such as `openid`.
    public var requiredScopes = ["openid"]
    /// Further scopes that are allowed; nil for any. A provider ignores all others.
    public var optionalScopes: [String]?
    /// Scopes that a provider rejects with `invalid_scope`.
    public var forbiddenScopes: [String] = []
    /// Whether exactly one scope `service:<code>` is required.
    public var requiresServiceScope = false
    /// The error code for a request without the required scopes.
    public var scopeError = OAuthErrorCode.invalidScope
    /// The rules for parameters that are forbidden or have a list of allowed values.
    public var parameters: [ParameterRule] = []
    /// How many values `login_hint` may have, and their format. By default one, in any format.
    public var loginHint = LoginHintRule()
    /// The rule for `acr_values` and the resulting `acr`.
    public var acr = ACRRule()
    /// Whether `state` begins with `<method>:`, where the method is the value of `acr_values`
    /// without `acr.methodPrefix`.
    public var stateBeginsWithMethod = false
    /// Whether a voluntary `acr` or `auth_time` of `claims.id_token` must be in the ID Token, like
    /// an essential one. A provider issues no ID Token without the claim, and a relying party
    /// rejects one.
    ///
    /// For the value of `acr` see ``ACRRule/providerRejectsUnmetVoluntary`` and
    /// ``ACRRule/relyingPartyAcceptsUnmetVoluntary``.
    public var treatsVoluntaryAsEssential = false
    /// Whether `redirect_uri` must be an https URL.
    public var requiresHTTPSRedirect = false
    /// Whether a client that registered `http://127.0.0.1` or `http://[::1]` may use any port of
    /// this host, as native apps need (RFC 8252, 7.3). The rest of the URI must be equal byte for
    /// byte. `localhost` is not included.
    public var allowsLoopbackPorts = false
    /// Whether a provider rejects a request without `state`. `RelyingParty` always sends one.
    public var requiresState = false
    /// Whether `nonce` is required. `RelyingParty` always sends one.
    public var requiresNonce = false
    /// Whether every request needs a code challenge (RFC 7636). If false, only requests with
    /// `AuthorizationRequest.usesPKCE` have one. S256 is the only method.
    public var requiresPKCE = true
    /// The accepted values of `response_mode`. If `.query` is missing, requests must have the
    /// parameter, as `query` is its default.
    public var responseModes: [ResponseMode] = [.query, .formPost]
    /// The response mode that a relying party requests by default. `.formPost` becomes `.query` if
    /// `response_modes_supported` in the metadata is absent or lacks `form_post`. It stays
    /// `.formPost` if `fixesResponseMode` is true or `responseModes` lacks `.query`.
    public var defaultResponseMode = ResponseMode.query
    /// Whether an unsigned `defaultResponseMode` is requested even if the metadata lacks it.
    public var fixesResponseMode = false
    /// Whether every authorization response must contain the issuer (RFC 9207). The metadata must
    /// state the support, unless all `responseModes` are signed.
    public var sendsIssuerInResponse = false
    /// Whether to check an app switch of MitID in `idp_params`: its members, and that an unsigned
    /// `app_switch_url` is in `ClientRegistration.appSwitchURIs`. If false, neither is checked.
    public var supportsAppSwitch = false

    /// Creates rules that require the scope `openid` and PKCE.
    public init() {}
}

/// The rule for one parameter, with the provider's reason.
public struct ParameterRule: Sendable {
    /// The parameter's name.
    public var name: String
    /// The allowed values; empty if the parameter is forbidden.
    public var values: [String]
    /// The provider's rule as an error text, such as `itsme ignores max_age`.
    public var reason: StaticString
    /// The error code for a forbidden value; nil if the provider ignores the value.
    public var errorCode: OAuthErrorCode?
    var dropsInvalidValues: Bool { errorCode == nil }

    /// Creates a rule for a forbidden parameter; see the properties.
    public init(_ name: String, _ reason: StaticString, errorCode: OAuthErrorCode? = nil) {
        self.init(name, [], reason, errorCode: errorCode)
    }

    /// Creates a rule with the allowed values of a parameter; see the properties.
    public init(
        _ name: String, _ values: [String], _ reason: StaticString, errorCode: OAuthErrorCode? = nil
    ) {
        self.name = name
        self.values = values
        self.reason = reason
        self.errorCode = errorCode
    }
}

/// How many values of `login_hint` a provider accepts, and in which format.
public struct LoginHintRule: Sendable {
    /// The syntax of the value.
    public enum Format: Sendable, Hashable {
        /// Any text, the default.
        case any
        /// `<countrycode>+<number>`, with digits on both sides. A provider also accepts a space for
        /// the plus, as a form decodes an unescaped plus to a space.
        case telephone
        /// Hints that begin with a prefix. Each list has the prefixes of one operation. The hints
        /// of a request must be exactly one for each prefix of one list.
        ///
        /// With `[["device:", "account:"], ["session:"]]`, the hints `device:1` and `account:2` are
        /// valid together, and `session:3` alone.
        case operations([[String]])

        private var beginnings: [[ExactString]]? {
            if case .operations(let lists) = self {
                lists.map { $0.map(ExactString.init) }
            } else {
                nil
            }
        }

        /// Compares formats, prefixes byte for byte.
        public static func == (a: Format, b: Format) -> Bool {
            switch (a, b) {
            case (.any, .any), (.telephone, .telephone): true
            case (.operations, .operations): a.beginnings == b.beginnings
            default: false
            }
        }

        /// Hashes what `==` compares.
        public func hash(into hasher: inout Hasher) { hasher.combine(beginnings) }
    }

    /// The maximum number of hints.
    public var maxCount = 1
    /// The format of each hint.
    public var format = Format.any
    /// The error code for a hint with another format; nil if the provider ignores the hint.
    public var errorCode: OAuthErrorCode? = .invalidRequest
    var dropsInvalidValues: Bool { errorCode == nil }

    /// Creates a rule for one hint of any format.
    public init() {}
}

/// The rule for `acr_values` and for the `acr` of the response.
public struct ACRRule: Sendable {
    /// All values, the weakest first. An `acr` must be at least as strong as the strongest
    /// requested value. If the list is empty, the `acr` must be one of the requested values.
    public var weakestFirst: [String] = []
    /// Other spellings of values, each mapped to its value in `weakestFirst`.
    public var otherSpellings: [String: String] = [:]
    /// The spelling of `acr` in responses, for values of `weakestFirst` that responses spell in
    /// another way. It must be an accepted spelling.
    public var writtenSpellings: [String: String] = [:]
    /// The prefix of every value of `acr_values`. If set, a request must have exactly one value.
    public var methodPrefix: String?
    /// Whether the ID Token's `acr` responds to `acr_values`. False if a provider uses `acr_values`
    /// for something else, such as a method. Values in the parameter `claims` are not affected.
    public var isReturned = true
    /// Whether a provider rejects a request if the user did not reach a voluntary `acr`: a value of
    /// `acr_values`, or of `claims` without `essential`.
    ///
    /// OpenID Connect Core forbids this error (3.1.2.1 and 5.5.1): the ID Token contains the `acr`
    /// that was reached. An essential `acr` must be reached in either case (5.5.1.1). For relying
    /// parties, see ``relyingPartyAcceptsUnmetVoluntary``.
    public var providerRejectsUnmetVoluntary = false
    /// Whether a relying party accepts an ID Token without the requested `acr`, if the request was
    /// voluntary: `acr_values`, or `claims` without `essential`.
    ///
    /// False by default, as the user can change an unsigned request. If true, check
    /// `VerifiedIDToken.acr`. An essential `acr` must be reached in either case.
    ///
    /// Source: OpenID Connect Core 1.0, 3.1.2.1 and 5.5.1.
    public var relyingPartyAcceptsUnmetVoluntary = false

    /// Creates a rule that has no order and accepts any value.
    public init() {}
}
