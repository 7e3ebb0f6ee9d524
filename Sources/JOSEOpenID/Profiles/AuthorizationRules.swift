// What an authorization request may and must say, as values.

import JOSE
import JOSEBytes

/// The rules for the parameters of an authorization request; both sides apply the same.
public struct AuthorizationRules: Sendable {
    /// Scopes that must be there.
    public var requiredScopes = ["openid"]
    /// Scopes that may be there besides; nil for any. A provider ignores others.
    public var optionalScopes: [String]?
    /// Scopes that a provider answers `invalid_scope` to.
    public var forbiddenScopes: [String] = []
    /// Whether exactly one scope `service:<code>` must be there.
    public var requiresServiceScope = false
    /// What a provider answers to a request without those scopes.
    public var scopeError = OAuthErrorCode.invalidScope
    /// Parameters that must not be sent, or whose words come from a list.
    public var parameters: [ParameterRule] = []
    /// What `login_hint` may be.
    public var loginHint = LoginHintRule()
    /// What `acr_values` may be, and what the answer's `acr` must be then.
    public var acr = ACRRule()
    /// Whether `state` begins with the method that `acr_values` names behind
    /// `acr.methodPrefix`, and a colon.
    public var stateBeginsWithMethod = false
    /// Whether a claim that is asked for as nice to have counts as needed.
    public var treatsVoluntaryAsEssential = false
    /// Whether `redirect_uri` must be an https address.
    public var requiresHTTPSRedirect = false
    /// Whether a client that registered `http://127.0.0.1/…` or `http://[::1]/…` may use any port
    /// of that address: native apps listen at one that the system gives them (RFC 8252, 7.3).
    /// Address, path and query must be equal byte for byte, and `localhost` is no such address.
    /// False in the presets of the guides.
    public var allowsLoopbackPorts = false
    /// Whether `state` must be there.
    public var requiresState = false
    /// Whether `nonce` must be there; we always send one.
    public var requiresNonce = false
    /// Whether every request has a code challenge (RFC 7636); else one that asks for it
    /// (`AuthorizationRequest.usesPKCE`). S256 is the only method.
    public var requiresPKCE = true
    /// Ways in which the answer may come back. Without `.query` a request must say one of them, as the query is what it means
    /// where it says nothing.
    public var responseModes: [ResponseMode] = [.query, .formPost]
    /// The way in which our answers come back where a request does not say it.
    ///
    /// A relying party asks for `.formPost` only where the provider's metadata list it in
    /// `response_modes_supported`, or where `fixesResponseMode` is true; elsewhere the answer comes
    /// by query, which is what providers without that list have (OpenID Connect Discovery 1.0, 3).
    public var defaultResponseMode = ResponseMode.query
    /// Whether the provider's guide fixes `defaultResponseMode`: then it is asked for whatever the
    /// metadata list.
    public var fixesResponseMode = false
    /// Whether every answer names the issuer (RFC 9207): then the metadata say so, and one that does not is rejected.
    public var sendsIssuerInResponse = false
    /// Whether `idp_params` may ask for an app switch of MitID: then an `app_switch_url` that no signed object carries must
    /// be one that this client registered (`ClientRegistration.appSwitchURIs`).
    public var supportsAppSwitch = false

    /// Rules that ask for `openid` alone.
    public init() {}
}

/// What a parameter may hold, with the provider's reason.
public struct ParameterRule: Sendable {
    /// The parameter.
    public var name: String
    /// The words that it may have; empty for a parameter that must not be sent.
    public var values: [String]
    /// The provider's rule, one English sentence part.
    public var reason: StaticString
    /// What a provider answers to another value; nil where it ignores it.
    public var response: OAuthErrorCode?

    /// A parameter that must not be sent.
    ///
    /// - Parameters:
    ///   - name: The parameter's name.
    ///   - reason: The provider's rule, one English sentence part.
    ///   - answer: What a provider answers to it; nil where it ignores the parameter.
    public init(_ name: String, _ reason: StaticString, response: OAuthErrorCode? = nil) {
        self.init(name, [], reason, response: response)
    }

