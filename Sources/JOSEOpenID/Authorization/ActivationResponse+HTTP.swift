// Writes an `ActivationResponse` as an HTTP response. Compares and hashes it.

public import JOSE
import JOSEBytes

extension ActivationResponse {
    /// Creates the HTTP response for the app. The HTTP status is always 200: the member `status`
    /// marks errors.
    ///
    /// - Throws: `misuse` for a URL that is not `https`, for an invalid error code, and if the
    ///   response cannot be written.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        for url in urls.compactMap(\.self) where WebURL(url) == nil {
            throw .misuse("statusURL and completeURL must be https URLs")
        }
        var members: JSONObject
        switch self {
        case .started(let started):
            members = ["status": "OK", "completeUrl": .string(started.completeURL)]
            members["activationCode"] = started.activationCode.map(JSONValue.string)
            members["statusUrl"] = started.statusURL.map(JSONValue.string)
        case .failed(let code, let message, let completeURL):
            guard (try? OAuthErrorCode(name: code)) != nil else {
                throw .misuse("the error code is not 1 to 128 visible characters")
            }
            var error: JSONObject = ["code": .string(code)]
            error["message"] = message.map(JSONValue.string)
            members = ["status": "ERROR", "error": .object(error)]
            members["completeUrl"] = completeURL.map(JSONValue.string)
        }
        return try .notStored(
            try JSONValue.object(members).text(), type: "application/json")
    }

    private var urls: [String?] {
        switch self {
        case .started(let started): [started.statusURL, started.completeURL]
        case .failed(_, _, let completeURL): [completeURL]
        }
    }
}

extension ActivationResponse {
    /// Compares strings byte by byte.
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
