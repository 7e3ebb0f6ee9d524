// A key set without private members: what is published, and what the other side published.

import JOSEBytes
import Synchronization

/// A JWK Set that cannot hold a private or symmetric key (RFC 7517, 5).
///
/// Reading checks every key's form; a key's costlier checks and its preparation wait for its first use and are
/// kept. Copies share them. A set that holds a private or symmetric member is refused as a whole.
public struct PublicJWKSet: Sendable {
    package let storage: Storage

    /// The public parts of these keys.
    ///
    /// - Throws: `keyUnusable` for a key that has no public part.
    public init(_ keys: [JWK]) throws(JOSEError) {
        var writer = JSONWriter(capacity: 640 * keys.count + 16)
        writer.beginObject()
        writer.name("keys")
        writer.beginArray()
        for key in keys { key.writePublic(to: &writer) }
        writer.endArray()
        writer.endObject()
        var limits = Limits.standard
        limits.keySetBytes = max(limits.keySetBytes, writer.bytes.count)
        limits.keyCount = max(limits.keyCount, keys.count)
        storage = try Storage(writer.bytes.span, limits)
    }

    /// Reads a set that somebody published.
    ///
    /// - Parameters:
    ///   - json: UTF-8 text of a JWK Set.
    ///   - limits: Bounds on size, count, depth and moduli.
    /// - Throws: `malformed`, `limitExceeded`, or `keyUnusable` where a private or symmetric member stands.
    ///
    /// Costs about as much as reading the text once; picking a key does not depend on the size of the set.
    public init(json: Span<UInt8>, limits: Limits = .standard) throws(JOSEError) {
        storage = try Storage(json, limits)
    }

    /// Reads a set from the bytes of JSON text; see `init(json:limits:)` over a span.
    public init(json: [UInt8], limits: Limits = .standard) throws(JOSEError) {
        try self.init(json: json.span, limits: limits)
    }

    /// Reads a set from JSON text; see `init(json:limits:)` over a span.
    public init(json: String, limits: Limits = .standard) throws(JOSEError) {
        try self.init(json: json.utf8.span, limits: limits)
    }

    /// The number of keys in the text, usable or not.
    public var count: Int { storage.records.count }

    /// The usable keys, read anew at each call.
    public var keys: [JWK] { storage.records.indices.compactMap { try? storage.key($0) } }

    /// The keys that were well-formed but cannot be used, with the reason.
    public var skipped: [SkippedKey] { storage.skipped }

    /// The one usable key with this use, or with this kid too.
    ///
    /// - Throws: `keyNotFound` unless exactly one key fits.
    public func key(use: KeyUse, keyID: String? = nil) throws(JOSEError) -> JWK {
        if let keyID {
            let key = try key(keyID: keyID)
            guard key.use == use else { throw .keyNotFound("the key of this kid has another use") }
            return key
        }
        let found = keys.filter { $0.use == use }
        guard found.count == 1, let key = found.first else {
            throw .keyNotFound("no unique key of the set has this use")
        }
        return key
    }

    /// The one usable key with this kid.
    ///
    /// - Throws: `keyNotFound` unless exactly one key has it.
    public func key(keyID: String) throws(JOSEError) -> JWK {
        var found: [Int] = []
        forEachKey(withID: keyID.utf8.span) { found.append($0) }
        guard found.count == 1, let index = found.first else {
            throw .keyNotFound("no unique key of the set has this kid")
        }
        return try storage.key(index)
    }

    /// The usable keys as JSON text: members that this library knows, in its own order.
    public func json() -> String {
        let keys = self.keys
        var writer = JSONWriter(capacity: 640 * keys.count + 16)
        writer.beginObject()
        writer.name("keys")
        writer.beginArray()
        for key in keys { key.writePublic(to: &writer) }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension PublicJWKSet: SelectableKeys {
    package var keyCount: Int { storage.records.count }

    package func forEachKey(withID keyID: Span<UInt8>, _ body: (Int) -> Void) {
        storage.forEachKey(withID: keyID, body)
    }

    package func fit(_ index: Int, _ query: KeyQuery) -> KeyFit { storage.fit(index, query) }

    /// The `kid` of a key, usable or not.
    func keyID(_ index: Int) -> String? {
        let text = storage.text
        return storage.records[index].keyID.map { JSON.string($0, in: text.span) }
    }

    package func isSameSlot(_ a: Int, _ b: Int) -> Bool {
        storage.records[a].facts.use == storage.records[b].facts.use
            && storage.records[a].facts.hasKnownType == storage.records[b].facts.hasKnownType
    }
}

extension PublicJWKSet: CustomStringConvertible, CustomReflectable {
    /// How many keys there are.
    public var description: String { "public JWK Set of \(count) keys" }
    /// Shows nothing of the keys to `dump`.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
