// Prepared keys kept between the lines of batch, so that a key set in every line is imported once.

import JOSE
import JOSEBytes
import JOSECrypto
import JOSEPKCS11

/// A bounded cache from the text of a key, in its role, to the prepared key or its refusal.
///
/// It knows texts by their SHA-256 digest, so that it holds no second copy of a private key.
final class KeyCache: Sendable {
    private enum Role: UInt8 {
        case key, ownSet, publicSet, trust
    }
    private enum Prepared {
        case key(JWK)
        case ownSet(JWKSet)
        case publicSet(PublicJWKSet)
        case trust(TrustStore)
        case refused(JOSEError)
    }
    private struct Contents {
        var entries: [[UInt8]: (prepared: Prepared, bytes: Int)] = [:]
        /// The names of the entries, the oldest first.
        var order: ArraySlice<[UInt8]> = []
        var bytes = 0
    }

    private static let mostEntries = 256
    private static let mostBytes = 33_554_432

    private let contents = Gate(Contents())
    private let limits: JOSELimits
    private let acceleration: KeyAcceleration
    let held: HeldKeys?
    /// The keys in tokens, by what names them.
    private let found = Gate<[PKCS11URI: JWK]>([:])

    init(limits: JOSELimits, acceleration: KeyAcceleration, held: HeldKeys? = nil) {
        self.limits = limits
        self.acceleration = acceleration
        self.held = held
    }

    /// Whether a key may be one in a token.
    var mayBeHeld: Bool { held != nil }

    /// The key in a token that a JSON string names; nil for all other JSON.
    ///
    /// Throws `HeldKeyWanted` where it is to be found first.
    private func held(_ json: [UInt8]) throws -> JWK? {
        guard json.first == UInt8(ascii: "\"") else { return nil }
        let word = (try? JSONDocument(json, maximumDepth: 1)).flatMap { $0.string(at: 0) }
        guard let word, PKCS11URI.isMeant(by: word) else { return nil }
        guard mayBeHeld else {
            throw Refusal.misuse("a key in a token: start batch with --module")
        }
        let uri = try PKCS11URI(word: word)
        guard let key = found.change({ $0[uri] }) else { throw HeldKeyWanted(uri: uri) }
        return key
    }

    /// Finds a key in a token, for the lines that name it from now on.
    func find(_ wanted: HeldKeyWanted) async throws {
        guard let key = try await held?.held(wanted.uri).using(acceleration) else { return }
        found.change { found in
            if found.count >= KeyCache.mostEntries { found.removeAll() }
            // The first of two that were found at the same time: the bounds on what a token is asked are one key's.
            if found[wanted.uri] == nil { found[wanted.uri] = key }
        }
    }

    /// A JWK, private or public, or the URI of a key in a token.
    func key(_ json: [UInt8]) throws -> JWK {
        if let key = try held(json) { return key }
        let found = try prepared(json, .key) { (json) throws(JOSEError) in
            .key(try JWK(json: json, limits: limits).using(acceleration))
        }
        guard case .key(let key) = found else { throw JOSEError.internalFailure }
        return key
    }

    /// A set that may hold private keys, or the URI of a key in a token.
    func ownSet(_ json: [UInt8]) throws -> JWKSet {
        if let key = try held(json) { return JWKSet(keys: [key]) }
        let found = try prepared(json, .ownSet) { (json) throws(JOSEError) in
            .ownSet(try JWKSet(json: json, limits: limits).using(acceleration))
        }
        guard case .ownSet(let set) = found else { throw JOSEError.internalFailure }
        return set
    }

    /// A set that somebody published.
    func publicSet(_ json: [UInt8]) throws -> PublicJWKSet {
        let found = try prepared(json, .publicSet) { (json) throws(JOSEError) in
            .publicSet(try PublicJWKSet(json: json, limits: limits).using(acceleration))
        }
        guard case .publicSet(let set) = found else { throw JOSEError.internalFailure }
        return set
    }

    /// A trust store; `text` is the JSON of its anchors and lists, by which it is known.
    func trust(
        _ text: [UInt8], _ make: () throws(JOSEError) -> TrustStore
    ) throws -> TrustStore {
        let found = try prepared(text, .trust) { (_) throws(JOSEError) in .trust(try make()) }
        guard case .trust(let store) = found else { throw JOSEError.internalFailure }
        return store
    }

    /// What is kept for this text, or what `make` makes of it; refusals are kept too, but not that memory or the provider
    /// failed: that says nothing of the key, and the next line tries anew.
    private func prepared(
        _ json: [UInt8], _ role: Role, _ make: ([UInt8]) throws(JOSEError) -> Prepared
    ) throws -> Prepared {
        let name = try Hash.digest(.sha256, json.span) + [role.rawValue]
        if let kept = contents.change({ $0.entries[name]?.prepared }) {
            return try KeyCache.opened(kept)
        }
        let made: Prepared
        do {
            made = try make(json)
        } catch {
            guard error.code != .internal else { throw error }
            made = .refused(error)
        }
        return try KeyCache.opened(keep(made, name, json.count))
    }

    /// Keeps the first of two that were made at the same time; the oldest go where there are too many.
    private func keep(_ made: Prepared, _ name: [UInt8], _ bytes: Int) -> Prepared {
        contents.change { contents in
            if let earlier = contents.entries[name] { return earlier.prepared }
            contents.entries[name] = (made, bytes)
            contents.order.append(name)
            contents.bytes += bytes
            while contents.order.count > KeyCache.mostEntries || contents.bytes > KeyCache.mostBytes
            {
                guard let oldest = contents.order.popFirst() else { break }
                contents.bytes -= contents.entries.removeValue(forKey: oldest)?.bytes ?? 0
            }
            return made
        }
    }

    private static func opened(_ prepared: Prepared) throws -> Prepared {
        if case .refused(let error) = prepared { throw error }
        return prepared
    }
}

/// What work ends with that names a key in a token which was not found yet.
struct HeldKeyWanted: Error {
    let uri: PKCS11URI
}
