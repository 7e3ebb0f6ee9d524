// The HTTP response that redirects the browser to the client.

public import JOSE

extension AuthorizationRedirect {
    /// The HTTP status of a redirect.
    public enum Status: Int, Sendable, Hashable {
        /// 302, as providers' guides show it, for a request that was a GET.
        case found = 302
        /// 303: the browser sends a GET. It never repeats a posted form, such as a password.
        case seeOther = 303
    }

    /// The HTTP response for the browser: a redirect, or a page whose form posts itself. The page
    /// is for `form_post` and `form_post.jwt`.
    ///
    /// - Parameters:
    ///   - status: The HTTP status of a redirect.
    ///   - button: The label of the page's button, for browsers without scripts.
    /// - Throws: `misuse` if the redirect URI is invalid because a stored request was modified.
    ///
    /// Source: RFC 6749, 4.1.2; OAuth 2.0 Form Post Response Mode, 2.
    public func response(
        _ status: Status = .seeOther, button: String = "Continue"
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        guard WebURL.isURIWithoutFragment(redirectURI) else {
            throw .misuse("redirect_uri must be an absolute URI without fragment")
        }
        guard responseMode.carrier != .form else {
            return try ResponsePage.form(to: redirectURI, parameters, button: button)
        }
        return try OpenIDHTTPResponse(
            status: status.rawValue,
            headers: [OpenIDParameter("Location", url)] + OpenIDHTTPResponse.notStored)
    }
}
