// The metadata of a protected resource (RFC 9728), for resource servers and clients.

public import JOSE
import JOSEBytes

extension ResourceServer {
    /// The metadata of a protected resource: which authorization servers issue its tokens.
    ///
    /// A resource server passes it to `ResourceServer.init` and publishes `metadataResponse`. A
    /// client reads it from the URL in a challenge (`BearerError.metadataURL`).
    public struct Metadata: Sendable {
        /// `resource`: the identifier of the resource, an https URL without fragment.
        public let resource: String
        /// `authorization_servers`: the issuers whose tokens the resource accepts. The resource
        /// chose them: send your credentials only to an issuer that you trust.
        public private(set) var authorizationServers: [String]
        /// The document's members, known or unknown, without null and `ignored` ones.
        public private(set) var members: JSONObject
        /// Members with unusable values. They count as absent; at most 64 are listed.
        public let ignored: [IgnoredMember]
        /// Whether issuers may be `http` URLs of this machine: only if the resource is one.
        private let allowsLoopbackHTTP: Bool

        /// Returns the URL of a resource's document: `/.well-known/oauth-protected-resource`
        /// between host and path (RFC 9728, 3.1).
        ///
        /// - Parameters:
        ///   - resource: The identifier of the resource.
        ///   - allowsLoopbackHTTP: Whether `http` is allowed for this machine, for development.
        /// - Throws: `misuse` unless the resource is an https URL without userinfo and fragment.
        public static func url(
            resource: String, allowsLoopbackHTTP: Bool = false
        ) throws(JOSEError) -> String {
            guard WebURL(resource, allowsLoopbackHTTP: allowsLoopbackHTTP) != nil else {
                throw .misuse("a resource must be an https URL without userinfo and fragment")
            }
            return documentURL(of: resource)
        }

        /// Reads the document of a resource.
        ///
        /// - Parameters:
        ///   - json: The document.
        ///   - resource: The identifier that you passed to `url(resource:)`. If `WWW-Authenticate`
        ///     named the document, pass the URL of your request.
        ///   - allowsLoopbackHTTP: Whether `http` is allowed for this machine, for development. The
        ///     document of an https resource still names https URLs only.
        ///   - limits: The limits of the document.
        /// - Throws: `malformed` or `limitExceeded` for the text. `claimRejected` with `resource`
        ///   if it differs in any byte, and with `authorization_servers` if an element is not an
        ///   https URL without query and fragment.
        ///
        /// Source: RFC 9728, 3.3.
        public init(
            json: String, resource: String, allowsLoopbackHTTP: Bool = false,
            limits: JOSELimits = .standard
        ) throws(JOSEError) {
            let allowsLoopbackHTTP = allowsLoopbackHTTP && resource.begins(with: "http://")
            var members = try JSONMessage(Array(json.utf8), limits: limits).members()
            for (name, value) in members where value == .null { members[name] = nil }
            let unusable = Metadata.unusable(members, allowsLoopbackHTTP)
            for member in unusable { members[member.member] = nil }
            guard members["resource"]?.string?.isExactly(resource) == true else {
                throw .claimRejected(
                    "resource",
                    "the document names another resource than requested; a trailing slash counts")
            }
            try self.init(
                members, resource, allowsLoopbackHTTP,
                ignored: Array(unusable.prefix(MetadataCheck.maxIgnored)))
        }

        /// Creates the metadata of your own resource. `ResourceServer` adds its issuers and the
        /// algorithms of DPoP proofs.
        ///
        /// - Parameters:
        ///   - resource: The identifier of the resource: one of the server's audiences.
        ///   - scopes: `scopes_supported`; empty for none.
        ///   - allowsLoopbackHTTP: Whether `http` is allowed for this machine, for development. An
        ///     https resource still has https issuers only.
        ///   - additional: Further members, such as `resource_name`, or `authorization_servers`
        ///     instead of the server's issuers.
        /// - Throws: `misuse` for an invalid scope, or a `resource` that is not an https URL.
        ///   `claimRejected` with an invalid member.
        public init(
            resource: String, scopes: [String] = [], allowsLoopbackHTTP: Bool = false,
            additional: [String: JSONValue] = [:]
        ) throws(JOSEError) {
            _ = try Metadata.url(resource: resource, allowsLoopbackHTTP: allowsLoopbackHTTP)
            let allowsLoopbackHTTP = allowsLoopbackHTTP && resource.begins(with: "http://")
            _ = try KnownParameter.scope(scopes)
            var members = JSONObject()
            if !scopes.isEmpty { members["scopes_supported"] = .strings(scopes) }
            members["bearer_methods_supported"] = ["header"]
            for (name, value) in additional { members[name] = value }
            members["resource"] = .string(resource)
            if let member = Metadata.unusable(members, allowsLoopbackHTTP).first {
                throw .claimRejected(member.member, "it has a wrong type, or is not an https URL")
            }
            try self.init(members, resource, allowsLoopbackHTTP, ignored: [])
        }

