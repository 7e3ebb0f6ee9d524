// A local key set, which may have private keys.

import JOSEBytes
import JOSECrypto

/// A JWK Set that may have private keys (RFC 7517, 5): the set of the keys' owner.
///
/// Publish `publicKeys`, a `PublicJWKSet`, which cannot have a private member.
public struct JWKSet: Sendable {
    /// The usable keys, in the order of the set.
    public let keys: [JWK]
    /// The entries that cannot be used, with the reasons, in the order of the set. Not listed are
    /// defects of public keys that need arithmetic to find: the first use of a key finds them.
    public let skipped: [SkippedKey]

    /// Creates a set of keys.
    public init(keys: [JWK]) { self.init(keys: keys, skipped: []) }

    init(keys: [JWK], skipped: [SkippedKey]) {
        self.keys = keys
        self.skipped = skipped
    }

    /// Reads a set from JSON; private keys are fully checked.
    ///
    /// - Parameters:
    ///   - json: A JSON object with `keys`, in UTF-8; a byte order mark before it is ignored.
    ///   - limits: Limits on size, depth, number of keys, and on each key.
    /// - Throws: `malformed` for text that is not a JSON object, a duplicate member of that object,
    ///   or `keys` that is missing or not an array; `limitExceeded` for a limit of the set.
    ///
    /// An entry that cannot be used is skipped, with the reason in `skipped`. A key with an unknown
    /// `use` or `alg` is kept. RSA private keys without `p` and `q` cost the most, since their
    /// primes are computed. A set may have 256 such keys of 2,048 bits, 32 of 4,096 or 4 of 8,192,
    /// and in any case one; further ones are skipped.
    public init(json: Span<UInt8>, limits: JOSELimits = .standard) throws(JOSEError) {
        var keys: [JWK] = []
        var skipped: [SkippedKey] = []
        var factoring = RSAFactoringBudget()
        try JWKDocument.forEachKey(json, limits) {
            (text, tree, entry, index, _, defect) throws(JOSEError) in
            do throws(KeyDefect) {
                if let defect { throw defect }
                try factoring.spend(on: entry, text, tree, limits)
                let key = try JWK.read(text, tree, at: entry, limits)
                guard key.prepared.material.kind.isDisjoint(with: .unavailable) else {
                    throw KeyDefect(.kty, .unsupportedByProvider)
                }
                keys.append(key)
            } catch {
                guard !error.isInternal else { throw error.error }
                skipped.append(SkippedKey(index, error, entry, text, tree))
            }
        }
        self.keys = keys
        self.skipped = skipped
    }

    /// Reads a set from the bytes of JSON text, such as an array or `Data`; see
    /// `init(json:limits:)` over a span. A collection other than `[UInt8]` is copied into memory
    /// that is wiped.
    public init(
        json: some Collection<UInt8>, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        self = try JWKDocument.withBytes(of: json, limits, at: .keySet) {
            (json) throws(JOSEError) in
            try JWKSet(json: json, limits: limits)
        }
    }

    /// Reads a set from JSON text; see `init(json:limits:)` over a span.
    public init(json: String, limits: JOSELimits = .standard) throws(JOSEError) {
        try self.init(json: json.utf8.span, limits: limits)
    }

    /// Returns the one key with this `use`, and with this `kid` if you pass one.
    ///
    /// - Parameters:
    ///   - use: The required `use`.
    ///   - keyID: The required `kid`; nil if the use alone selects the key.
    /// - Throws: `keyNotFound` unless exactly one key matches.
    public func key(use: KeyUse, keyID: String? = nil) throws(JOSEError) -> JWK {
        try keys.only(use: use, keyID: keyID)
    }

    /// Returns the one key with this `kid`.
    ///
    /// - Throws: `keyNotFound` unless exactly one key has it.
    public func key(keyID: String) throws(JOSEError) -> JWK {
        try keys.only(use: nil, keyID: keyID)
    }

