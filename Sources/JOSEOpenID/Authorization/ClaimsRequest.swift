// The `claims` parameter (OpenID Connect Core, 5.5).

public import JOSE
import JOSEBytes

/// The `claims` parameter: requests for individual claims (OpenID Connect Core, 5.5).
public struct ClaimsRequest: Sendable, Hashable {
    /// How a claim is requested (OpenID Connect Core, 5.5.1).
    public struct ClaimRequest: Sendable, Hashable {
        /// `essential`; otherwise the claim is voluntary.
        public var isEssential: Bool
        /// `value`: the requested value; nil for any.
        public var value: JSONValue?
        /// `values`: the requested values, of which the claim must have one; nil for any.
        public var values: [JSONValue]?

        /// Creates a request for a claim; see the properties.
        public init(
            isEssential: Bool = false, value: JSONValue? = nil, values: [JSONValue]? = nil
        ) {
            self.isEssential = isEssential
            self.value = value
            self.values = values
        }

        /// Requests a voluntary claim with any value.
        public static let voluntary = ClaimRequest()
        /// Requests an essential claim with any value.
        public static let essential = ClaimRequest(isEssential: true)
        /// Requests a voluntary claim with this value.
        public static func value(_ value: JSONValue) -> ClaimRequest { ClaimRequest(value: value) }
        /// Requests a voluntary claim with one of these values.
        public static func values(_ values: [JSONValue]) -> ClaimRequest {
            ClaimRequest(values: values)
        }
    }

    /// `userinfo`: the claims of the UserInfo response, by name.
    public var userInfo: [String: ClaimRequest]
    /// `id_token`: the claims of the ID Token, by name.
    public var idToken: [String: ClaimRequest]

    /// Creates a claims request; see the properties.
    public init(userInfo: [String: ClaimRequest] = [:], idToken: [String: ClaimRequest] = [:]) {
        self.userInfo = userInfo
        self.idToken = idToken
    }
}

extension ClaimsRequest {
    /// The maximum number of names and values in the JSON text.
    static let maxNodes = 512

    /// Reads the parameter.
    ///
    /// Other members than `userinfo` and `id_token` are ignored, as Core requires. These two in
    /// other letter case are rejected, since their requests would be lost.
    ///
    /// - Parameter text: The JSON text: at most 65,536 bytes, 512 names and values, and 16 levels.
    /// - Throws: `malformed` unless the text is an object of requests. `limitExceeded`.
    public init(json text: String) throws(JOSEError) {
        guard text.utf8.count <= 65_536 else {
            throw .limitExceeded(
                .message, "claims has {} bytes; at most 65536 are read", .number(text.utf8.count))
        }
        guard let members = try JSONValue(message: text, maxNodes: ClaimsRequest.maxNodes).object
        else { throw .notClaimRequests }
        for name in members.names where ClaimsRequest.isMisspelt(name) {
            throw .malformed(.message, "claims has userinfo or id_token in other letter case")
        }
        self.init(
            userInfo: try ClaimsRequest.requests(members["userinfo"]),
            idToken: try ClaimsRequest.requests(members["id_token"]))
    }

    private static func isMisspelt(_ name: String) -> Bool {
        ["userinfo", "id_token"].contains {
            !name.isExactly($0) && name.lowercasedASCII.isExactly($0)
        }
    }

    private static func requests(_ value: JSONValue?) throws(JOSEError) -> [String: ClaimRequest] {
        guard let value else { return [:] }
        guard let members = value.object else { throw .notClaimRequests }
        var requests: [String: ClaimRequest] = [:]
        for (name, request) in members {
            // Hashing a string takes quadratic time for a long run of combining marks.
            guard name.isStreamSafe else { throw .notClaimRequests }
            requests[name] = try ClaimRequest(request)
        }
        // Swift regards some names with different bytes as equal.
        guard requests.count == members.count else { throw .notClaimRequests }
        return requests
    }

    /// Returns the JSON text to send, with members sorted by name.
    ///
    /// - Throws: `misuse` for a number that JSON cannot represent.
    public func text() throws(JOSEError) -> String { try json.text() }

    private var json: JSONValue {
        var members: JSONObject = [:]
        if !userInfo.isEmpty { members["userinfo"] = .object(userInfo.mapValues(\.json)) }
        if !idToken.isEmpty { members["id_token"] = .object(idToken.mapValues(\.json)) }
        return .object(members)
    }
}

extension ClaimsRequest.ClaimRequest {
    fileprivate init(_ json: JSONValue) throws(JOSEError) {
        if json == .null {
            self = .voluntary
            return
        }
        guard let members = json.object else { throw .notClaimRequests }
        isEssential = false
        if let flag = members["essential"] {
            guard let flag = flag.bool else { throw .notClaimRequests }
            isEssential = flag
        }
        value = members["value"]
        if let list = members["values"] {
            guard let list = list.array, !list.isEmpty else { throw .notClaimRequests }
            values = list
        }
    }

    fileprivate var json: JSONValue {
        var members: JSONObject = [:]
        if isEssential { members["essential"] = true }
        members["value"] = value
        members["values"] = values.map(JSONValue.array)
        return members.isEmpty ? .null : .object(members)
    }

    /// The requested strings, empty for any; nil if a value is not a string or a list is empty. An
    /// array in `value` counts as `values`: itsme's oldest guide has one.
    var requestedStrings: [String]? {
        let several = value?.array ?? value.map { [$0] }
        guard several?.isEmpty != true, values?.isEmpty != true else { return nil }
        let all = (several ?? []) + (values ?? [])
        let strings = all.compactMap(\.string)
        return strings.count == all.count ? strings : nil
    }
}

extension JOSEError {
    fileprivate static let notClaimRequests = JOSEError.malformed(
        .message,
        "claims must be an object; userinfo and id_token map claims to null or an object")
}

extension ClaimsRequest {
    /// Compares the JSON values, strings and names byte by byte.
    public static func == (a: ClaimsRequest, b: ClaimsRequest) -> Bool { a.json == b.json }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(json) }
}

extension ClaimsRequest: RedactedDescription {}
extension ClaimsRequest.ClaimRequest: RedactedDescription {}
