// The pages of the site, and its session cookie.

import Foundation
import JOSE
import JOSEOpenID
import Web

extension Site {
    static let sessionCookie = "__Host-session"

    /// Returns the session cookie.
    ///
    /// `SameSite=None`, since browsers send no other cookie with the cross-site post of
    /// `form_post`. So the origin of this site's own forms is checked.
    func cookie(_ session: String, seconds: Int) -> String {
        "\(Site.sessionCookie)=\(session); Path=/; Max-Age=\(seconds)"
            + "; Secure; HttpOnly; SameSite=None"
    }

    /// Shows the user, or a button to sign in.
    func startPage(_ request: WebRequest) throws -> OpenIDHTTPResponse {
        guard let signedIn = signedIn(request) else {
            return try .page(
                "Welcome",
                """
                <p>Nobody is signed in.</p>
                \(HTML.table([("profile", agreement.profile.name), ("provider", agreement.issuer)]))
                \(HTML.button("Sign in", to: "/login"))
                """)
        }
        return try .page(
            "Welcome, \(signedIn.person.name)",
            """
            <p>The ID Token says:</p>
            \(HTML.table(facts(signedIn.idToken)))
            <p>UserInfo says:</p>
            \(HTML.table(signedIn.person.facts))
            \(accounts(signedIn))
            <form method="post" action="/attempt">
            <button name="kind" value="again">Ask for UserInfo again</button>
            <button name="kind" value="replay">Send the same code again</button>
            </form>
            \(HTML.button("Sign out", to: "/logout"))
            """)
    }

    /// Shows the response to the DPoP-bound access token.
    private func accounts(_ signedIn: SignedIn) -> HTML {
        guard let accounts = signedIn.accounts else { return "" }
        return "<p>\(agreement.accounts) says:</p>\n\(HTML.table([("accounts", accounts)]))"
    }

    private func facts(_ token: VerifiedIDToken) -> [(String, String)] {
        let names = ["iss", "sub", "aud", "iat", "exp", "auth_time", "acr", "at_hash"]
        return names.compactMap { name in token[name].map { (name, $0.shown) } }
    }

    /// Shows the provider's response to a repeated code or UserInfo request.
    func attempt(_ request: WebRequest) async throws -> OpenIDHTTPResponse {
        guard let used = signedIn(request)?.used else { return try .redirect(to: "/") }
        let party = try await party()
        let reply: WebReply
        let title: String
        if try OpenIDParameters(decoding: request.body)["kind"] == "replay" {
            title = "The same code again"
            reply = try await redeem(used.code, party, used.session).1
        } else {
            title = "UserInfo again"
            reply = try await userInfo(used.accessToken, party)
        }
        var rows = [("status", "\(reply.status)")]
        for name in ["www-authenticate", "cache-control"] {
            if let value = reply.header(name) { rows.append((name, value)) }
        }
        if let error = try? TokenError(json: reply.body) { rows.append(("error", error.code.name)) }
        return try .page(
            title, "<p>The provider answers:</p>\(HTML.table(rows))<p><a href=\"/\">Back</a></p>")
    }
}

extension HTML {
    static let again: HTML = button("Try again", to: "/login")
}

extension JSONValue {
    /// A string unquoted, other values as JSON.
    var shown: String {
        string ?? (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) }
            ?? ""
    }
}
