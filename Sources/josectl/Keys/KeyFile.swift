// Reads key files: JWK, JWK Set, PEM, DER or PKCS#7, recognised by content.

import JOSE
import JOSEBytes
import JOSECrypto

/// The content of a key file, or an external key. The memory of a file's JSON text is wiped.
struct KeyFile {
    let path: String
    /// Whether the file is a JWK Set, or has several keys in another format.
    let isSet: Bool
    private enum Contents {
        case text(SecretBytes)
        case keys([JWK])
    }
    private let contents: Contents
    private let limits: JOSELimits

    /// Wraps a key that was read elsewhere. Errors use this name.
    init(_ name: String, _ key: JWK) {
        path = name
        isSet = false
        contents = .keys([key])
        limits = .standard
    }

    init(_ path: String, of owner: Owner = .own, limits: JOSELimits = .standard) throws {
        var bytes = try Files.read(path, atMost: limits.keySetBytes, what: "the key file")
        defer { wipe(&bytes) }
        self.path = path
        self.limits = limits
        guard KeyFile.isJSON(bytes) else {
            let keys = try KeyFile.nonJSONKeys(path, bytes, owner, limits)
            contents = .keys(keys)
            isSet = keys.count > 1
            return
        }
        let start = bytes.starts(with: KeyFile.mark) ? KeyFile.mark.count : 0
        let text = SecretBytes(copying: bytes.span.extracting(start..<bytes.count))
        contents = .text(text)
        isSet = try Rejection.naming(path) {
            try text.withSpan { (json) throws(JOSEError) in
                try JWKDocument.isSet(json, limits)
            }
        }
    }

    /// Whose keys the file has. This decides only the advice for an encrypted file.
    enum Owner { case own, foreign }

    /// The byte order mark of UTF-8, which editors of Windows write.
    private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

