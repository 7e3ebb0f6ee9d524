// What an access token is bound to: a key of proofs, or a certificate of the client.

public import JOSE
import JOSEBytes

/// `cnf` of an access token (RFC 7800, 3.1; RFC 9449, 6; RFC 8705, 3.1).
public struct TokenBinding: Sendable, Hashable {
    /// `jkt`: the thumbprint of the key of proofs, base64url of SHA-256.
    public var keyThumbprint: String? {
        get { exactKeyThumbprint?.text }
        set { exactKeyThumbprint = ExactString(newValue) }
    }
    /// `x5t#S256`: the digest of the client's certificate, base64url of SHA-256.
    public var certificateThumbprint: String? {
        get { exactCertificateThumbprint?.text }
        set { exactCertificateThumbprint = ExactString(newValue) }
    }
    private var exactKeyThumbprint: ExactString?
    private var exactCertificateThumbprint: ExactString?

    /// A binding; to nothing where both are nil.
    ///
    /// - Parameters:
    ///   - keyThumbprint: `jkt`: the thumbprint of the key of proofs, base64url of SHA-256.
    ///   - certificateThumbprint: `x5t#S256`: the digest of the client's certificate, base64url of SHA-256.
    public init(keyThumbprint: String? = nil, certificateThumbprint: String? = nil) {
        self.keyThumbprint = keyThumbprint
        self.certificateThumbprint = certificateThumbprint
    }

    /// A binding to the certificate with which the client made its connection (RFC 8705, 3.1).
    ///
    /// - Parameter clientCertificate: DER.
    /// - Throws: `internal`.
    public init(clientCertificate: [UInt8]) throws(JOSEError) {
        self.init(certificateThumbprint: try FreshText.digest(of: clientCertificate.span))
    }

    /// Whether anybody who has the token may use it.
    public var isEmpty: Bool { keyThumbprint == nil && certificateThumbprint == nil }

    /// Reads `cnf` where it is there.
    ///
    /// - Throws: `claimRejected` for one that binds to nothing that is understood here: to ignore it would be to loose the token.
    init(_ document: JSONDocument, of object: Int = 0) throws(JOSEError) {
        guard let cnf = document.member("cnf", of: object) else { return }
        guard document.kind(at: cnf) == .object else {
            throw .claimRejected("cnf", "it is no object")
        }
        keyThumbprint = try TokenBinding.digest(document.member("jkt", of: cnf), document)
        certificateThumbprint = try TokenBinding.digest(
            document.member("x5t#S256", of: cnf), document)
        guard !isEmpty else {
            throw .claimRejected("cnf", "the token is bound to something that is not supported")
        }
    }

    private static func digest(
        _ index: Int?, _ document: JSONDocument
    ) throws(JOSEError) -> String? {
        guard let index else { return nil }
        guard let text = document.string(at: index), FreshText.isDigest(text) else {
            throw .claimRejected("cnf", "it holds no SHA-256 digest in base64url")
        }
        return text
    }

    /// Writes `cnf`, where the token is bound.
    ///
    /// - Throws: `misuse` for what is no thumbprint.
    func write(to members: inout MemberWriter) throws(JOSEError) {
        var cnf: [String: JSONValue] = [:]
        for (name, value) in [("jkt", keyThumbprint), ("x5t#S256", certificateThumbprint)] {
            guard let value else { continue }
            guard FreshText.isDigest(value) else {
                throw .misuse("a thumbprint is a SHA-256 digest in base64url")
            }
            cnf[name] = .string(value)
        }
        if !cnf.isEmpty { members.value("cnf", .object(JSONObject(cnf))) }
    }
}

extension TokenBinding: RedactedDescription {
    package var shownAs: String { isEmpty ? "no binding" : "token binding" }
}
