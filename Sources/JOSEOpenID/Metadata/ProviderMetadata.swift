// A provider's discovery document, read strictly and checked against a profile.

public import JOSE
import JOSEBytes

/// A provider's metadata (OpenID Connect Discovery 1.0, 3; RFC 8414, 2), checked against a profile.
public struct ProviderMetadata: Sendable {
    /// `issuer`: the exact `iss` of the provider's tokens.
    public let issuer: String
    /// `authorization_endpoint`, to which the browser is sent. Empty if an OAuth server has none.
    public let authorizationEndpoint: String
    /// `token_endpoint`, which exchanges codes for tokens.
    public let tokenEndpoint: String
    /// `userinfo_endpoint`, if any.
    public let userInfoEndpoint: String?
    /// `jwks_uri`: the URL of the provider's key set. Empty if an OAuth server has none.
    public let jwksURI: String
    /// `pushed_authorization_request_endpoint`, if any (RFC 9126, 5).
    public let pushedRequestEndpoint: String?
    /// `backchannel_authentication_endpoint`, if any (CIBA Core 1.0, 4).
    public let backchannelEndpoint: String?
    /// The document's members, known or unknown, without null and `ignored` ones.
    public var members: JSONObject { check.members }
    /// Members with unusable values, such as an optional endpoint with `http` or the string
    /// `"true"` for a Boolean. They count as absent; at most 64 are listed. Log them: the
    /// provider's configuration or the client's registration may be wrong.
    public let ignored: [IgnoredMember]
    let check: MetadataCheck
    /// False for a document of RFC 8414 that `init(authorizationServerJSON:…)` read.
    let isOpenID: Bool

    /// Returns the URL of an issuer's discovery document (Discovery 1.0, 4).
    public static func discoveryURL(issuer: String) -> String {
        issuer + (issuer.ends(with: "/") ? "" : "/") + ".well-known/openid-configuration"
    }

    /// Returns the URL of an OAuth server's metadata: `/.well-known/oauth-authorization-server`
    /// between host and path (RFC 8414, 3.1). An OpenID provider may publish its document there
    /// too.
    public static func authorizationServerURL(issuer: String) -> String {
        WellKnownURL.make("oauth-authorization-server", of: issuer, keepsSlash: false)
    }

    /// Reads a discovery document. Null members count as absent. An unusable optional endpoint is
    /// listed in `ignored`, but an unusable endpoint that the profile needs is an error.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - issuer: The expected issuer, which the document must name exactly.
    ///   - profile: The rules that the provider must support.
    /// - Throws: `malformed` or `limitExceeded` for the text. `claimRejected` with a member that is
    ///   missing, is not an https URL, names another issuer, or does not support the profile.
    public init(json: String, issuer: String, profile: OpenIDProfile) throws(JOSEError) {
        let message = try JSONMessage(Array(json.utf8), limits: profile.limits)
        try self.init(try message.members(), issuer: issuer, profile: profile, .discovery)
    }

    /// Reads the metadata of an OAuth server that need not support OpenID Connect (RFC 8414).
    ///
    /// Clients of such a server have no logins: they use only client credentials, revocation and
    /// introspection. Members for ID Tokens, UserInfo and authorization requests are not checked.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - issuer: The expected issuer, which the document must name exactly (RFC 8414, 3.3).
    ///   - profile: The rules for client authentication and proofs that the server must support.
    /// - Throws: The errors of `init(json:issuer:profile:)`.
    public init(
        authorizationServerJSON json: String, issuer: String, profile: OpenIDProfile
    ) throws(JOSEError) {
        let message = try JSONMessage(Array(json.utf8), limits: profile.limits)
        try self.init(try message.members(), issuer: issuer, profile: profile, .authorizationServer)
    }

    /// Reads the metadata of an OAuth server that a peer chose, such as one that a resource names
    /// in its metadata (`ResourceServer.Metadata.authorizationServers`). Local URLs are rejected as
    /// by `init(json:untrustedIssuer:profile:)`.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - issuer: The expected issuer, which the document must name exactly (RFC 8414, 3.3).
    ///   - profile: The rules for client authentication and proofs that the server must support.
    /// - Throws: The errors of `init(json:untrustedIssuer:profile:)`.
    public init(
        authorizationServerJSON json: String, untrustedIssuer issuer: String,
        profile: OpenIDProfile
    ) throws(JOSEError) {
        try self.init(authorizationServerJSON: json, issuer: issuer, profile: profile)
        try check.checkPublicHosts()
    }

    /// Reads the document of an issuer that a peer, user or tenant chose, and rejects local URLs.
    ///
    /// Requests to the endpoints contain secrets and tokens, and come from inside your network.
    /// Only host names are checked here. A public name may resolve to a private address, so the
    /// HTTP client needs an address policy too.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - issuer: The expected issuer, which the document must name exactly.
    ///   - profile: The rules that the provider must support.
    /// - Throws: The errors of `init(json:issuer:profile:)`. `claimRejected` with an endpoint,
    ///   `jwks_uri` or `issuer` whose host is an IP address, a name without a dot, or a name in a
    ///   local domain such as `internal` or `localhost`.
    public init(
        json: String, untrustedIssuer issuer: String, profile: OpenIDProfile
    ) throws(JOSEError) {
        try self.init(json: json, issuer: issuer, profile: profile)
        try check.checkPublicHosts()
    }

