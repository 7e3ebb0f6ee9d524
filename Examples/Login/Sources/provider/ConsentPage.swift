// The consent page.

import JOSEOpenID
import Web

extension OpenIDHTTPResponse {
    static let ticketCookie = "__Host-ticket"

    static func consentPage(
        for request: ReceivedAuthorization, ticket: String
    ) throws -> OpenIDHTTPResponse {
        var rows = [
            ("client", request.clientID), ("asks for", request.scopes.joined(separator: ", ")),
        ]
        if !request.acrValues.isEmpty {
            rows.append(("sign in by", request.acrValues.joined(separator: ", ")))
        }
        let claims = (request.claims?.userInfo ?? [:]).keys.sorted()
        if !claims.isEmpty { rows.append(("and for", claims.joined(separator: ", "))) }
        if let url = request.identityProviderParameters?["mitid"]?["app_switch_url"]?.string {
            rows.append(("app switch to", url))
        }
        rows.append(("request", request.isSigned ? "signed by the client" : "as plain parameters"))
        rows.append(
            ("answer", request.responseMode.carrier == .form ? "by form_post" : "by redirect"))
        return try .page(
            "Do you sign in?",
            """
            <p>You are \(User.zoe.fullName).</p>
            \(HTML.table(rows))
            <form method="post" action="/consent">
            <input type="hidden" name="ticket" value="\(ticket)">
            <button name="answer" value="yes">Yes</button>
            <button name="answer" value="no">No</button>
            </form>
            """,
            cookies: ["\(ticketCookie)=\(ticket); Path=/; Secure; HttpOnly; SameSite=Strict"])
    }
}
