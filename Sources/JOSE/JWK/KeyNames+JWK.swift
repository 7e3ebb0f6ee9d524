// The names of keys in errors.

import JOSEBytes

extension JWK {
    /// The key's name in errors.
    package var names: KeyNames {
        KeyNames(prepared.material.kind, KeyNames.Algorithm(algorithm?.name))
    }
}

extension JWKSet {
    package func names(_ index: Int) -> KeyNames { keys[index].names }
}

extension PublicJWKSet {
    package func names(_ index: Int) -> KeyNames { storage.names(index) }
}

extension TrustedKeys {
    func names(_ index: Int) -> KeyNames { keys.storage.names(index) }
}

extension PublicJWKSet.Storage {
    func names(_ index: Int) -> KeyNames {
        let (record, text) = (records[index], text)
        guard let algorithm = record.algorithm else { return KeyNames(record.facts.kind, .none) }
        return KeyNames(
            record.facts.kind,
            RegisteredAlgorithm.name(algorithm, in: text.span).map { .registered($0) } ?? .other)
    }
}
