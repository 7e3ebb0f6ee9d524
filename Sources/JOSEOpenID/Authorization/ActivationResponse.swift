// The JSON response that starts an authentication in an app.

public import JOSE
import JOSEBytes

/// The response of an app-based provider, such as Signicat MobileID, to an authorization request.
public enum ActivationResponse: Sendable, Hashable {
    /// The authentication continues in the app.
    case started(ActivationStart)
    /// The provider's error, such as `urn:signicat:error:idp:ACCESS_DENIED`.
    ///
    /// A GET of `completeURL`, if present, ends in the redirect with the OAuth error. The message
    /// is for logs; it is escaped and truncated like `TokenError.description`.
    case failed(code: String, message: String?, completeURL: String? = nil)

    /// Reads a response.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - limits: The limits of the body.
    /// - Throws: `malformed` for a body that is not such a response, a URL that is not `https`, and
    ///   a code that `OAuthErrorCode.init(name:)` rejects. `limitExceeded`.
    public init(json: String, limits: JOSELimits = .standard) throws(JOSEError) {
        let message = try JSONMessage(Array(json.utf8), limits: limits)
        let document = message.document
        let status = try message.string("status")
        let complete = try message.string("completeUrl")
        guard complete.map({ WebURL($0) != nil }) ?? true else {
            throw .malformed(.message, "completeUrl is not an https URL")
        }
        if let error = message.member("error") {
            guard status?.isExactly("OK") != true, document.kind(at: error) == .object,
                let code = document.member("code", of: error).flatMap({ document.string(at: $0) }),
                (try? OAuthErrorCode(name: code)) != nil
            else { throw .malformed(.message, "error is not an object with an OAuth error code") }
            let text = document.member("message", of: error).flatMap { document.string(at: $0) }
                .flatMap(EscapedText.description)
            self = .failed(code: code, message: text, completeURL: complete)
            return
        }
        guard let status, status.isExactly("OK") else {
            guard status?.isExactly("ERROR") == true else {
                throw .malformed(.message, "status is neither OK nor ERROR")
            }
            self = .failed(code: "ERROR", message: nil, completeURL: complete)
            return
        }
        guard let complete else { throw .malformed(.message, "completeUrl is missing") }
        let statusURL = try message.string("statusUrl")
        guard statusURL.map({ WebURL($0) != nil }) ?? true else {
            throw .malformed(.message, "statusUrl is not an https URL")
        }
        self = .started(
            ActivationStart(
                activationCode: try message.string("activationCode"), statusURL: statusURL,
                completeURL: complete))
    }
}

/// The code and URLs that continue an authentication in an app.
public struct ActivationStart: Sendable, Hashable {
    /// The activation code for the app.
    public var activationCode: String? { exactCode?.text }
    /// The URL that returns the user's progress.
    public var statusURL: String? { exactStatusURL?.text }
    /// The URL whose GET ends in the redirect with the code or an error.
    public var completeURL: String { exactCompleteURL.text }
    private let exactCode: ExactString?
    private let exactStatusURL: ExactString?
    private let exactCompleteURL: ExactString

    /// Creates the start of an authentication; see the properties.
    public init(activationCode: String?, statusURL: String?, completeURL: String) {
        exactCode = ExactString(activationCode)
        exactStatusURL = ExactString(statusURL)
        exactCompleteURL = ExactString(completeURL)
    }
}

extension ActivationResponse: RedactedDescription {}
extension ActivationStart: RedactedDescription {}