    /// The public keys, to publish; see `PublicJWKSet.init(keys:)`.
    public var publicKeys: PublicJWKSet {
        get throws(JOSEError) { try PublicJWKSet(keys: keys) }
    }

    /// Returns the whole set as JSON, with private members: keep it secret.
    ///
    /// - Throws: `internal` if libcrypto does not return the numbers of a key, `misuse` for an
    ///   external key.
    public func privateJSON() throws(JOSEError) -> String {
        try JWK.setText(keys, byteCapacity: 2_048) { (key, writer) throws(JOSEError) in
            try key.writePrivate(to: &writer)
        }
    }
}

extension JWKSet {
    /// The error for a token with this kid, if a skipped entry has it and no usable key does; else
    /// nil.
    func rejectionOfSkipped(_ keyID: Span<UInt8>) -> JOSEError? {
        guard let skipped = skipped.first(where: { $0.isNamed(keyID) }) else { return nil }
        var hasUsableKey = false
        forEachKey(withID: keyID) { _ in hasUsableKey = true }
        return hasUsableKey ? nil : skipped.tokenError
    }
}

extension JWKSet: SelectableKeys {
    package var keyCount: Int { keys.count }

    package func forEachKey(withID keyID: Span<UInt8>, _ body: (Int) -> Void) {
        for index in keys.indices {
            guard let own = keys[index].keyID, equal(own.utf8.span, keyID) else { continue }
            body(index)
        }
    }

    package func match(_ index: Int, _ query: KeyQuery) -> KeyMatch { keys[index].match(query) }

    package func names(_ index: Int) -> KeyLabels { keys[index].names }

    /// If more than this many entries match a token, all count as different keys, without a
    /// comparison. This bounds the work for a token.
    private static let maxCompared = 16

    package func distinct(_ indices: [Int]) throws(JOSEError) -> [Int] {
        guard indices.count <= JWKSet.maxCompared else { return indices }
        var found: [Int] = []
        for index in indices where !found.contains(where: { keys[$0].isSameEntry(as: keys[index]) })
        {
            found.append(index)
        }
        return found
    }

    package func hasAlgorithm(_ index: Int) -> Bool { keys[index].algorithm != nil }
}

extension [JWK] {
    /// The one key with this `use` and kid; nil matches any. Equal entries count as one key.
    func only(use: KeyUse?, keyID: String?) throws(JOSEError) -> JWK {
        let named = keyID == nil ? self : filter { $0.isNamed(keyID) }
        guard keyID == nil || !named.isEmpty else {
            throw .keyNotFound("no usable key of the set has this kid")
        }
        let found = use == nil ? named : named.filter { $0.use == use }
        guard let first = found.first else {
            throw .keyNotFound(
                keyID == nil
                    ? "no usable key of the set has this use"
                    : "no key of this kid has this use")
        }
        guard found.dropFirst().allSatisfy({ $0.isSameEntry(as: first) }) else {
            throw .keyNotFound(
                "{} keys of the set have this {}", .number(found.count),
                keyID == nil ? "use" : use == nil ? "kid" : "kid and use")
        }
        return first
    }
}

extension JWK {
    /// Whether both are equal in kid, kty, use, alg, key and `x5c`.
    package func isSameEntry(as other: JWK) -> Bool {
        guard (keyID == nil && other.keyID == nil) || isNamed(other.keyID),
            keyType == other.keyType, use == other.use,
            algorithm == other.algorithm,
            certificateChain == other.certificateChain
        else { return false }
        if prepared === other.prepared { return true }
        guard keyType == .oct else {
            return prepared.material.hasSamePublicKey(as: other.prepared.material)
        }
        // Compares hashes: secrets are never compared directly.
        guard let own = try? thumbprint(), let others = try? other.thumbprint() else {
            return false
        }
        return own.isExactly(others)
    }
}

extension JWKSet: RedactedDescription {
    package var shownAs: String { "JWK Set of \(keys.count) keys" }
}
