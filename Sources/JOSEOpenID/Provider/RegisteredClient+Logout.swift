// Receives logout requests that a client starts (OpenID Connect RP-Initiated Logout 1.0).

public import JOSE
import JOSEBytes

extension RegisteredClient {
    /// A request to end the user's session at the provider.
    ///
    /// Ask the user if `needsConfirmation` is true. Then end the session, send logout tokens to all
    /// its clients, and send `response(isConfirmed:text:)` (RP-Initiated Logout 1.0, 2 and 3).
    public struct ReceivedLogout: Sendable {
        /// `sub` of the verified `id_token_hint`; nil without one.
        public let subject: String?
        /// `sid` of the verified `id_token_hint`, if it has one.
        public let sessionID: String?
        /// Why the `id_token_hint` was ignored: its signature could not be verified, often because
        /// the key was retired since the login. The request then counts as one without a hint. Nil
        /// if there was no hint, or a verified one.
        public let ignoredHint: JOSEError?
        /// `logout_hint`, unverified.
        public let logoutHint: String?
        /// `ui_locales`: the languages for the page, in order of preference.
        public let uiLocales: [String]
        /// The registered URI to return to, with `state` added.
        private let returnURL: String?

        fileprivate init(
            _ hint: (subject: String, sessionID: String?)?, ignored: JOSEError?,
            _ parameters: OpenIDParameters, returnURL: String?
        ) {
            subject = hint?.subject
            sessionID = hint?.sessionID
            ignoredHint = ignored
            logoutHint = parameters["logout_hint"]
            uiLocales = parameters.words("ui_locales")
            self.returnURL = returnURL
        }

        /// Whether you must ask the user before the logout: there is no verified hint, or it names
        /// another user or session than the browser's. Also true if only one of the hint's `sid`
        /// and `sessionID` is present.
        ///
        /// - Parameters:
        ///   - subject: The `sub` by which the client knows the browser's user.
        ///   - sessionID: The `sid` of the browser's session. Pass nil only if your ID Tokens have
        ///     no `sid`: then a hint of any session of the user is enough.
        ///
        /// Source: OpenID Connect RP-Initiated Logout 1.0, 2 and 6.
        public func needsConfirmation(subject: String, sessionID: String? = nil) -> Bool {
            guard let hinted = self.subject, hinted.isExactly(subject) else { return true }
            guard let hintedSession = self.sessionID else { return sessionID != nil }
            return sessionID.map { !hintedSession.isExactly($0) } ?? true
        }

        /// The response after the logout: a redirect to the registered URI, or a page.
        ///
        /// Without a verified hint, only a user who confirmed is redirected (RP-Initiated Logout
        /// 1.0, 3).
        ///
        /// - Parameters:
        ///   - isConfirmed: Whether the user confirmed the logout. True only after a POST of your
        ///     own page with a token that is bound to the browser session. Otherwise another site
        ///     can confirm for the user (RP-Initiated Logout 1.0, 6).
        ///   - text: The sentence on the page.
        /// - Throws: `misuse` if it cannot be written.
        public func response(
            isConfirmed: Bool, text: String = "You are signed out."
        ) throws(JOSEError) -> OpenIDHTTPResponse {
            guard let returnURL, subject != nil || isConfirmed else {
                return try ResponsePage.text(text, status: 200)
            }
            return try OpenIDHTTPResponse(
                status: AuthorizationRedirect.Status.seeOther.rawValue,
                headers: [OpenIDParameter("Location", returnURL)] + OpenIDHTTPResponse.notStored)
        }
    }

    /// Receives a logout request that names this client.
    ///
    /// Do not redirect a rejected request: respond with `OpenIDHTTPResponse.page(rejecting:text:)`
    /// (RP-Initiated Logout 1.0, 4).
    ///
    /// If the request has `client_id`, a hint whose signature cannot be verified counts as no hint
    /// (`ReceivedLogout.ignoredHint`). Publish the public keys of retired signing keys as long as
    /// sessions last, so that you need not ask the users.
    ///
    /// - Parameter parameters: The query of a GET, or the form of a POST.
    /// - Throws: `malformed`, `limitExceeded`. `misuse` if the provider's keys no longer serve this
    ///   client. `claimRejected` with `client_id` for another client, or without `client_id` and
    ///   `id_token_hint`. `claimRejected` with `post_logout_redirect_uri` for an unregistered URI.
    ///   For the hint: the errors of `subject(ofHint:)`. Errors of its signature are thrown only if
    ///   the request has no `client_id`.
    ///
    /// Source: OpenID Connect RP-Initiated Logout 1.0, 2 to 4.
    public func receiveLogoutRequest(
        _ parameters: String
    ) throws(JOSEError) -> ReceivedLogout {
        let parameters = try OpenIDParameters(decoding: parameters)
        try checkClient(of: parameters)
        let token = parameters["id_token_hint"]
        guard token != nil || parameters["client_id"] != nil else {
            throw .claimRejected("client_id", "neither it nor id_token_hint names the client")
        }
        var hint: (subject: String, sessionID: String?)?
        var ignored: JOSEError?
        if let token {
            do throws(JOSEError) {
                hint = try claims(ofHint: token)
            } catch {
                // A hint that cannot be verified proves nothing, like an absent one.
                guard parameters["client_id"] != nil, error.isAboutSignature else { throw error }
                ignored = error
            }
        }
        var returnURL: String?
        if let uri = parameters["post_logout_redirect_uri"] {
            guard registration.postLogoutRedirectURIs.contains(where: uri.isExactly) else {
                throw .claimRejected(
                    "post_logout_redirect_uri",
                    "the client did not register it (ClientRegistration.postLogoutRedirectURIs)")
            }
            var returned = OpenIDParameters()
            returned.append("state", parameters["state"])
            returnURL =
                returned.all.isEmpty
                ? uri : uri + URLRanges.queryMark(after: uri) + returned.encoded
        }
        return ReceivedLogout(hint, ignored: ignored, parameters, returnURL: returnURL)
    }
}

extension JOSEError {
    /// Whether a signature could not be verified, as after a change of keys or algorithms.
    fileprivate var isAboutSignature: Bool {
        code == .keyNotFound || code == .signatureInvalid || code == .algorithmNotAllowed
    }
}

extension OpenIDProvider {
    /// Reads the client of a logout request without verification. Use it only to look up the
    /// registration.
    ///
    /// - Parameter parameters: The query of a GET, or the form of a POST.
    /// - Returns: `client_id`, or the only `aud` of the hint. Nil if the request names no client:
    ///   then ask the user, end the session, and do not redirect.
    /// - Throws: `malformed` or `limitExceeded` for the parameters or the hint.
    public func unverifiedClientID(
        logoutRequest parameters: String
    ) throws(JOSEError) -> String? {
        let parameters = try OpenIDParameters(decoding: parameters)
        if let clientID = parameters["client_id"] { return clientID }
        guard let hint = parameters["id_token_hint"] else { return nil }
        let parts = hint.pieces(at: UInt8(ascii: "."))
        guard parts.count == 3, let payload = Base64URL.decode(parts[1].utf8.span) else {
            throw .malformed(.payload, "id_token_hint is not a signed token")
        }
        let audience = try JSONMessage(payload, limits: profile.limits).audience
        // The caller may use the result as a dictionary key.
        return audience.count == 1 && audience[0].isStreamSafe ? audience[0] : nil
    }
}

extension RegisteredClient.ReceivedLogout: RedactedDescription {}
