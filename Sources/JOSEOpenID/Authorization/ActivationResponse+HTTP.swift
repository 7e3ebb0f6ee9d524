// The first answer of an in-app authentication: as the side that gives it writes it, and what it equals.

public import JOSE
import JOSEBytes

extension ActivationResponse {
    /// The answer to give to the app, status 200 with an error too: its member `status` says which it is.
    ///
    /// - Throws: `misuse` for addresses that are not `https`, for an error whose code an answer
    ///   cannot hold, and where it cannot be written.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        for address in addresses.compactMap(\.self) where WebURL(address) == nil {
            throw .misuse("the addresses of an activation are https addresses")
        }
        var members: JSONObject
        switch self {
        case .started(let started):
            members = ["status": "OK", "completeUrl": .string(started.completeURL)]
            members["activationCode"] = started.activationCode.map(JSONValue.string)
            members["statusUrl"] = started.statusURL.map(JSONValue.string)
        case .failed(let code, let message, let completeURL):
            guard (try? OAuthErrorCode(name: code)) != nil else {
                throw .misuse("an activation's error has a code of 1 to 128 visible characters")
            }
            var error: JSONObject = ["code": .string(code)]
            error["message"] = message.map(JSONValue.string)
            members = ["status": "ERROR", "error": .object(error)]
            members["completeUrl"] = completeURL.map(JSONValue.string)
        }
        return try .notStored(
            try JSONValue.object(members).text(), type: "application/json")
    }

    private var addresses: [String?] {
        switch self {
        case .started(let started): [started.statusURL, started.completeURL]
        case .failed(_, _, let completeURL): [completeURL]
        }
    }
}

extension ActivationResponse {
    /// The same answer, its texts byte for byte.
    public static func == (a: ActivationResponse, b: ActivationResponse) -> Bool {
        switch (a, b) {
        case (.started(let a), .started(let b)): a == b
        case (.failed, .failed): a.failure == b.failure
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .started(let started): hasher.combine(started)
        case .failed: hasher.combine(failure)
        }
    }

    private var failure: [ExactString?] {
        guard case .failed(let code, let message, let completeURL) = self else { return [] }
        return [ExactString(code), ExactString(message), ExactString(completeURL)]
    }
}
