// Caches keys between the lines of `josectl batch`, so that a repeated key set is read once.

import JOSE
import JOSEBytes
import JOSECrypto
import JOSEPKCS11
import Synchronization

/// A bounded cache of keys, key sets and trust stores, or of the errors of reading them. A digest
/// identifies an entry, because the JSON text may contain private keys.
final class KeyCache: Sendable {
    private enum Role: UInt8 {
        case key, ownSet, publicSet, trust
    }
    private typealias Prepared = Result<any Sendable, JOSEError>
    private struct Contents {
        var entries: [[UInt8]: (prepared: Prepared, bytes: Int)] = [:]
        /// The digests that `entries` has, oldest first.
        var order: ArraySlice<[UInt8]> = []
        var bytes = 0
    }

    private static let maxEntries = 256
    private static let maxBytes = 33_554_432

    private let contents = Lock(Contents())
    private let limits: JOSELimits
    private let acceleration: KeyAcceleration
    private let externalKeys: ExternalKeys?
    private let externalKeysByURI = Lock<[PKCS11URI: JWK]>([:])

    init(limits: JOSELimits, acceleration: KeyAcceleration, externalKeys: ExternalKeys? = nil) {
        self.limits = limits
        self.acceleration = acceleration
        self.externalKeys = externalKeys
    }

    /// Returns the external key that a JSON string names; nil for other JSON.
    private func externalKey(_ json: [UInt8]) async throws -> JWK? {
        guard json.first == UInt8(ascii: "\"") else { return nil }
        let word = (try? JSONDocument(json, maxDepth: 1)).flatMap { $0.string(at: 0) }
        guard let word, PKCS11URI.isURI(word) else { return nil }
        guard let externalKeys else {
            throw Rejection.misuse("a pkcs11: URI requires `josectl batch --module`")
        }
        let uri = try PKCS11URI(word: word)
        if let key = externalKeysByURI.withLock({ $0[uri] }) { return key }
        let key = try await externalKeys.jwk(uri).withAcceleration(acceleration)
        return externalKeysByURI.withLock { keys in
            // If two lines found it concurrently, keep the first: limits on operations are per key.
            if let earlier = keys[uri] { return earlier }
            if keys.count >= KeyCache.maxEntries { keys.removeAll() }
            keys[uri] = key
            return key
        }
    }

    func key(_ json: [UInt8]) async throws -> JWK {
        if let key = try await externalKey(json) { return key }
        return try prepared(json, .key) { () throws(JOSEError) in
            try JWK(json: json, limits: limits).withAcceleration(acceleration)
        }
    }

    /// The set may have private keys. An external key is a set of one key.
    func ownSet(_ json: [UInt8]) async throws -> JWKSet {
        if let key = try await externalKey(json) { return JWKSet(keys: [key]) }
        return try prepared(json, .ownSet) { () throws(JOSEError) in
            try JWKSet(json: json, limits: limits).withAcceleration(acceleration)
        }
    }

    func publicSet(_ json: [UInt8]) throws -> PublicJWKSet {
        try prepared(json, .publicSet) { () throws(JOSEError) in
            try PublicJWKSet(json: json, limits: limits).withAcceleration(acceleration)
        }
    }

    /// `text` is the JSON of the trust anchors and CRLs.
    func trust(
        _ text: [UInt8], _ make: () throws(JOSEError) -> TrustStore
    ) throws -> TrustStore {
        try prepared(text, .trust, make)
    }

    /// Errors are cached too, except `internal`, which the key does not cause.
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

    /// Caches `made`, unless another line cached a result meanwhile. Returns the cached result.
    private func keep(_ made: Prepared, _ name: [UInt8], _ bytes: Int) -> Prepared {
        contents.withLock { contents in
            if let earlier = contents.entries[name] { return earlier.prepared }
            contents.entries[name] = (made, bytes)
            contents.order.append(name)
            contents.bytes += bytes
            while contents.order.count > KeyCache.maxEntries || contents.bytes > KeyCache.maxBytes {
                guard let oldest = contents.order.popFirst() else { break }
                contents.bytes -= contents.entries.removeValue(forKey: oldest)?.bytes ?? 0
            }
            return made
        }
    }
}
