// PKCS#11 URIs (RFC 7512): names of tokens and their objects.

public import JOSE
import JOSEBytes

/// A PKCS#11 URI (RFC 7512): names a token, and optionally one of its objects.
///
/// The library parses `module-name`, `module-path` and `pin-source` but does not use them. It
/// rejects `pin-value`, because URIs of keys are stored and logged.
public struct PKCS11URI: Sendable, Hashable {
    /// The kind of an object.
    public enum Kind: Sendable, Hashable {
        /// `cert`: a certificate.
        case certificate
        /// `data`: arbitrary bytes.
        case data
        /// `private`: a private key.
        case privateKey
        /// `public`: a public key.
        case publicKey
        /// `secret-key`: a symmetric key.
        case secretKey
    }

    /// The token's label, `token`, in UTF-8. This and the other attributes are nil if absent.
    public private(set) var token: [UInt8]?
    /// The token's manufacturer, `manufacturer`.
    public private(set) var manufacturer: [UInt8]?
    /// The token's model, `model`.
    public private(set) var model: [UInt8]?
    /// The token's serial number, `serial`.
    public private(set) var serial: [UInt8]?
    /// The object's label, `object`.
    public private(set) var object: [UInt8]?
    /// The object's identifier, `id`.
    public private(set) var id: [UInt8]?
    /// The object's kind, `type`.
    public private(set) var kind: Kind?
    /// The slot's number, `slot-id`.
    public private(set) var slotID: UInt64?
    /// The slot's description, `slot-description`.
    public private(set) var slotDescription: [UInt8]?
    /// The slot's manufacturer, `slot-manufacturer`.
    public private(set) var slotManufacturer: [UInt8]?
    /// The module's description, `library-description`.
    public private(set) var libraryDescription: [UInt8]?
    /// The module's manufacturer, `library-manufacturer`.
    public private(set) var libraryManufacturer: [UInt8]?
    /// The module's version, `library-version`: major and minor.
    public private(set) var libraryVersion: [UInt8]?
    /// The name of a module, `module-name`; not used by the library.
    public private(set) var moduleName: [UInt8]?
    /// The path of a module, `module-path`; not used by the library.
    public private(set) var modulePath: [UInt8]?
    /// The source of a PIN, `pin-source`; not used by the library.
    public private(set) var pinSource: [UInt8]?

    /// Parses a URI (RFC 7512, 2.3).
    ///
    /// - Parameter text: At most 4,096 bytes, such as `pkcs11:token=login;object=signing%202026`.
    /// - Throws: `malformed` if it is not a PKCS#11 URI, repeats an attribute or has one that RFC
    ///   7512 does not define; `unsupported` for a `pin-value`; `limitExceeded` if it is too long.
    public init(_ text: String) throws(JOSEError) {
        guard text.utf8.count <= PKCS11URI.maxBytes else {
            throw .limitExceeded(.call, "PKCS#11 URI is longer than 4,096 bytes")
        }
        guard let rest = text.removingPrefix("pkcs11:") else { throw PKCS11URI.failure }
        let halves = Array(rest.utf8).split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        try read(halves[0], separator: UInt8(ascii: ";"), URIText.isInPath, PKCS11URI.pathFields)
        if halves.count == 2 {
            try read(
                halves[1], separator: UInt8(ascii: "&"), URIText.isInQuery, PKCS11URI.queryFields)
        }
    }

    /// A URI with an object's id and label, for any token.
    package init(id: [UInt8], label: [UInt8]) {
        self.id = id
        object = label
    }

    /// The URI of the token alone, without object and query.
    package var ofToken: PKCS11URI {
        var uri = self
        for field in [\.object, \.id, \.moduleName, \.modulePath, \.pinSource]
            as [WritableKeyPath<PKCS11URI, [UInt8]?>]
        {
            uri[keyPath: field] = nil
        }
        uri.kind = nil
        return uri
    }

    private static let maxBytes = 4_096
    private static let failure = JOSEError.malformed(.call, "not a PKCS#11 URI (RFC 7512)")
    private static let unknown = JOSEError.malformed(
        .call, "PKCS#11 URI has an attribute that RFC 7512 does not define")
    private static let twice = JOSEError.malformed(
        .call, "PKCS#11 URI repeats an attribute")
}

