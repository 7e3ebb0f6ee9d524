// The provider's own keys, which may be changed while it works, and what is prepared from them.

import JOSE
import JOSEBytes
import Synchronization

/// The private keys at one time.
struct ProviderKeys: Sendable {
    let keys: JWKSet
    /// Counts the changes.
    let generation: Int
}

/// The one place of a provider's keys: every copy of the provider and every client of it looks here.
final class ProviderKeyRing: Sendable {
    private let state: Lock<ProviderKeys>

    init(_ keys: JWKSet) { state = Lock(ProviderKeys(keys: keys, generation: 0)) }

    var current: ProviderKeys { state.withLock { $0 } }

    func change(to keys: JWKSet) {
        state.withLock { $0 = ProviderKeys(keys: keys, generation: $0.generation + 1) }
    }
}

/// What was prepared from the provider's keys, made anew at the first use after they changed.
final class Prepared<Value: Sendable>: Sendable {
    private let state: Lock<(generation: Int, value: Value)>

    init(_ value: Value, from keys: ProviderKeys) { state = Lock((keys.generation, value)) }

    /// The value for these keys. Two threads may make it at once; either is right.
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
