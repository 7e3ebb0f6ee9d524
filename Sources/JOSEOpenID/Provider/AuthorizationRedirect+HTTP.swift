// An answer at the client's redirect address, as the browser gets it.

public import JOSE

extension AuthorizationRedirect {
    /// How a browser is sent on.
    public enum Status: Int, Sendable, Hashable {
        /// 302, as the guides print it: for a request that was a GET.
        case found = 302
        /// 303: the browser comes with a GET and never repeats what it posted, such as a password.
        case seeOther = 303
    }

    /// The answer to give to the browser: a redirect, or for `form_post` and `form_post.jwt` the page whose form posts itself.
    ///
    /// - Parameters:
    ///   - status: How a redirect sends the browser on.
    ///   - button: The word on the page's button, which stays where scripts do not run.
    /// - Throws: `misuse` for an address that is no redirect URI, as only a changed `CodeGrant` can hold one.
    ///
    /// Source: RFC 6749, 4.1.2; OAuth 2.0 Form Post Response Mode, 2.
    public func response(
        _ status: Status = .seeOther, button: String = "Continue"
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        guard WebURL.isRedirect(redirectURI) else {
            throw .misuse("redirect_uri must be an absolute address without fragment")
        }
        guard responseMode.carrier != .form else {
            return try ResponsePage.form(to: redirectURI, parameters, button: button)
        }
        return try OpenIDHTTPResponse(
            status: status.rawValue,
            headers: [OpenIDParameter("Location", url)] + OpenIDHTTPResponse.notStored)
    }
}