    /// Creates the metadata of your own provider from its profile.
    ///
    /// - Parameters:
    ///   - issuer: The issuer.
    ///   - authorizationEndpoint: The authorization endpoint.
    ///   - tokenEndpoint: The token endpoint.
    ///   - userInfoEndpoint: The UserInfo endpoint.
    ///   - jwksURI: The URL of the key set.
    ///   - pushedRequestEndpoint: The pushed authorization request endpoint.
    ///   - backchannelEndpoint: The backchannel authentication endpoint.
    ///   - profile: The provider's rules.
    ///   - clientProfiles: The profiles of clients that have their own
    ///     (`ClientRegistration.profile`). The document covers them too.
    ///   - additional: Further members. They replace members of the same name.
    /// - Throws: `claimRejected` with a member that is not valid or does not support the profile.
    public init(
        issuer: String, authorizationEndpoint: String, tokenEndpoint: String,
        userInfoEndpoint: String? = nil, jwksURI: String,
        pushedRequestEndpoint: String? = nil, backchannelEndpoint: String? = nil,
        profile: OpenIDProfile, clientProfiles: [OpenIDProfile] = [],
        additional: [String: JSONValue] = [:]
    ) throws(JOSEError) {
        var members = profile.metadataMembers
        for other in clientProfiles { members.mergeMetadata(other.metadataMembers) }
        members["issuer"] = .string(issuer)
        members["authorization_endpoint"] = .string(authorizationEndpoint)
        members["token_endpoint"] = .string(tokenEndpoint)
        members["userinfo_endpoint"] = userInfoEndpoint.map(JSONValue.string)
        members["jwks_uri"] = .string(jwksURI)
        if additional["introspection_endpoint"] != nil {
            profile.addIntrospection(to: &members)
        }
        if additional["revocation_endpoint"] != nil {
            // An absent list means client_secret_basic (RFC 8414, 2).
            for member in ["methods", "signing_alg_values"] {
                members["revocation_endpoint_auth_\(member)_supported"] =
                    members["token_endpoint_auth_\(member)_supported"]
            }
        }
        members["pushed_authorization_request_endpoint"] =
            pushedRequestEndpoint.map(JSONValue.string)
        if let backchannelEndpoint {
            members["backchannel_authentication_endpoint"] = .string(backchannelEndpoint)
            profile.addBackchannel(clientProfiles, to: &members)
        }
        for (name, value) in additional { members[name] = value }
        try self.init(members, issuer: issuer, profile: profile, .own)
    }

    /// Where a document comes from. In the provider's own document, unusable members are errors.
    private enum Origin { case own, discovery, authorizationServer }

    private init(
        _ document: JSONObject, issuer expected: String, profile: OpenIDProfile, _ origin: Origin
    ) throws(JOSEError) {
        let isOwn = origin == .own
        let isOpenID = origin != .authorizationServer
        self.isOpenID = isOpenID
        var members = document
        for (name, value) in document where !isOwn && value == .null { members[name] = nil }
        let read = MetadataCheck(members, allowsLoopbackHTTP: profile.allowsLoopbackHTTP)
        let unusable = isOwn ? [] : read.unusableMembers() + read.missingHS256(profile)
        for member in unusable { members[member.member] = nil }
        ignored = Array(unusable.prefix(MetadataCheck.maxIgnored))
        let check = MetadataCheck(members, allowsLoopbackHTTP: profile.allowsLoopbackHTTP)
        self.check = check
        issuer = try check.issuer(expected)
        func url(ifPresent name: String) throws(JOSEError) -> String? {
            members[name] == nil ? nil : try check.url(name)
        }
        // RFC 8414, 2: jwks_uri is optional, and authorization_endpoint too if no grant uses it.
        func url(_ name: String) throws(JOSEError) -> String {
            isOpenID ? try check.url(name) : try url(ifPresent: name) ?? ""
        }
        authorizationEndpoint = try url("authorization_endpoint")
        tokenEndpoint = try check.url("token_endpoint")
        userInfoEndpoint = try url(ifPresent: "userinfo_endpoint")
        jwksURI = try url("jwks_uri")
        pushedRequestEndpoint = try url(ifPresent: "pushed_authorization_request_endpoint")
        backchannelEndpoint = try url(ifPresent: "backchannel_authentication_endpoint")
        try check.checkOtherEndpoints()
        if isOpenID { try check.check(profile) } else { try check.checkClients(profile) }
    }

    /// Returns a member by name.
    public subscript(name: String) -> JSONValue? { members[name] }

    /// Returns the strings of an array member; nil if the member is absent or not an array.
    public func list(_ name: String) -> [String]? { members[name]?.array?.compactMap(\.string) }

    /// Whether authorization responses contain the issuer (RFC 9207).
    public var sendsIssuerInResponse: Bool {
        members["authorization_response_iss_parameter_supported"]?.bool ?? false
    }

    /// Writes the document to publish.
    ///
    /// - Throws: `misuse` if a member cannot be written.
    public func json() throws(JOSEError) -> String { try JSONValue.object(members).text() }
}

/// A member of a discovery document that was ignored, and the reason.
public struct IgnoredMember: Sendable, Hashable {
    /// The member's name, such as `end_session_endpoint`, unescaped text of the document.
    public var member: String { exactMember.text }
    /// The reason, as part of an English sentence.
    public var reason: String { exactReason.text }
    private let exactMember: ExactString
    private let exactReason: ExactString

    init(member: String, reason: StaticString) {
        exactMember = ExactString(member)
        exactReason = ExactString(reason.description)
    }
}

extension IgnoredMember: CustomStringConvertible {
    /// The escaped name and the reason, for a log.
    public var description: String { "\(printable(member, atMost: 128)): \(reason)" }
}