    /// A parameter whose words come from a list.
    ///
    /// - Parameters:
    ///   - name: The parameter's name.
    ///   - values: The words that it may have.
    ///   - reason: The provider's rule, one English sentence part.
    ///   - answer: What a provider answers to another value; nil where it ignores it.
    public init(
        _ name: String, _ values: [String], _ reason: StaticString, response: OAuthErrorCode? = nil
    ) {
        self.name = name
        self.values = values
        self.reason = reason
        self.response = response
    }
}

/// What `login_hint` may be.
public struct LoginHintRule: Sendable {
    /// The form of a hint.
    public enum Form: Sendable, Hashable {
        /// Any text.
        case any
        /// `<countrycode>+<number>`, digits on both sides. A provider takes a space for the plus, which a form makes of one that
        /// was not encoded.
        case telephone
        /// A text behind each of the beginnings of one list, all of them and each once: every list is a kind of operation.
        case operations([[String]])

        /// The beginnings; nil where there are none to compare.
        private var beginnings: [[ExactString]]? {
            if case .operations(let lists) = self {
                lists.map { $0.map(ExactString.init) }
            } else {
                nil
            }
        }

        /// The same form, its beginnings byte for byte.
        public static func == (a: Form, b: Form) -> Bool {
            switch (a, b) {
            case (.any, .any), (.telephone, .telephone): true
            case (.operations, .operations): a.beginnings == b.beginnings
            default: false
            }
        }

        /// Hashes what `==` compares.
        public func hash(into hasher: inout Hasher) { hasher.combine(beginnings) }
    }

    /// How many hints there may be.
    public var maxCount = 1
    /// What each must look like.
    public var form = Form.any
    /// What a provider answers to another form; nil where it ignores such a hint.
    public var response: OAuthErrorCode? = .invalidRequest

    /// One hint of any form.
    public init() {}
}

/// What `acr_values` may be, and how an `acr` compares.
public struct ACRRule: Sendable {
    /// All values, the weakest first; an `acr` must be at least as strong as the strongest that was asked. Empty: no
    /// order is known, and the answer must be one of those asked.
    public var weakestFirst: [String] = []
    /// Other spellings of values, each with the one of `weakestFirst` that it means.
    public var otherSpellings: [String: String] = [:]
    /// The spelling that a provider writes into `acr`, for each value of `weakestFirst` whose
    /// responses are spelled differently from its requests. It must be a spelling that is read.
    public var writtenSpellings: [String: String] = [:]
    /// What every value begins with; then exactly one must be there.
    public var methodPrefix: String?
    /// Whether the ID Token's `acr` answers `acr_values` at all: false where a guide uses them for
    /// something else, such as a method. Values of the parameter `claims` are not affected.
    public var isReturned = true
    /// Whether a provider rejects a request whose voluntary `acr` the user did not reach: values of
    /// `acr_values`, and of the parameter `claims` without `essential`.
    ///
    /// False for OpenID Connect Core, which forbids an error there (3.1.2.1 and 5.5.1): the ID
    /// Token states the `acr` that was reached. True in the presets of the guides. An essential
    /// `acr` must be reached in either case (5.5.1.1). What a relying party accepts is
    /// `allowsUnmetVoluntary`.
    public var voluntaryIsBinding = false
    /// Whether a relying party accepts an ID Token whose `acr` is missing, or is not what it asked
    /// for by `acr_values` or, in the parameter `claims`, without `essential`.
    ///
    /// False by default: in an unsigned request the user can change what was asked for. Where it is
    /// true, decide by `VerifiedIDToken.acr`, which is what the provider says was reached. An
    /// essential `acr` must be reached in either case.
    ///
    /// Source: OpenID Connect Core 1.0, 3.1.2.1 and 5.5.1.
    public var allowsUnmetVoluntary = false

    /// No order, any value, answered.
    public init() {}
}
