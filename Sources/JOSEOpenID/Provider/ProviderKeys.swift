// The provider's private keys, and a cache for values that are made from them.

import JOSE
import JOSEBytes
import Synchronization

struct ProviderKeys: Sendable {
    let keys: JWKSet
    /// The number of rotations so far.
    let generation: Int
}

/// The current keys. Copies of an `OpenIDProvider` and its `RegisteredClient`s share one ring.
final class ProviderKeyRing: Sendable {
    private let state: Lock<ProviderKeys>

    init(_ keys: JWKSet) { state = Lock(ProviderKeys(keys: keys, generation: 0)) }

    var current: ProviderKeys { state.withLock { $0 } }

    func change(to keys: JWKSet) {
        state.withLock { $0 = ProviderKeys(keys: keys, generation: $0.generation + 1) }
    }
}

/// A value made from the provider's keys. The first use after a rotation makes it again.
final class KeyDerivedValue<Value: Sendable>: Sendable {
    private let state: Lock<(generation: Int, value: Value)>

    init(_ value: Value, from keys: ProviderKeys) { state = Lock((keys.generation, value)) }

    /// Returns the value for these keys. Two threads may make it at the same time; each is correct.
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
