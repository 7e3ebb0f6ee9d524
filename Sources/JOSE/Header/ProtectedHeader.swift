// A protected header as its reader sees it, made on request from a token that was accepted.

import JOSEBytes

/// The protected header of a token whose signature or tag was accepted.
public struct ProtectedHeader: Sendable {
    private let document: JSONDocument

    init(encoded: Span<UInt8>) throws(JOSEError) {
        guard let bytes = Base64URL.decode(encoded) else {
            throw .notBase64URL(encoded, .header, "the header")
        }
        do {
            // The token was accepted within its reader's limits.
            document = try JSONDocument(bytes, maxDepth: .max)
        } catch {
            throw JOSEError(error, at: .header)
        }
    }

    /// `alg`: the algorithm; nil where another header of a token in JSON names it.
    public var algorithm: JOSEAlgorithm? { string("alg").map { JOSEAlgorithm(name: $0) } }
    /// `enc`: the content encryption of a JWE.
    public var encryption: ContentEncryptionAlgorithm? {
        string("enc").flatMap { ContentEncryptionAlgorithm(name: $0) }
    }
    /// `kid`: the name of the key.
    public var keyID: String? { string("kid") }
    /// `typ`: the media type of the whole.
    public var type: String? { string("typ") }
    /// `cty`: the media type of the content.
    public var contentType: String? { string("cty") }
    /// The header's JSON text as it was received.
    public var json: String { String(decoding: document.bytes, as: UTF8.self) }

    /// Any member by name.
    public subscript(name: String) -> JSONValue? { document.json(named: name) }

    /// Whether a member of this name stands in the header, whatever its value.
    func has(_ name: String) -> Bool { document.member(named: name) != nil }

    private func string(_ name: StaticString) -> String? {
        document.member(name).flatMap { document.string(at: $0) }
    }
}

/// Where the header of an accepted token can be read again, without a copy until somebody asks.
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

    /// In place of a token that is wiped before anybody reads.
    static let wiped = HeaderSource([UInt8]())

    /// The same token, whose header is so long.
    func first(_ count: Int) -> HeaderSource {
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
