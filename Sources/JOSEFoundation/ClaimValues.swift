// Foundation's types as claims, in the encodings of JOSE.

public import Foundation
public import JOSE
import JOSEBytes

struct InconvertibleClaim: Error {}

extension Date: JOSEClaimValue {
    /// Reads a NumericDate (RFC 7519, 2).
    public init(claim: JSONValue) throws {
        guard let date = NumericDate(claim) else { throw InconvertibleClaim() }
        self.init(date)
    }

    /// Writes a NumericDate in whole seconds, since many peers cannot read a fraction. For a
    /// fraction use `NumericDate`.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999.
    public func claim() throws -> JSONValue {
        .integer(try NumericDate(self).seconds)
    }

    /// Creates the nearest `Date`. The error is below a microsecond until about the year 2514, and
    /// later larger.
    public init(_ date: NumericDate) {
        self.init(timeIntervalSince1970: date.doubleValue)
    }
}

extension NumericDate {
    /// Creates the same time, rounded to microseconds. A `Date` is less precise from about 2514 on.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999.
    public init(_ date: Date) throws(JOSEError) {
        guard let date = NumericDate(nearest: date.timeIntervalSince1970) else {
            throw .misuse("the date is outside the years 1970 to 9999")
        }
        self = date
    }
}

extension Data: JOSEClaimValue {
    /// Reads strict base64url without padding (RFC 7515, 2).
    public init(claim: JSONValue) throws {
        guard let text = claim.string, let bytes = Base64URL.decode(text.utf8.span) else {
            throw InconvertibleClaim()
        }
        self.init(bytes)
    }

    /// Writes base64url without padding.
    public func claim() throws -> JSONValue {
        .string(Base64URL.encodeToString(span))
    }
}

extension URL: JOSEClaimValue {
    /// Reads an absolute URI (RFC 3986) without characters that must be percent-encoded.
    public init(claim: JSONValue) throws {
        guard let text = claim.string,
            let url = URL(string: text, encodingInvalidCharacters: false),
            url.scheme != nil, url.absoluteString == text
        else { throw InconvertibleClaim() }
        self = url
    }

    /// Writes the absolute URI.
    ///
    /// - Throws: An error for a relative reference.
    public func claim() throws -> JSONValue {
        let url = absoluteURL
        guard url.scheme != nil else { throw InconvertibleClaim() }
        return .string(url.absoluteString)
    }
}
