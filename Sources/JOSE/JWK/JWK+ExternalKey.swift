// Keys whose private part is elsewhere.

import JOSEBytes

extension JWK {
    /// The same key with its private part held by an external key: a device or a service that signs, unwraps or agrees.
    ///
    /// - Parameters:
    ///   - externalKey: Who has the private part of this key.
    ///   - options: How many operations may be under way and wait, how long they may take, and who is told of failures. It
    ///     counts for this key and its copies: hold a key once.
    /// - Throws: `misuse` for a key that has its private part here or is held already, `keyUnusable` for a symmetric one
    ///   and for a public key that is none, `misuse` for a rule by which nothing can be asked.
    ///
    /// The result is private: a signer, a decrypter, an issuer, a verifier of encrypted tokens or a set takes it as any
    /// other, and their asynchronous calls, those with `within`, use it. Synchronous calls and private texts of it are
    /// `misuse`. Nothing that the external key says is believed: a signature leaves only after it was verified with the
    /// public key that stands here. No call falls back to a key in memory.
    public func withExternalKey(
        _ externalKey: some ExternalKey, options: ExternalKeyOptions = .standard
    ) throws(JOSEError) -> JWK {
        guard prepared.material.kind.isDisjoint(with: .oct) else {
            throw .keyUnusable("a symmetric key has no public part that could stand for it")
        }
        guard !isPrivate else {
            throw .misuse("give the public key: the private one is with the external key")
        }
        // Nothing is asked of an external key in the name of a key that cannot be used.
        _ = try prepared.material.native()
        var key = self
        key.prepared = PreparedKey(
            prepared.material, options: prepared.options,
            held: try ExternalKeyBinding(externalKey, options, keyID: keyID))
        key.keyOperations = keyOperations.map(JWK.privateSide)
        return key
    }

    /// What the owner does where the others do this.
    private static func privateSide(_ operations: KeyOperations) -> KeyOperations {
        var side = operations.subtracting([.verify, .encrypt, .wrapKey])
        if operations.contains(.verify) { side.insert(.sign) }
        if operations.contains(.encrypt) { side.insert(.decrypt) }
        if operations.contains(.wrapKey) { side.insert(.unwrapKey) }
        return side
    }
}
