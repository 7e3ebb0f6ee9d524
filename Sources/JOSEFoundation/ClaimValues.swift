// Foundation's types in claims, with the meaning that JOSE gives them.

public import Foundation
public import JOSE
import JOSEBytes

/// A claim or a value that has no counterpart on the other side.
struct UnfitClaim: Error {}

extension Date: JOSEClaimValue {
    /// Reads a NumericDate (RFC 7519, section 2).
    public init(claim: JSONValue) throws {
        guard let date = NumericDate(claim) else { throw UnfitClaim() }
        self.init(date)
    }

    /// Writes a NumericDate in whole seconds, without the fraction: many peers do not read one.
    ///
    /// - Throws: For years before 1970 and after 9999. A claim that needs a fraction is a
    ///   `NumericDate`.
    public func claim() throws -> JSONValue {
        .integer(try NumericDate(self).seconds)
    }

    /// The nearest `Date`, good to less than a microsecond.
    public init(_ date: NumericDate) {
        self.init(timeIntervalSince1970: date.doubleValue)
    }
}

extension NumericDate {
    /// The same time rounded to microseconds, which is what a `Date` can tell.
    ///
    /// - Throws: `misuse` for a date before 1970 or after 9999.
    public init(_ date: Date) throws(JOSEError) {
        guard let date = NumericDate(nearest: date.timeIntervalSince1970) else {
            throw .misuse("the time must be in the years 1970 to 9999")
        }
        self = date
    }
}

extension Data: JOSEClaimValue {
    /// Reads strict base64url without padding (RFC 7515, section 2).
    public init(claim: JSONValue) throws {
        guard let text = claim.string, let bytes = Base64URL.decode(text.utf8.span) else {
            throw UnfitClaim()
        }
        self.init(bytes)
    }

    /// Writes base64url without padding.
    public func claim() throws -> JSONValue {
        .string(Base64URL.encodeToString(span))
    }
}

extension URL: JOSEClaimValue {
    /// Reads an absolute URI (RFC 3986) that stands as it is in the text.
    public init(claim: JSONValue) throws {
        guard let text = claim.string,
            let url = URL(string: text, encodingInvalidCharacters: false),
            url.scheme != nil, url.absoluteString == text
        else { throw UnfitClaim() }
        self = url
    }

    /// Writes the absolute URI; rejects a relative reference.
    public func claim() throws -> JSONValue {
        let url = absoluteURL
        guard url.scheme != nil else { throw UnfitClaim() }
        return .string(url.absoluteString)
    }
}
