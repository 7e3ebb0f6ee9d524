// HTML pages with escaped interpolation.

package import JOSEOpenID

/// A piece of HTML. Interpolated strings are escaped, interpolated pieces are not.
package struct HTML: Sendable, ExpressibleByStringInterpolation {
    let source: String

    package init(stringLiteral source: String) { self.source = source }
    package init(stringInterpolation: Interpolation) { source = stringInterpolation.source }

    package struct Interpolation: StringInterpolationProtocol {
        var source = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            source.reserveCapacity(literalCapacity * 2)
        }
        package mutating func appendLiteral(_ literal: String) { source += literal }
        package mutating func appendInterpolation(_ piece: HTML) { source += piece.source }
        package mutating func appendInterpolation(_ pieces: [HTML]) {
            for piece in pieces { source += piece.source }
        }
        package mutating func appendInterpolation(_ text: String) {
            for character in text.unicodeScalars {
                switch character {
                case "&": source += "&amp;"
                case "<": source += "&lt;"
                case ">": source += "&gt;"
                case "\"": source += "&quot;"
                case "'": source += "&#39;"
                default: source.unicodeScalars.append(character)
                }
            }
        }
    }

    /// Returns a table of two columns.
    package static func table(_ rows: [(String, String)]) -> HTML {
        let rows: [HTML] = rows.map { "<tr><th>\($0.0)</th><td>\($0.1)</td></tr>\n" }
        return "<table>\n\(rows)</table>\n"
    }

    /// Returns a button that posts to a path of this site.
    package static func button(_ text: String, to path: String) -> HTML {
        "<form method=\"post\" action=\"\(path)\"><button>\(text)</button></form>\n"
    }
}

extension OpenIDHTTPResponse {
    /// Creates a page without scripts that is not cached or framed.
    package static func page(
        _ title: String, _ body: HTML, status: Int = 200, cookies: [String] = []
    ) throws -> OpenIDHTTPResponse {
        let page: HTML = """
            <!doctype html>
            <html lang="en">
            <head><meta charset="utf-8"><title>\(title)</title>
            <link rel="stylesheet" href="/style.css"></head>
            <body>
            <h1>\(title)</h1>
            \(body)
            </body>
            </html>

            """
        let policy = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"
        let headers = [
            ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
            ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
            // Posts of this site's forms have an origin, links to other sites do not.
            ("Referrer-Policy", "same-origin"),
        ]
        return try OpenIDHTTPResponse(
            status: status,
            headers: (headers + cookies.map { ("Set-Cookie", $0) }).map(OpenIDParameter.init),
            body: page.source)
    }

    /// Creates a redirect with GET.
    package static func redirect(
        to url: String, cookies: [String] = []
    ) throws -> OpenIDHTTPResponse {
        let headers = [("Location", url), ("Cache-Control", "no-store")]
        return try OpenIDHTTPResponse(
            status: 303,
            headers: (headers + cookies.map { ("Set-Cookie", $0) }).map(OpenIDParameter.init))
    }

    /// Creates the response of `/style.css`.
    package static func style() throws -> OpenIDHTTPResponse {
        try OpenIDHTTPResponse(
            status: 200, headers: [OpenIDParameter("Content-Type", "text/css")],
            body: """
                body { font: 17px/1.5 sans-serif; max-width: 46em; margin: 3em auto; color: #222;
                    padding: 0 1em }
                h1 { font-size: 1.5em } form { display: inline-block; margin: 1em .5em 0 0 }
                table { border-collapse: collapse; margin: 1em 0 }
                th, td { text-align: left; vertical-align: top; padding: .3em .8em;
                    border-top: 1px solid #ccc }
                td { font-family: monospace; overflow-wrap: anywhere }
                button, a.button { font: inherit; padding: .5em 1.2em; border: 0;
                    border-radius: .3em; background: #0a5c8a; color: #fff;
                    text-decoration: none; cursor: pointer }
                """)
    }

    /// Creates the response for an unknown path: status 404.
    package static func noSuchPage() throws -> OpenIDHTTPResponse {
        try .page("No such page", "", status: 404)
    }
}
