// Parameters as the claims of a request object, and back (OpenID Connect Core, 6.1).

package import JOSE
import JOSEBytes

/// What a request object says; the value of a parameter in it may be JSON and not a text.
package struct RequestObjectText {
    /// The parameters, those that nobody knows but are texts among them.
    package let parameters: OpenIDParameters
    /// The members that the library does not know, of any type, as the text of a JSON object; empty for none. Values stand as
    /// they came: decoded they could take many times the room of their text.
    package let others: String
    private let document: JSONDocument

    /// More than any request has; each costs a look at all others.
    private static let maxMembers = 256
    private static let maxValues = 64

    /// The claims that carry the parameters.
    ///
    /// - Parameter texts: The parameters whose JSON is written as a string.
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

    /// What a verified object carries, less the parameters that are ignored, whatever they hold.
    ///
    /// - Throws: `malformed` for a value that a known parameter cannot have, for an object inside the object, and without any
    ///   parameter that is known: it would ask for nothing. `limitExceeded` for more than 256 members, 64 values or 256 words
    ///   of one parameter, or 512 names and values in one that is JSON.
    package init(
        _ token: VerifiedJWT, ignoring isIgnored: (String) -> Bool = { _ in false }
    ) throws(JOSEError) {
        let document = token.document
        guard document.nodes[0].count <= RequestObjectText.maxMembers else {
            throw .limitExceeded(.message, "the request object has too many members")
        }
        var parameters = OpenIDParameters(capacity: document.nodes[0].count)
        var others: [UInt8] = []
        var isRequest = false
        try document.forEachMember { (place, index) throws(JOSEError) in
            guard let name = document.string(at: place), !isIgnored(name) else { return }
            guard let known = KnownParameter.named(name) else {
                // An unknown parameter is ignored, whatever it is (RFC 6749, 3.1), and kept for who knows it.
                RequestObjectText.append(place, index, of: document, to: &others)
                if let text = try? RequestObjectText.text(index, document) {
                    parameters.append(name, text)
                }
                return
            }
            guard known.value != .claim else { return }
            isRequest = true
            guard !name.isExactly("request"), !name.isExactly("request_uri") else {
                throw .malformed(.message, "a request object holds another one")
            }
            try RequestObjectText.read(name, known, at: index, of: document, to: &parameters)
        }
        guard isRequest else {
            throw .malformed(.message, "the request object holds no parameter")
        }
        // As in a query, what is empty counts as absent.
        self.parameters =
            parameters.all.contains { $0.value.isEmpty }
            ? OpenIDParameters(parameters.all.filter { !$0.value.isEmpty }) : parameters
        self.document = document
        if !others.isEmpty { others.append(UInt8(ascii: "}")) }
        self.others = String(decoding: others, as: UTF8.self)
    }

    /// Appends a parameter that the library knows.
    ///
    /// - Throws: As for reading all.
    static func read(
        _ name: String, _ known: KnownParameter, at index: Int, of document: JSONDocument,
        to parameters: inout OpenIDParameters
    ) throws(JOSEError) {
        if document.kind(at: index) == .array, OpenIDParameters.isRepeatable(name) {
            guard document.nodes[index].count <= RequestObjectText.maxValues else {
                throw .limitExceeded(
                    .message, "a parameter of the request object is too often there")
            }
            try document.forEachElement(of: index) { (element) throws(JOSEError) in
                parameters.append(name, try RequestObjectText.text(element, document))
            }
        } else if known.isJSON {
            guard document.nodes[index].next - index <= ClaimsRequest.maxNodes else {
                throw .limitExceeded(
                    .message, "a parameter of the request object has too many values")
            }
            let value = try RequestObjectText.json(name, at: index, of: document)
            let text = try value.text()
            // JSON lets the last control character stand as it is; no parameter has one.
            let isMatching = known.value == .object ? value.object != nil : value.array != nil
            guard isMatching, text.utf8.allSatisfy({ $0 != 0x7f }) else {
                throw .malformed(
                    .message, "a parameter of the request object is other JSON than it must be")
            }
            parameters.append(name, text)
        } else if document.kind(at: index) == .number {
            guard let number = document.integer(at: index) else {
                throw .malformed(
                    .message, "a parameter of the request object is no whole number")
            }
            parameters.append(name, String(number))
        } else {
            let text = try RequestObjectText.text(index, document)
            try known.checkWords(text)
            parameters.append(name, text)
        }
    }

    /// The value of a parameter that is JSON. `idp_params` may also be a string that holds the JSON: its guide prints the parameter
    /// of a query only, and leaves open which of the two a signed object has.
    private static func json(
        _ name: String, at index: Int, of document: JSONDocument
    ) throws(JOSEError) -> JSONValue {
        if name.isExactly("idp_params"), let text = document.string(at: index) {
            return try JSONValue(message: text, most: ClaimsRequest.maxNodes)
        }
        return try ClaimsDecoder.decode(JSONValue.self, from: document, at: index)
    }

    /// Whether the object has a member of this name, of whatever type.
    func has(_ name: String) -> Bool { document.member(named: name) != nil }

    /// Appends a member as it stands.
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
            text.holdsNoControl, text.isStreamSafe
        else { throw .malformed(.message, "a parameter of the request object is no text") }
        return text
    }
}
