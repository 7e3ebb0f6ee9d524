// Key files: a JWK, a JWK Set, PEM, DER or PKCS#7, read by what is in them, rejected with the file's
// name; or a key in a token.

import JOSE
import JOSEBytes
import JOSECrypto

/// The contents of a key file, in memory that is wiped, because it may hold private keys.
struct KeyFile {
    let path: String
    /// Whether the file holds a JWK Set, or several keys in another form.
    let isSet: Bool
    private enum Contents {
        case text(SecretBytes)
        case keys([JWK])
    }
    private let contents: Contents
    private let limits: JOSELimits

    /// A key that was read elsewhere, under the name that messages give it.
    init(_ name: String, _ key: JWK) {
        path = name
        isSet = false
        contents = .keys([key])
        limits = .standard
    }

    /// Reads a file, or standard input for `-`.
    ///
    /// Throws `SystemError`, or a rejection of what is no JSON object and no key file of another
    /// form.
    init(_ path: String, of owner: Owner = .us, limits: JOSELimits = .standard) throws {
        var bytes = try Files.read(path, atMost: limits.keySetBytes, what: "the key file")
        defer { wipe(&bytes) }
        self.path = path
        self.limits = limits
        guard KeyFile.isJSON(bytes) else {
            let keys = try KeyFile.foreignKeys(path, bytes, owner, limits)
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

    /// Whose keys a file must hold.
    enum Owner { case us, others }

    /// UTF-8's byte order mark, which editors of Windows write.
    private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

    /// Whether the text begins as a JSON object or array does, behind a byte order mark and white
    /// space.
    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        let first = text.first { ![0x20, 0x0a, 0x0d, 0x09].contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// The keys of PEM, DER or PKCS#7; what was left out is noted on standard error.
    private static func foreignKeys(
        _ path: String, _ bytes: [UInt8], _ owner: Owner, _ limits: JOSELimits
    ) throws -> [JWK] {
        do throws(JOSEError) {
            let file = try KeyFileContents(bytes.span, limits: limits)
            guard !file.keys.isEmpty || !file.certificates.isEmpty else {
                throw .malformed(.key, "found a revocation list; expected a key or a certificate")
            }
            let entries = try file.entries(limits: limits)
            for warning in file.warnings + entries.warnings {
                let text = ShellWords.translated(warning.description)
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

    /// The error for an encrypted file, with the command that makes what is needed of it: a set
    /// with the private keys, or a file with public keys only.
    private static func encrypted(_ path: String, isPKCS12: Bool, _ owner: Owner) -> Rejection {
        let name = printable(path)
        let command =
            switch owner {
            case .us:
                "make a JWK Set of it: josectl keys import \(name) --password-file FILE --kid KID "
                    + "--out private.jwks (KID is the kid by which others know the key)"
            case .others where isPKCS12:
                "make a file of its certificates: openssl pkcs12 -in \(name) -nokeys -out public.pem"
            case .others:
                "make a file of its public key: openssl pkey -in \(name) -pubout -out public.pem"
            }
        return Rejection(
            .keyUnusable, step: "key", message: "\(name): the file is encrypted; \(command)")
    }

    /// All keys; a file with one JWK is a set of one.
    func ownSet() throws -> JWKSet {
        try Rejection.naming(path) {
            guard isSet else { return JWKSet(keys: [try oneKey()]) }
            return try wholeSet()
        }
    }

    /// The other side's keys, to verify with.
    func verificationKeys() throws -> VerificationKeys {
        try Rejection.naming(path) {
            isSet ? .set(try strangersSet()) : .one(try oneKey())
        }
    }

    /// Our own keys, to decrypt with.
    func decryptionKeys() throws -> DecryptionKeys {
        try Rejection.naming(path) {
            isSet ? .set(try wholeSet()) : .one(try oneKey())
        }
    }

    /// The keys as a stranger would read them; a single key must be public too.
    func publicSet() throws -> PublicJWKSet {
        try Rejection.naming(path) {
            guard !isSet else { return try strangersSet() }
            let key = try oneKey()
            guard !key.isPrivate else { throw JOSEError.keyUnusable("the key is private") }
            return try PublicJWKSet(keys: [key])
        }
    }

    /// Every defect of every entry of a set; of a single key there are none, since it was read.
    func defects() throws -> [SkippedKey] {
        try Rejection.naming(path) {
            guard isSet, case .text(let text) = contents else { return [] }
            return try text.withSpan { (json) throws(JOSEError) in
                try KeyDefects.all(in: json, limits)
            }
        }
    }

    /// Whether any entry is a private key and no symmetric one, usable or not.
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

    /// The one key that fits, by its kid where one is given.
    ///
    /// - Parameters:
    ///   - keyID: The kid that the user asked for.
    ///   - queries: What the key must be able to do: any one of these.
    ///   - option: The option that would name the kid, for the message.
    ///   - isPrivate: Whether it must be private.
    func pick(
        _ keyID: String?, _ queries: [KeyQuery], option: String, isPrivate: Bool = false
    ) throws -> JWK {
        let set = try ownSet()
        let named = set.keys.filter { $0.isMeant(by: keyID) }
        guard !named.isEmpty else { throw absence(of: keyID, in: set) }
        let fitting = named.filter { key in queries.contains { key.match($0) == .matches } }
        // A single candidate that does not fit is told by the engine, with the reason.
        if fitting.isEmpty, named.count == 1 { return named[0] }
        guard !fitting.isEmpty else { throw rejection(.keyNotFound, "no key fits") }
        if isPrivate, !fitting.contains(where: \.isPrivate) {
            guard fitting.count > 1 else { return fitting[0] }
            throw rejection(
                .keyUnusable,
                "the \(fitting.count) keys are public; a private key is needed: give the set with the private keys"
            )
        }
        guard fitting.count == 1 else {
            throw UsageError(
                "\(printable(path)): \(fitting.count) keys fit; name one by --\(option)")
        }
        return fitting[0]
    }

    /// The one key that is meant, whatever it is for.
    func only(_ keyID: String?) throws -> JWK {
        let set = try ownSet()
        let named = set.keys.filter { $0.isMeant(by: keyID) }
        guard let key = named.first else { throw absence(of: keyID, in: set) }
        guard named.count == 1 else {
            let way = keyID == nil ? "name one by --kid" : "they have the same kid"
            throw UsageError("\(printable(path)) holds \(named.count) keys: \(way)")
        }
        return key
    }

    private func oneKey() throws(JOSEError) -> JWK {
        switch contents {
        case .keys(let keys):
            guard let key = keys.first else { throw .keyNotFound("there is no key") }
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

    private func strangersSet() throws(JOSEError) -> PublicJWKSet {
        switch contents {
        case .keys(let keys):
            guard !keys.contains(where: \.isPrivate) else {
                throw .keyUnusable(
                    "the file holds private keys; `josectl keys public` writes what others may have"
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
                        "the set holds a private or symmetric key; `josectl keys public` writes what others may have, and a symmetric key is given as a JWK alone"
                    )
                }
            }
        }
    }

    /// Why there is no key: none has the kid, or the one that has it is skipped.
    private func absence(of keyID: String?, in set: JWKSet) -> Rejection {
        let skipped = set.skipped.first { skipped in
            guard let keyID else { return true }
            return skipped.isNamed(keyID.utf8.span)
        }
        if let skipped {
            return rejection(.keyUnusable, ShellWords.translated(skipped.description))
        }
        return rejection(
            .keyNotFound, set.keys.isEmpty ? "there is no key" : "no key has this kid")
    }

    private func rejection(_ code: JOSEError.Code, _ reason: String) -> Rejection {
        Rejection(code, step: "key", message: "\(printable(path)): \(reason)")
    }
}

extension JWK {
    /// Whether the user means this key: by its kid, byte for byte, or without naming one.
    func isMeant(by keyID: String?) -> Bool { keyID == nil || isNamed(keyID) }
}

extension KeyFile {
    /// The recipient's public key.
    ///
    /// A private key is wrong usage: what belongs to a recipient is the public part. A symmetric
    /// key is shared whole.
    func recipient(_ keyID: String?, _ queries: [KeyQuery], option: String) throws -> JWK {
        let key = try pick(keyID, queries, option: option)
        guard !key.isPrivate || key.keyType == .oct else {
            throw UsageError(
                "\(printable(path)) holds a private key; encrypt to its public part: "
                    + "josectl keys public \(printable(path))")
        }
        return key
    }
}