    /// Whether a JSON object or array begins after a byte order mark and white space.
    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        let first = text.first { ![0x20, 0x0a, 0x0d, 0x09].contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// Reads PEM, DER or PKCS#7. Lists on standard error what was left out.
    private static func nonJSONKeys(
        _ path: String, _ bytes: [UInt8], _ owner: Owner, _ limits: JOSELimits
    ) throws -> [JWK] {
        do throws(JOSEError) {
            let file = try KeyFileContents(bytes.span, limits: limits)
            guard !file.keys.isEmpty || !file.certificates.isEmpty else {
                throw .malformed(.key, "found a revocation list; expected a key or a certificate")
            }
            let entries = try file.entries(limits: limits)
            for warning in file.warnings + entries.warnings {
                let text = CommandLineWording.translate(warning.description)
                try? Descriptor.error.write("josectl: \(printable(path)): \(text)\n")
            }
            return entries.keys.map(\.key)
        } catch {
            guard error.code == .misuse else {
                throw Rejection(error, of: path)
            }
            throw encrypted(path, isPKCS12: !PEM.isText(bytes.span), owner)
        }
    }

    /// The error names the command that makes a usable file.
    private static func encrypted(_ path: String, isPKCS12: Bool, _ owner: Owner) -> Rejection {
        let name = printable(path)
        let command =
            switch owner {
            case .own:
                "convert it: josectl keys import \(name) --password-file FILE --kid KID "
                    + "--out private.jwks (KID is the kid by which others know the key)"
            case .foreign where isPKCS12:
                "extract its certificates: openssl pkcs12 -in \(name) -nokeys -out public.pem"
            case .foreign:
                "extract its public key: openssl pkey -in \(name) -pubout -out public.pem"
            }
        return Rejection(
            .keyUnusable, step: "key", message: "\(name): the file is encrypted; \(command)")
    }

    /// Returns all keys. A file with one JWK is a set of one.
    func ownSet() throws -> JWKSet {
        try Rejection.naming(path) {
            guard isSet else { return JWKSet(keys: [try oneKey()]) }
            return try wholeSet()
        }
    }

    func verificationKeys() throws -> VerifierKeys {
        try Rejection.naming(path) {
            isSet ? .set(try publicPart()) : .one(try oneKey())
        }
    }

    func decryptionKeys() throws -> DecrypterKeys {
        try Rejection.naming(path) {
            isSet ? .set(try wholeSet()) : .one(try oneKey())
        }
    }

    /// Rejects private and symmetric keys.
    func publicSet() throws -> PublicJWKSet {
        try Rejection.naming(path) {
            guard !isSet else { return try publicPart() }
            let key = try oneKey()
            guard !key.isPrivate else { throw JOSEError.keyUnusable("the key is private") }
            return try PublicJWKSet(keys: [key])
        }
    }

    /// Returns the defects of all keys in a JWK Set. A single JWK with a defect cannot be read.
    func defects() throws -> [SkippedKey] {
        try Rejection.naming(path) {
            guard isSet, case .text(let text) = contents else { return [] }
            return try text.withSpan { (json) throws(JOSEError) in
                try KeyDefects.all(in: json, limits)
            }
        }
    }

    /// Whether any entry is an asymmetric private key, usable or not.
    func holdsPrivateKey() throws -> Bool {
        try Rejection.naming(path) {
            guard isSet, case .text(let text) = contents else {
                return try ownSet().keys.contains { $0.isPrivate && $0.keyType != .oct }
            }
            return try text.withSpan { (json) throws(JOSEError) in
                try KeyDefects.holdsPrivateKey(json, limits)
            }
        }
    }

    /// Returns the only key that `keyID` selects and that matches one of the `queries`. If `keyID`
    /// selects one key only, it need not match. `option` is the name of the option for the kid.
    func pick(
        _ keyID: String?, _ queries: [KeyQuery], option: String,
        isPrivate needsPrivate: Bool = false
    ) throws -> JWK {
        let set = try ownSet()
        let named = set.keys.filter { $0.isSelected(by: keyID) }
        guard !named.isEmpty else { throw notFoundError(for: keyID, in: set) }
        let matching = named.filter { key in queries.contains { key.match($0) == .matches } }
        // The library later rejects this key and reports why it does not match.
        if matching.isEmpty, named.count == 1 { return named[0] }
        guard !matching.isEmpty else { throw rejection(.keyNotFound, "no key matches") }
        if needsPrivate, !matching.contains(where: \.isPrivate) {
            guard matching.count > 1 else { return matching[0] }
            throw rejection(
                .keyUnusable,
                "the \(matching.count) keys are public; a private key is needed: give the set with "
                    + "the private keys")
        }
        guard matching.count == 1 else {
            throw UsageError(
                "\(printable(path)): \(matching.count) keys match; choose one with --\(option)")
        }
        return matching[0]
    }

    /// Returns the only key, by its kid if one is given. Its use is not checked.
    func only(_ keyID: String?) throws -> JWK {
        let set = try ownSet()
        let named = set.keys.filter { $0.isSelected(by: keyID) }
        guard let key = named.first else { throw notFoundError(for: keyID, in: set) }
        guard named.count == 1 else {
            let hint = keyID == nil ? "choose one with --kid" : "they have the same kid"
            throw UsageError("\(printable(path)) has \(named.count) keys: \(hint)")
        }
        return key
    }

    private func oneKey() throws(JOSEError) -> JWK {
        switch contents {
        case .keys(let keys):
            guard let key = keys.first else { throw .keyNotFound("the file has no key") }
            return key
        case .text(let text):
            return try text.withSpan { (json) throws(JOSEError) in
                try JWK(json: json, limits: limits)
            }
        }
    }

    private func wholeSet() throws(JOSEError) -> JWKSet {
        switch contents {
        case .keys(let keys): JWKSet(keys: keys)
        case .text(let text):
            try text.withSpan { (json) throws(JOSEError) in try JWKSet(json: json, limits: limits) }
        }
    }

    private func publicPart() throws(JOSEError) -> PublicJWKSet {
        switch contents {
        case .keys(let keys):
            guard !keys.contains(where: \.isPrivate) else {
                throw .keyUnusable(
                    "the file has private keys; use the output of `josectl keys public`"
                )
            }
            return try PublicJWKSet(keys: keys)
        case .text(let text):
            return try text.withSpan { (json) throws(JOSEError) in
                do throws(JOSEError) {
                    return try PublicJWKSet(json: json, limits: limits)
                } catch {
                    guard error.code == .keyUnusable else { throw error }
                    throw .keyUnusable(
                        """
                        the set has a private or symmetric key; use the output of \
                        `josectl keys public`, or give a symmetric key as a single JWK
                        """
                    )
                }
            }
        }
    }

    /// The error if no key was found: none has the kid, or the key with the kid was skipped.
    private func notFoundError(for keyID: String?, in set: JWKSet) -> Rejection {
        let skipped = set.skipped.first { skipped in
            guard let keyID else { return true }
            return skipped.isNamed(keyID.utf8.span)
        }
        if let skipped {
            return rejection(.keyUnusable, CommandLineWording.translate(skipped.description))
        }
        return rejection(
            .keyNotFound, set.keys.isEmpty ? "the file has no key" : "no key has this kid")
    }

    private func rejection(_ code: JOSEError.Code, _ reason: String) -> Rejection {
        Rejection(code, step: "key", message: "\(printable(path)): \(reason)")
    }
}

extension JWK {
    /// Whether the user selected this key: by its kid, byte for byte, or by giving no kid.
    func isSelected(by keyID: String?) -> Bool { keyID == nil || isNamed(keyID) }
}

extension KeyFile {
    /// Rejects a private key, which a sender must not have. Symmetric keys are shared.
    func recipient(_ keyID: String?, _ queries: [KeyQuery], option: String) throws -> JWK {
        let key = try pick(keyID, queries, option: option)
        guard !key.isPrivate || key.keyType == .oct else {
            throw UsageError(
                "\(printable(path)) has a private key; encrypt to its public part: "
                    + "josectl keys public \(printable(path))")
        }
        return key
    }
}
