// Prepared keys kept between the lines of batch, so that a key set in every line is imported once.

import JOSE
import JOSEBytes
import JOSECrypto
import JOSEPKCS11
import Synchronization

/// A bounded cache from the text of a key, in its role, to the prepared key or its rejection.
///
/// It knows texts by their SHA-256 digest, so that it holds no second copy of a private key.
final class KeyCache: Sendable {
    private enum Role: UInt8 {
        case key, ownSet, publicSet, trust
    }
    private typealias Prepared = Result<any Sendable, JOSEError>
    private struct Contents {
        var entries: [[UInt8]: (prepared: Prepared, bytes: Int)] = [:]
        /// The names of the entries, the oldest first.
        var order: ArraySlice<[UInt8]> = []
        var bytes = 0
    }

    private static let maxEntries = 256
    private static let maxBytes = 33_554_432

    private let contents = Lock(Contents())
    private let limits: JOSELimits
    private let acceleration: KeyAcceleration
    private let held: ExternalKeys?
    /// The keys in tokens, by what names them.
    private let found = Lock<[PKCS11URI: JWK]>([:])

    init(limits: JOSELimits, acceleration: KeyAcceleration, held: ExternalKeys? = nil) {
        self.limits = limits
        self.acceleration = acceleration
        self.held = held
    }

    /// The key in a token that a JSON string names; nil for all other JSON.
    private func held(_ json: [UInt8]) async throws -> JWK? {
        guard json.first == UInt8(ascii: "\"") else { return nil }
        let word = (try? JSONDocument(json, maxDepth: 1)).flatMap { $0.string(at: 0) }
        guard let word, PKCS11URI.isMeant(by: word) else { return nil }
        guard let held else { throw Rejection.misuse("a key in a token: start batch with --module") }
        let uri = try PKCS11URI(word: word)
        if let key = found.withLock({ $0[uri] }) { return key }
        let key = try await held.held(uri).withAcceleration(acceleration)
        return found.withLock { found in
            // The first of two that were found at the same time: the bounds on what a token is asked are one key's.
            if let earlier = found[uri] { return earlier }
            if found.count >= KeyCache.maxEntries { found.removeAll() }
            found[uri] = key
            return key
        }
    }

    /// A JWK, private or public, or the URI of a key in a token.
    func key(_ json: [UInt8]) async throws -> JWK {
        if let key = try await held(json) { return key }
        return try prepared(json, .key) { () throws(JOSEError) in
            try JWK(json: json, limits: limits).withAcceleration(acceleration)
        }
    }

    /// A set that may hold private keys, or the URI of a key in a token.
    func ownSet(_ json: [UInt8]) async throws -> JWKSet {
        if let key = try await held(json) { return JWKSet(keys: [key]) }
        return try prepared(json, .ownSet) { () throws(JOSEError) in
            try JWKSet(json: json, limits: limits).withAcceleration(acceleration)
        }
    }

    /// A set that somebody published.
    func publicSet(_ json: [UInt8]) throws -> PublicJWKSet {
        try prepared(json, .publicSet) { () throws(JOSEError) in
            try PublicJWKSet(json: json, limits: limits).withAcceleration(acceleration)
        }
    }

    /// A trust store; `text` is the JSON of its anchors and lists, by which it is known.
    func trust(
        _ text: [UInt8], _ make: () throws(JOSEError) -> TrustStore
    ) throws -> TrustStore {
        try prepared(text, .trust, make)
    }

    /// What is kept for this text, or what `make` makes of it; rejections are kept too, but not that memory or the provider
    /// failed: that says nothing of the key, and the next line tries again.
    private func prepared<Value: Sendable>(
        _ json: [UInt8], _ role: Role, _ make: () throws(JOSEError) -> Value
    ) throws -> Value {
        let name = try Hash.digest(.sha256, json.span) + [role.rawValue]
        var kept = contents.withLock { $0.entries[name]?.prepared }
        if kept == nil {
            do throws(JOSEError) {
                kept = keep(.success(try make()), name, json.count)
            } catch {
                guard error.code != .internal else { throw error }
                kept = keep(.failure(error), name, json.count)
            }
        }
        guard let value = try kept?.get() as? Value else { throw JOSEError.internalFailure }
        return value
    }

    /// Keeps the first of two that were made at the same time; the oldest go where there are too many.
    private func keep(_ made: Prepared, _ name: [UInt8], _ bytes: Int) -> Prepared {
        contents.withLock { contents in
            if let earlier = contents.entries[name] { return earlier.prepared }
            contents.entries[name] = (made, bytes)
            contents.order.append(name)
            contents.bytes += bytes
            while contents.order.count > KeyCache.maxEntries || contents.bytes > KeyCache.maxBytes
            {
                guard let oldest = contents.order.popFirst() else { break }
                contents.bytes -= contents.entries.removeValue(forKey: oldest)?.bytes ?? 0
            }
            return made
        }
    }
}
