// The `claims` parameter as a value, written by one side and read by the other (OpenID Connect Core, 5.5).

public import JOSE
import JOSEBytes

/// The `claims` parameter (OpenID Connect Core, 5.5).
public struct ClaimsRequest: Sendable, Hashable {
    /// How a claim is asked for (OpenID Connect Core, 5.5.1).
    public struct Demand: Sendable, Hashable {
        /// Whether it is needed; else it is nice to have.
        public var isEssential: Bool
        /// The value that is wanted; nil for any.
        public var value: JSONValue?
        /// The values of which one is wanted; nil for any.
        public var values: [JSONValue]?

        /// A demand.
        ///
        /// - Parameters:
        ///   - isEssential: Whether it is needed; else it is nice to have.
        ///   - value: The one value that is wanted.
        ///   - values: The values of which one is wanted.
        public init(
            isEssential: Bool = false, value: JSONValue? = nil, values: [JSONValue]? = nil
        ) {
            self.isEssential = isEssential
            self.value = value
            self.values = values
        }

        /// Nice to have.
        public static let voluntary = Demand()
        /// Needed.
        public static let essential = Demand(isEssential: true)
        /// With this value.
        public static func value(_ value: JSONValue) -> Demand { Demand(value: value) }
        /// With one of these values.
        public static func values(_ values: [JSONValue]) -> Demand { Demand(values: values) }
    }

    /// Claims of the UserInfo answer.
    public var userInfo: [String: Demand]
    /// Claims of the ID Token.
    public var idToken: [String: Demand]

    /// These claims.
    ///
    /// - Parameters:
    ///   - userInfo: Claims for the UserInfo answer, by name.
    ///   - idToken: Claims for the ID Token, by name.
    public init(userInfo: [String: Demand] = [:], idToken: [String: Demand] = [:]) {
        self.userInfo = userInfo
        self.idToken = idToken
    }
}

extension ClaimsRequest {
    /// The most names and values.
    static let maxNodes = 512

    /// Reads the parameter.
    ///
    /// What other members ask for is ignored, as Core wants it; a `userinfo` or `id_token` in capitals is rejected, since what it
    /// asks for would be lost.
    ///
    /// - Parameter text: The JSON text: at most 65,536 bytes, 512 names and values, and 16 levels.
    /// - Throws: `malformed` for anything but an object of demands, `limitExceeded`.
    public init(json text: String) throws(JOSEError) {
        guard text.utf8.count <= 65_536 else {
            throw .limitExceeded(.message, "the claims request is too large")
        }
        guard let members = try JSONValue(message: text, most: ClaimsRequest.maxNodes).object
        else {
            throw .notDemands
        }
        for name in members.names where ClaimsRequest.isMisspelt(name) {
            throw .malformed(.message, "claims names userinfo or id_token in another spelling")
        }
        self.init(
            userInfo: try ClaimsRequest.demands(members["userinfo"]),
            idToken: try ClaimsRequest.demands(members["id_token"]))
    }

    private static func isMisspelt(_ name: String) -> Bool {
        ["userinfo", "id_token"].contains {
            !name.isExactly($0) && name.lowercasedASCII.isExactly($0)
        }
    }

    private static func demands(_ value: JSONValue?) throws(JOSEError) -> [String: Demand] {
        guard let value else { return [:] }
        guard let members = value.object else { throw .notDemands }
        var demands: [String: Demand] = [:]
        for (name, demand) in members {
            // A dictionary of Swift puts marks into order, each past all that it follows.
            guard name.isStreamSafe else { throw .notDemands }
            demands[name] = try Demand(demand)
        }
        // Swift takes some names of different bytes for one.
        guard demands.count == members.count else { throw .notDemands }
        return demands
    }

    /// The JSON text that is sent, members in the order of their names.
    ///
    /// - Throws: `misuse` for a number that JSON cannot say.
    public func text() throws(JOSEError) -> String { try json.text() }

    private var json: JSONValue {
        var members: JSONObject = [:]
        if !userInfo.isEmpty { members["userinfo"] = .object(userInfo.mapValues(\.json)) }
        if !idToken.isEmpty { members["id_token"] = .object(idToken.mapValues(\.json)) }
        return .object(members)
    }
}

extension ClaimsRequest.Demand {
    /// - Throws: `malformed` unless it is null, or an object whose `essential` is true or false and whose `values` are an
    ///   array with something in it.
    fileprivate init(_ json: JSONValue) throws(JOSEError) {
        if json == .null {
            self = .voluntary
            return
        }
        guard let members = json.object else { throw .notDemands }
        isEssential = false
        if let flag = members["essential"] {
            guard let flag = flag.bool else { throw .notDemands }
            isEssential = flag
        }
        value = members["value"]
        if let list = members["values"] {
            guard let list = list.array, !list.isEmpty else { throw .notDemands }
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

    /// The texts that are wanted, empty for any; nil where something else is wanted, or nothing is in the list.
    ///
    /// An array in `value` is several values, as one guide writes them.
    var texts: [String]? {
        let several = value?.array ?? value.map { [$0] }
        guard several?.isEmpty != true, values?.isEmpty != true else { return nil }
        let wanted = (several ?? []) + (values ?? [])
        let texts = wanted.compactMap(\.string)
        return texts.count == wanted.count ? texts : nil
    }
}

extension JOSEError {
    fileprivate static let notDemands = JOSEError.malformed(
        .message, "claims is an object of userinfo and id_token, each an object of demands")
}

extension ClaimsRequest {
    /// The same parameter, byte for byte.
    public static func == (a: ClaimsRequest, b: ClaimsRequest) -> Bool { a.json == b.json }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(json) }
}

extension ClaimsRequest: RedactedDescription {
    package var shownAs: String { "claims request" }
}

extension ClaimsRequest.Demand: RedactedDescription {
    package var shownAs: String { "demand" }
}
