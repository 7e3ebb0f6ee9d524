// What an access token is bound to: a DPoP key or a client certificate.

public import JOSE
import JOSEBytes

/// What an access token is bound to: its claim `cnf` (RFC 7800, 3.1; RFC 9449, 6; RFC 8705, 3.1).
public struct TokenBinding: Sendable, Hashable {
    /// `jkt`: the thumbprint of the DPoP key, base64url of SHA-256.
    public var keyThumbprint: String? {
        get { exactKeyThumbprint?.text }
        set { exactKeyThumbprint = ExactString(newValue) }
    }
    /// `x5t#S256`: the thumbprint of the client's certificate, base64url of SHA-256.
    public var certificateThumbprint: String? {
        get { exactCertificateThumbprint?.text }
        set { exactCertificateThumbprint = ExactString(newValue) }
    }
    private var exactKeyThumbprint: ExactString?
    private var exactCertificateThumbprint: ExactString?

    /// Creates a binding, an empty one if both thumbprints are nil; see the properties.
    public init(keyThumbprint: String? = nil, certificateThumbprint: String? = nil) {
        self.keyThumbprint = keyThumbprint
        self.certificateThumbprint = certificateThumbprint
    }

    /// Creates a binding to the certificate of the client's TLS connection (RFC 8705, 3.1).
    ///
    /// - Parameter clientCertificate: The certificate, DER.
    /// - Throws: `internal`.
    public init(clientCertificate: [UInt8]) throws(JOSEError) {
        self.init(certificateThumbprint: try SHA256String.make(of: clientCertificate.span))
    }

    /// Whether the token is bound to nothing: a bearer token.
    public var isEmpty: Bool { keyThumbprint == nil && certificateThumbprint == nil }

    /// Reads `cnf`. An unsupported binding is rejected: ignoring it would give a bearer token.
    init(_ document: JSONDocument, of object: Int = 0) throws(JOSEError) {
        guard let cnf = document.member("cnf", of: object) else { return }
        guard document.kind(at: cnf) == .object else {
            throw .claimRejected("cnf", "it is not an object")
        }
        keyThumbprint = try TokenBinding.digest(document.member("jkt", of: cnf), document)
        certificateThumbprint = try TokenBinding.digest(
            document.member("x5t#S256", of: cnf), document)
        guard !isEmpty else {
            throw .claimRejected("cnf", "it has no supported member (jkt, x5t#S256)")
        }
    }

    private static func digest(
        _ index: Int?, _ document: JSONDocument
    ) throws(JOSEError) -> String? {
        guard let index else { return nil }
        guard let text = document.string(at: index), SHA256String.isWellFormed(text) else {
            throw .claimRejected("cnf", "jkt or x5t#S256 is not a SHA-256 digest in base64url")
        }
        return text
    }

    func write(to members: inout MemberWriter) throws(JOSEError) {
        var cnf: [String: JSONValue] = [:]
        for (name, value) in [("jkt", keyThumbprint), ("x5t#S256", certificateThumbprint)] {
            guard let value else { continue }
            guard SHA256String.isWellFormed(value) else {
                throw .misuse("a thumbprint must be a SHA-256 digest in base64url")
            }
            cnf[name] = .string(value)
        }
        if !cnf.isEmpty { members.value("cnf", .object(JSONObject(cnf))) }
    }
}

extension TokenBinding: RedactedDescription {
    package var shownAs: String { isEmpty ? "no binding" : "token binding" }
}
