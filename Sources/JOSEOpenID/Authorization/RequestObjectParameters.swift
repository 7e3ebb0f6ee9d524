// Writes and reads the parameters in a request object (OpenID Connect Core, 6.1).

package import JOSE
import JOSEBytes

/// The parameters of a verified request object. Their values may be JSON.
package struct RequestObjectParameters {
    /// The known parameters, and unknown ones that are strings.
    package let parameters: OpenIDParameters
    /// All unknown members as JSON text, undecoded to save memory; empty for none.
    package let others: String
    private let document: JSONDocument

    /// Far more than a request has. Each parameter of the query is searched among all members.
    private static let maxMembers = 256
    private static let maxValues = 64

    /// Returns the claims of a request object. JSON parameters named in `texts` become strings.
    static func claims(
        _ parameters: OpenIDParameters, texts: [String] = []
    ) throws(JOSEError) -> JSONObject {
        var claims: JSONObject = [:]
        for parameter in parameters.all {
            let name = parameter.name
            if KnownParameter.named(name)?.isJSON == true, !texts.contains(where: name.isExactly) {
                claims[name] = try JSONValue(message: parameter.value)
            } else if name.isExactly("max_age"), let seconds = Int64(parameter.value) {
                claims[name] = .integer(seconds)
            } else {
                let values = parameters.values(name)
                claims[name] =
                    values.count == 1
                    ? .string(parameter.value) : .array(values.map(JSONValue.string))
            }
        }
        return claims
    }

    /// Reads a verified request object.
    ///
    /// - Throws: `malformed` for a value of the wrong type, a nested request object, and if there
    ///   is no known parameter. `limitExceeded` for more than 256 members, 64 values or 256 words
    ///   of a parameter, or 512 names and values of a JSON parameter.
    package init(
        _ token: VerifiedJWT, ignoring isIgnored: (String) -> Bool = { _ in false }
    ) throws(JOSEError) {
        let document = token.document
        guard document.nodes[0].count <= RequestObjectParameters.maxMembers else {
            throw .limitExceeded(
                .message, "the request object has more than {} members",
                .number(RequestObjectParameters.maxMembers))
        }
        var parameters = OpenIDParameters(capacity: document.nodes[0].count)
        var others: [UInt8] = []
        var hasKnownParameter = false
        try document.forEachMember { (key, index) throws(JOSEError) in
            guard let name = document.string(at: key), !isIgnored(name) else { return }
            guard let known = KnownParameter.named(name) else {
                // Unknown parameters are not rejected (RFC 6749, 3.1). The caller can read them.
                RequestObjectParameters.append(key, index, of: document, to: &others)
                if let text = try? RequestObjectParameters.text(index, document) {
                    parameters.append(name, text)
                }
                return
            }
            guard known.value != .claim else { return }
            hasKnownParameter = true
            guard !name.isExactly("request"), !name.isExactly("request_uri") else {
                throw .malformed(.message, "the request object has a request or request_uri in it")
            }
            try RequestObjectParameters.read(name, known, at: index, of: document, to: &parameters)
        }
        guard hasKnownParameter else {
            throw .malformed(.message, "the request object has no known parameter")
        }
        // As in a query, an empty value counts as absent.
        self.parameters =
            parameters.all.contains { $0.value.isEmpty }
            ? OpenIDParameters(parameters.all.filter { !$0.value.isEmpty }) : parameters
        self.document = document
        if !others.isEmpty { others.append(UInt8(ascii: "}")) }
        self.others = String(decoding: others, as: UTF8.self)
    }

    static func read(
        _ name: String, _ known: KnownParameter, at index: Int, of document: JSONDocument,
        to parameters: inout OpenIDParameters
    ) throws(JOSEError) {
        if document.kind(at: index) == .array, OpenIDParameters.isRepeatable(name) {
            guard document.nodes[index].count <= RequestObjectParameters.maxValues else {
                throw .limitExceeded(
                    .message, "a parameter of the request object has more than {} values",
                    .number(RequestObjectParameters.maxValues))
            }
            try document.forEachElement(of: index) { (element) throws(JOSEError) in
                parameters.append(name, try RequestObjectParameters.text(element, document))
            }
        } else if known.isJSON {
            guard document.nodes[index].next - index <= ClaimsRequest.maxNodes else {
                throw .limitExceeded(
                    .message, "a parameter of the request object has more than {} names and values",
                    .number(ClaimsRequest.maxNodes))
            }
            let value = try RequestObjectParameters.json(name, at: index, of: document)
            let text = try value.text()
            // JSON strings may have U+007F unescaped; parameters may not.
            let isMatching = known.value == .object ? value.object != nil : value.array != nil
            guard isMatching, text.utf8.allSatisfy({ $0 != 0x7f }) else {
                throw .malformed(
                    .message, "a JSON parameter of the request object has the wrong type")
            }
            parameters.append(name, text)
        } else if document.kind(at: index) == .number {
            guard let number = document.integer(at: index) else {
                throw .malformed(
                    .message, "a parameter of the request object is not an integer")
            }
            parameters.append(name, String(number))
        } else {
            let text = try RequestObjectParameters.text(index, document)
            try known.checkWords(text)
            parameters.append(name, text)
        }
    }

    /// Nets's guide shows `idp_params` only in a query, as text. So a string of JSON is read too.
    private static func json(
        _ name: String, at index: Int, of document: JSONDocument
    ) throws(JOSEError) -> JSONValue {
        if name.isExactly("idp_params"), let text = document.string(at: index) {
            return try JSONValue(message: text, maxNodes: ClaimsRequest.maxNodes)
        }
        return try ClaimsDecoder.decode(JSONValue.self, from: document, at: index)
    }

    func has(_ name: String) -> Bool { document.member(named: name) != nil }

    private static func append(
        _ name: Int, _ value: Int, of document: JSONDocument, to text: inout [UInt8]
    ) {
        let quote = UInt8(ascii: "\"")
        text.append(text.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
        text.append(quote)
        text += document.text(at: name)
        text += [quote, UInt8(ascii: ":")]
        let isText = document.kind(at: value) == .string
        if isText { text.append(quote) }
        text += document.text(at: value)
        if isText { text.append(quote) }
    }

    private static func text(
        _ index: Int, _ document: JSONDocument
    ) throws(JOSEError) -> String {
        guard let text = document.string(at: index),
            text.hasNoControlCharacters, text.isStreamSafe
        else { throw .malformed(.message, "a parameter of the request object is not a string") }
        return text
    }
}
