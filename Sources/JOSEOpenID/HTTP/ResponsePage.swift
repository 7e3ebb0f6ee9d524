// The HTML pages of a provider: the form_post page, and the error page without redirect.

import JOSE
import JOSEBytes

/// Creates HTML pages, in which untrusted values are escaped.
enum ResponsePage {
    /// The script of the form_post page. `scriptDigest` is its SHA-256 digest for the policy.
    static let script = "document.forms[0].submit()"
    static let scriptDigest = "sha256-ePniVEkSivX/c7XWBGafqh8tSpiRrKiqYeqbG7N1TOE="

    /// Creates a page whose form submits itself (OAuth 2.0 Form Post Response Mode, 2). Without
    /// scripts, the user presses the button. The policy has no `form-action`: browsers apply that
    /// directive also to the client's redirects after the POST.
    static func form(
        to url: String, _ fields: OpenIDParameters, button: String
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        let inputs = fields.all.map { field in
            "<input type=\"hidden\" name=\"\(escape(field.name))\""
                + " value=\"\(escape(field.value))\">\n"
        }
        return try page(
            status: 200, title: button,
            body: "<form method=\"post\" action=\"\(escape(url))\" accept-charset=\"utf-8\">\n"
                + inputs.joined()
                + "<button>\(escape(button))</button>\n</form>\n<script>\(script)</script>",
            policy: "script-src '\(scriptDigest)'; ")
    }

    static func text(_ text: String, status: Int) throws(JOSEError) -> OpenIDHTTPResponse {
        try page(status: status, title: text, body: "<p>\(escape(text))</p>", policy: "")
    }

    private static func page(
        status: Int, title: String, body: String, policy: String
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        try .notStored(
            "<!doctype html>\n<html>\n<head><meta charset=\"utf-8\">"
                + "<title>\(escape(title))</title></head>\n<body>\n\(body)\n</body>\n</html>\n",
            type: "text/html; charset=utf-8", status: status,
            further: [
                OpenIDParameter(
                    "Content-Security-Policy",
                    "default-src 'none'; \(policy)base-uri 'none'; frame-ancestors 'none'"),
                // The URL of this page contains the authorization request: send only its origin to
                // the client. Clients check the origin of a POST.
                OpenIDParameter("Referrer-Policy", "origin"),
            ])
    }

    static func escape(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            case UInt8(ascii: "'"): bytes += "&#39;".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
