// The pages of a provider's answers: the form that posts itself, and the page where nothing may be redirected.

import JOSE
import JOSEBytes

/// A page without anything from elsewhere; whatever came from outside stands in it as text.
enum ResponsePage {
    /// The whole of the script; `scriptDigest` is its digest.
    static let script = "document.forms[0].submit()"
    static let scriptDigest = "sha256-ePniVEkSivX/c7XWBGafqh8tSpiRrKiqYeqbG7N1TOE="

    /// A form that posts itself, or by its button where scripts do not run (OAuth 2.0 Form Post Response Mode, 2).
    ///
    /// The policy names the script by its digest and allows nothing else. It has no `form-action`: browsers hold that
    /// against the redirects behind the post too, and where the client sends its user next is the client's.
    static func form(
        to address: String, _ fields: OpenIDParameters, button: String
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        let inputs = fields.all.map { field in
            "<input type=\"hidden\" name=\"\(escape(field.name))\" value=\"\(escape(field.value))\">\n"
        }
        return try page(
            status: 200, title: button,
            body: "<form method=\"post\" action=\"\(escape(address))\" accept-charset=\"utf-8\">\n"
                + inputs.joined()
                + "<button>\(escape(button))</button>\n</form>\n<script>\(script)</script>",
            policy: "script-src '\(scriptDigest)'; ")
    }

    /// A page with one sentence.
    static func text(_ text: String, status: Int) throws(JOSEError) -> OpenIDHTTPResponse {
        try page(status: status, title: text, body: "<p>\(escape(text))</p>", policy: "")
    }

    private static func page(
        status: Int, title: String, body: String, policy: String
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        try .notStored(
            "<!doctype html>\n<html>\n<head><meta charset=\"utf-8\"><title>\(escape(title))</title></head>\n"
                + "<body>\n\(body)\n</body>\n</html>\n",
            type: "text/html; charset=utf-8", status: status,
            further: [
                OpenIDParameter(
                    "Content-Security-Policy",
                    "default-src 'none'; \(policy)base-uri 'none'; frame-ancestors 'none'"),
                // The address of this page holds the request. The origin stays: clients look where a post comes from.
                OpenIDParameter("Referrer-Policy", "origin"),
            ])
    }

    /// The text for an element or an attribute in quotation marks.
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
