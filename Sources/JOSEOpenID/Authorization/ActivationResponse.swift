// The first answer of an in-app authentication: JSON in place of a page.

public import JOSE
import JOSEBytes

/// The JSON that a provider for apps answers to an authorization request, such as Signicat MobileID.
public enum ActivationResponse: Sendable, Hashable {
    /// Go on with the app.
    case started(ActivationStart)
    /// The provider's error, such as `urn:signicat:error:idp:ACCESS_DENIED`. A GET of `completeURL`, where there is one, ends in
    /// the redirect with the error of OAuth. A message that was read is for logs, escaped and
    /// bounded as `TokenError.description`.
    case failed(code: String, message: String?, completeURL: String? = nil)

    /// Reads the answer.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - limits: Bounds on it.
    /// - Throws: `malformed` for anything but an answer, for addresses that are not `https`, and
    ///   for a code that is none of OAuth's form (`OAuthErrorCode.init(name:)`); `limitExceeded`.
    public init(json: String, limits: JOSELimits = .standard) throws(JOSEError) {
        let message = try JSONMessage(Array(json.utf8), limits: limits)
        let document = message.document
        let status = try message.string("status")
        let complete = try message.string("completeUrl")
        guard complete.map({ WebURL($0) != nil }) ?? true else {
            throw .malformed(.message, "completeUrl is not an https address")
        }
        if let error = message.member("error") {
            guard status?.isExactly("OK") != true, document.kind(at: error) == .object,
                let code = document.member("code", of: error).flatMap({ document.string(at: $0) }),
                (try? OAuthErrorCode(name: code)) != nil
            else { throw .malformed(.message, "the error of the answer is not well-formed") }
            let text = document.member("message", of: error).flatMap { document.string(at: $0) }
                .flatMap(ReadableText.description)
            self = .failed(code: code, message: text, completeURL: complete)
            return
        }
        guard let status, status.isExactly("OK") else {
            guard status?.isExactly("ERROR") == true else {
                throw .malformed(.message, "the status of the answer is neither OK nor ERROR")
            }
            self = .failed(code: "ERROR", message: nil, completeURL: complete)
            return
        }
        guard let complete else { throw .malformed(.message, "completeUrl is missing") }
        let statusURL = try message.string("statusUrl")
        guard statusURL.map({ WebURL($0) != nil }) ?? true else {
            throw .malformed(.message, "statusUrl is not an https address")
        }
        self = .started(
            ActivationStart(
                activationCode: try message.string("activationCode"), statusURL: statusURL,
                completeURL: complete))
    }
}

extension ActivationResponse: RedactedDescription {
    package var shownAs: String { "activation answer" }
}

/// How to go on with the app.
public struct ActivationStart: Sendable, Hashable {
    /// The code for the app's activation.
    public var activationCode: String? { exactCode?.text }
    /// Where to ask how far the user is.
    public var statusURL: String? { exactStatusURL?.text }
    /// A GET of it ends in the redirect with the code or an error.
    public var completeURL: String { exactCompleteURL.text }
    private let exactCode: ExactString?
    private let exactStatusURL: ExactString?
    private let exactCompleteURL: ExactString

    /// An activation.
    ///
    /// - Parameters:
    ///   - activationCode: The code for the app's activation.
    ///   - statusURL: Where to ask how far the user is.
    ///   - completeURL: A GET of it ends in the redirect with the code or an error.
    public init(activationCode: String?, statusURL: String?, completeURL: String) {
        exactCode = ExactString(activationCode)
        exactStatusURL = ExactString(statusURL)
        exactCompleteURL = ExactString(completeURL)
    }
}

extension ActivationStart: RedactedDescription {
    package var shownAs: String { "started activation" }
}
