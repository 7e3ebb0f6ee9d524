// The protected header of an accepted token, read on request.

import JOSEBytes

/// The protected header of a token whose signature or tag was accepted.
public struct ProtectedHeader: Sendable {
    private let document: JSONDocument

    init(encoded: Span<UInt8>) throws(JOSEError) {
        guard let bytes = Base64URL.decode(encoded) else {
            throw .notBase64URL(encoded, .header, "the header")
        }
        do {
            // No limit: the limits were applied before the token was accepted.
            document = try JSONDocument(bytes, maxDepth: .max)
        } catch {
            throw JOSEError(error, at: .header)
        }
    }

    /// `alg`: the algorithm; nil if it is in an unprotected header of a token in JSON.
    public var algorithm: JOSEAlgorithm? { string("alg").map { JOSEAlgorithm(name: $0) } }
    /// `enc`: the content encryption of a JWE; nil if it is in an unprotected header.
    public var encryption: ContentEncryptionAlgorithm? {
        string("enc").flatMap { ContentEncryptionAlgorithm(name: $0) }
    }
    /// `kid`: the identifier of the key.
    public var keyID: String? { string("kid") }
    /// `typ`: the media type of the whole token.
    public var type: String? { string("typ") }
    /// `cty`: the media type of the content.
    public var contentType: String? { string("cty") }
    /// The JSON text of the header as received.
    public var json: String { String(decoding: document.bytes, as: UTF8.self) }

    /// Returns any member by name.
    public subscript(name: String) -> JSONValue? { document.json(named: name) }

    func has(_ name: String) -> Bool { document.member(named: name) != nil }

    private func string(_ name: StaticString) -> String? {
        document.member(name).flatMap { document.string(at: $0) }
    }
}

/// Keeps the token of an accepted header: the header is decoded only on request.
struct HeaderSource: Sendable {
    private enum Token: Sendable {
        case text(String)
        case bytes([UInt8])
    }
    private let token: Token
    private var count: UInt32

    init(_ token: String, count: Int = 0) {
        self.token = .text(token)
        self.count = UInt32(clamping: count)
    }

    init(_ token: [UInt8], count: Int = 0) {
        self.token = .bytes(token)
        self.count = UInt32(clamping: count)
    }

    /// Used for a decrypted token until `VerifiedJWT.keepHeaders` replaces it.
    static let wiped = HeaderSource([UInt8]())

    func withHeader(count: Int) -> HeaderSource {
        var source = self
        source.count = UInt32(clamping: count)
        return source
    }

    /// The length of the header's base64url text, with which the token begins.
    var headerCount: Int { Int(count) }

    func read() throws(JOSEError) -> ProtectedHeader {
        switch token {
        case .text(let text):
            try ProtectedHeader(encoded: text.utf8.span.extracting(first: headerCount))
        case .bytes(let bytes):
            try ProtectedHeader(encoded: bytes.span.extracting(first: headerCount))
        }
    }
}
