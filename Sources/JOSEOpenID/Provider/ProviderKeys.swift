// The provider's private keys, which can be rotated, and values derived from them.

import JOSE
import JOSEBytes
import Synchronization

/// The private keys at a point in time.
struct ProviderKeys: Sendable {
    let keys: JWKSet
    /// The number of rotations so far.
    let generation: Int
}

/// The current keys of a provider, shared by all its copies and clients.
final class ProviderKeyRing: Sendable {
    private let state: Lock<ProviderKeys>

    init(_ keys: JWKSet) { state = Lock(ProviderKeys(keys: keys, generation: 0)) }

    var current: ProviderKeys { state.withLock { $0 } }

    func change(to keys: JWKSet) {
        state.withLock { $0 = ProviderKeys(keys: keys, generation: $0.generation + 1) }
    }
}

/// A value derived from the provider's keys, made again at the first use after a rotation.
final class Prepared<Value: Sendable>: Sendable {
    private let state: Lock<(generation: Int, value: Value)>

    init(_ value: Value, from keys: ProviderKeys) { state = Lock((keys.generation, value)) }

    /// Returns the value for these keys. Two threads may make it at the same time; both are
    /// correct.
    func value(
        for keys: ProviderKeys, make: (JWKSet) throws(JOSEError) -> Value
    ) throws(JOSEError) -> Value {
        let kept = state.withLock { $0.generation == keys.generation ? $0.value : nil }
        if let kept { return kept }
        let value = try make(keys.keys)
        state.withLock { if $0.generation < keys.generation { $0 = (keys.generation, value) } }
        return value
    }
}