extension PKCS11URI {
    private typealias Field = (name: StaticString, path: WritableKeyPath<PKCS11URI, [UInt8]?>)

    private static var pathFields: [Field] {
        [
            ("token", \.token), ("manufacturer", \.manufacturer), ("serial", \.serial),
            ("model", \.model), ("object", \.object), ("id", \.id),
            ("slot-description", \.slotDescription), ("slot-manufacturer", \.slotManufacturer),
            ("library-description", \.libraryDescription),
            ("library-manufacturer", \.libraryManufacturer),
        ]
    }

    private static var queryFields: [Field] {
        [
            ("module-name", \.moduleName), ("module-path", \.modulePath),
            ("pin-source", \.pinSource),
        ]
    }

    private mutating func read(
        _ text: ArraySlice<UInt8>, separator: UInt8, _ isAllowed: (UInt8) -> Bool,
        _ fields: [Field]
    ) throws(JOSEError) {
        guard !text.isEmpty else { return }
        for attribute in text.split(separator: separator, omittingEmptySubsequences: false) {
            let parts = attribute.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw PKCS11URI.failure }
            let name = Array(parts[0])
            guard let value = URIText.decoded(parts[1], isAllowed) else { throw PKCS11URI.failure }
            if let field = fields.first(where: { equal(name.span, $0.name) }) {
                guard self[keyPath: field.path] == nil else { throw PKCS11URI.twice }
                self[keyPath: field.path] = value
            } else if separator == UInt8(ascii: ";") {
                try readOther(name, value)
            } else if equal(name.span, "pin-value") {
                throw .unsupported(
                    .call, "pin-value is not allowed in a PKCS#11 URI: pass a PKCS11PIN")
            } else {
                throw PKCS11URI.unknown
            }
        }
    }

    /// Parses `type`, `slot-id` or `library-version`.
    private mutating func readOther(_ name: [UInt8], _ value: [UInt8]) throws(JOSEError) {
        if equal(name.span, "type") {
            guard kind == nil else { throw PKCS11URI.twice }
            guard let named = PKCS11URI.kinds.first(where: { equal(value.span, $0.0) }) else {
                throw PKCS11URI.failure
            }
            kind = named.1
        } else if equal(name.span, "slot-id") {
            guard slotID == nil else { throw PKCS11URI.twice }
            guard let number = URIText.number(value[...], max: .max) else {
                throw PKCS11URI.failure
            }
            slotID = number
        } else if equal(name.span, "library-version") {
            guard libraryVersion == nil else { throw PKCS11URI.twice }
            let numbers = value.split(
                separator: UInt8(ascii: "."), omittingEmptySubsequences: false
            ).map { URIText.number($0, max: 255) }
            guard numbers.count <= 2, let major = numbers[0],
                let minor = numbers.count == 2 ? numbers[1] : 0
            else { throw PKCS11URI.failure }
            libraryVersion = [UInt8(major), UInt8(minor)]
        } else {
            throw PKCS11URI.unknown
        }
    }

    private static let kinds: [(StaticString, Kind)] = [
        ("cert", .certificate), ("data", .data), ("private", .privateKey), ("public", .publicKey),
        ("secret-key", .secretKey),
    ]
}

extension PKCS11URI: CustomStringConvertible {
    /// The URI of token and object in a fixed order, without a query; safe to log.
    public var description: String {
        var parts: [String] = []
        for (name, path) in PKCS11URI.pathFields {
            guard let value = self[keyPath: path] else { continue }
            parts.append(name.description + "=" + URIText.encoded(value))
        }
        if let kind, let name = PKCS11URI.kinds.first(where: { $0.1 == kind })?.0 {
            parts.append("type=" + name.description)
        }
        if let slotID { parts.append("slot-id=\(slotID)") }
        if let version = libraryVersion {
            parts.append("library-version=\(version[0]).\(version[1])")
        }
        return "pkcs11:" + parts.joined(separator: ";")
    }
}