        private init(
            _ members: JSONObject, _ resource: String, _ allowsLoopbackHTTP: Bool,
            ignored: [IgnoredMember]
        ) throws(JOSEError) {
            self.resource = resource
            self.members = members
            self.ignored = ignored
            self.allowsLoopbackHTTP = allowsLoopbackHTTP
            guard WebURL(resource, allowsLoopbackHTTP: allowsLoopbackHTTP) != nil else {
                throw .claimRejected("resource", "it must be an https URL without fragment")
            }
            authorizationServers = []
            guard let servers = members["authorization_servers"] else { return }
            authorizationServers = try Metadata.issuers(servers, allowsLoopbackHTTP)
        }

        /// Returns a member by name.
        public subscript(name: String) -> JSONValue? { members[name] }

        /// Returns the strings of an array member; nil if the member is absent or not an array.
        public func list(_ name: String) -> [String]? {
            members[name]?.array?.compactMap(\.string)
        }

        /// Writes the document to publish.
        ///
        /// - Throws: `misuse` if a member cannot be written.
        public func json() throws(JOSEError) -> String { try JSONValue.object(members).text() }
    }
}

extension ResourceServer.Metadata {
    static func documentURL(of resource: String) -> String {
        WellKnownURL.make("oauth-protected-resource", of: resource, keepsSlash: true)
    }

    /// Adds the server's issuers and proof algorithms to metadata without them.
    func completed(
        issuers: [String], algorithms: [String]?
    ) throws(JOSEError) -> ResourceServer.Metadata {
        var document = self
        if members["authorization_servers"] == nil {
            let servers = JSONValue.strings(issuers)
            do throws(JOSEError) {
                document.authorizationServers = try Self.issuers(servers, allowsLoopbackHTTP)
            } catch {
                throw .misuse(
                    """
                    an issuer is not an https URL without query and fragment: set \
                    authorization_servers in the metadata
                    """)
            }
            document.members["authorization_servers"] = servers
        }
        if let algorithms, members["dpop_signing_alg_values_supported"] == nil {
            document.members["dpop_signing_alg_values_supported"] = .strings(algorithms)
        }
        return document
    }

    /// Reads `authorization_servers`. RFC 8414, 2 has the rules for issuers.
    private static func issuers(
        _ value: JSONValue, _ allowsLoopbackHTTP: Bool
    ) throws(JOSEError) -> [String] {
        guard let list = value.array else {
            throw .claimRejected("authorization_servers", "it is not an array")
        }
        var issuers: [String] = []
        for element in list {
            guard let text = element.string,
                let url = WebURL(text, allowsLoopbackHTTP: allowsLoopbackHTTP), !url.hasQuery
            else {
                throw .claimRejected(
                    "authorization_servers",
                    "an element is not an https URL without query and fragment")
            }
            issuers.append(text)
        }
        return issuers
    }

    private static let flags = [
        "tls_client_certificate_bound_access_tokens", "dpop_bound_access_tokens_required",
    ]
    private static let lists = [
        "scopes_supported", "bearer_methods_supported", "resource_signing_alg_values_supported",
        "dpop_signing_alg_values_supported", "authorization_details_types_supported",
    ]
    private static let urls = [
        "jwks_uri", "resource_documentation", "resource_policy_uri", "resource_tos_uri",
    ]

    private static func unusable(
        _ members: JSONObject, _ allowsLoopbackHTTP: Bool
    ) -> [IgnoredMember] {
        members.names.compactMap { name in
            guard let value = members[name] else { return nil }
            if flags.contains(where: name.isExactly), value.bool == nil {
                return IgnoredMember(member: name, reason: "it is not a boolean")
            }
            if lists.contains(where: name.isExactly),
                value.array?.contains(where: { $0.string == nil }) ?? true
            {
                return IgnoredMember(member: name, reason: "it is not an array of strings")
            }
            if urls.contains(where: name.isExactly),
                value.string.flatMap({ WebURL($0, allowsLoopbackHTTP: allowsLoopbackHTTP) }) == nil
            {
                return IgnoredMember(
                    member: name, reason: "it must be an https URL without userinfo and fragment")
            }
            return nil
        }
    }
}

extension ResourceServer {
    /// Creates the response at `Metadata.url(resource:)` (RFC 9728, 3.2).
    ///
    /// - Parameter maxAge: How long caches may keep the response, 0 to 86400 whole seconds.
    /// - Throws: `misuse` for a server without metadata, or an invalid `maxAge`.
    public func metadataResponse(
        maxAge: Duration = .seconds(300)
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        guard let metadata else {
            throw .misuse("the resource server has no metadata (metadata: of ResourceServer.init)")
        }
        return try .published(try metadata.json(), type: "application/json", maxAge: maxAge)
    }
}
