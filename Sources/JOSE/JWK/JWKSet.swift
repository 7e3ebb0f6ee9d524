// Our own key set: may hold private keys, is never published.

import JOSEBytes

/// A JWK Set that may hold private keys (RFC 7517, 5): the owner's side.
///
/// What others may see is `publicKeys`, another type, which cannot hold a private member.
public struct JWKSet: Sendable {
    /// The usable keys, in the order of the set.
    public let keys: [JWK]
    /// The keys that were well-formed but cannot be used, with the reason.
    public let skipped: [SkippedKey]

    /// A set of these keys.
    public init(keys: [JWK]) { self.init(keys: keys, skipped: []) }

    init(keys: [JWK], skipped: [SkippedKey]) {
        self.keys = keys
        self.skipped = skipped
    }

    /// Reads a set from JSON text; private keys are checked whole.
    ///
    /// - Parameters:
    ///   - json: UTF-8 text of a JSON object with `keys`.
    ///   - limits: Bounds on size, depth, number of keys, and on each key.
    /// - Throws: `malformed` or `limitExceeded`; a well-formed key that cannot be used is skipped with a reason.
    ///
    /// RSA private keys without `p` and `q` cost the most, since their primes are computed: 256 of
    /// 2,048 bits, 32 of 4,096 or 4 of 8,192 are read, and further ones skipped.
    public init(json: Span<UInt8>, limits: JOSELimits = .standard) throws(JOSEError) {
        var keys: [JWK] = []
        var skipped: [SkippedKey] = []
        var factoring = RSAFactoringBudget()
        try JWKSetText.read(json, limits) { (text, tree, object, index, _) throws(JOSEError) in
            do throws(JOSEError) {
                try factoring.spend(on: object, text, tree)
                let key = try JWK.read(text, tree, at: object, limits)
                guard key.prepared.material.kind.isDisjoint(with: .unavailable) else {
                    throw .notHere
                }
                keys.append(key)
            } catch  where JWKSet.skips(error.code) {
                skipped.append(SkippedKey(index: index, reason: error.message))
            }
        }
        self.keys = keys
        self.skipped = skipped
    }

    /// A key that cannot be used, here or at all, does not take its neighbours with it (RFC 7517, 5).
    private static func skips(_ code: JOSEError.Code) -> Bool {
        code == .keyUnusable || code == .untrustedKey || code == .unsupported
    }

    /// Reads a set from the bytes of JSON text; see `init(json:limits:)` over a span.
    public init(json: [UInt8], limits: JOSELimits = .standard) throws(JOSEError) {
        try self.init(json: json.span, limits: limits)
    }

    /// Reads a set from JSON text; see `init(json:limits:)` over a span.
    public init(json: String, limits: JOSELimits = .standard) throws(JOSEError) {
        try self.init(json: json.utf8.span, limits: limits)
    }

    /// The one key with this use, or with this kid too.
    ///
    /// - Parameters:
    ///   - use: Its `use`, which must be there.
    ///   - keyID: Its `kid`; nil where the use alone says which.
    /// - Throws: `keyNotFound` unless exactly one key fits.
    public func key(use: KeyUse, keyID: String? = nil) throws(JOSEError) -> JWK {
        let found = keys.filter {
            $0.use == use && (keyID == nil || $0.isNamed(keyID))
        }
        guard found.count == 1, let key = found.first else {
            throw .keyNotFound("no unique key of the set has this use")
        }
        return key
    }

    /// The one key with this kid.
    ///
    /// - Throws: `keyNotFound` unless exactly one key has it.
    public func key(keyID: String) throws(JOSEError) -> JWK {
        let found = keys.filter { $0.isNamed(keyID) }
        guard found.count == 1, let key = found.first else {
            throw .keyNotFound("no unique key of the set has this kid")
        }
        return key
    }

    /// The public parts, for publication; see `PublicJWKSet.init(keys:)`.
    public var publicKeys: PublicJWKSet {
        get throws(JOSEError) { try PublicJWKSet(keys: keys) }
    }

    /// The whole set as JSON text, private members included: keep it secret.
    ///
    /// - Throws: `internal` if the numbers of a key cannot be read back, `misuse` where one is held elsewhere.
    public func privateJSON() throws(JOSEError) -> String {
        var writer = JSONWriter(capacity: 2_048 * keys.count + 16)
        writer.beginObject()
        writer.name("keys")
        writer.beginArray()
        for key in keys { try key.writePrivate(to: &writer) }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
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

    package func fit(_ index: Int, _ query: KeyQuery) -> KeyFit { keys[index].fit(query) }

    package func isSameSlot(_ a: Int, _ b: Int) -> Bool {
        keys[a].keyType == keys[b].keyType && keys[a].use == keys[b].use
    }
}

extension JWKSet: RedactedDescription {
    package var shownAs: String { "JWK Set of \(keys.count) keys" }
}

/// A key of a set that was read but cannot be used.
public struct SkippedKey: Sendable, Hashable {
    /// The place in the `keys` array, from 0.
    public let index: Int
    /// Why, in one English sentence part without key facts.
    public let reason: String

    package init(index: Int, reason: String) {
        self.index = index
        self.reason = reason
    }
}

extension SkippedKey {
    /// The same place and reason, byte for byte.
    public static func == (a: SkippedKey, b: SkippedKey) -> Bool {
        a.index == b.index && a.reason.isExactly(b.reason)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(index)
        hasher.combine(ExactText(reason))
    }
}
