// A key set without private members: what is published, and what the other side published.

import JOSEBytes
import Synchronization

/// A JWK Set that cannot hold a private or symmetric key (RFC 7517, 5).
///
/// Reading checks every key's form; a key's costlier checks and its preparation wait for its first
/// use and are kept. Copies share them. A set that holds a private or symmetric member is rejected
/// as a whole.
public struct PublicJWKSet: Sendable {
    package let storage: Storage
    /// What the certificates came to; nil where nothing is demanded of them and no key came with a
    /// proof.
    package let trust: KeyTrust?
    /// Whether these keys stand in for newer ones; see `markedStale()`.
    package let isStale: Bool

    /// The public parts of these keys as they are: what is prepared, each way of computing
    /// (`JWK.withAcceleration(_:)`) and each `validatedChain` are kept. What a trust store proved
    /// is checked against purpose and time at each use; a key without a proof needs none.
    ///
    /// - Throws: `keyUnusable` for a key that has no public part.
    public init(keys: [JWK]) throws(JOSEError) {
        storage = try Storage(keys)
        trust = KeyTrust(keys)
        isStale = false
    }

    private init(_ storage: Storage, _ trust: KeyTrust?, isStale: Bool = false) {
        self.storage = storage
        self.trust = trust
        self.isStale = isStale
    }

    /// Reads a set that another party published.
    ///
    /// - Parameters:
    ///   - json: UTF-8 text of a JWK Set; a byte order mark before it is passed over.
    ///   - limits: Bounds on size, count, depth and moduli.
    ///   - certificates: What is demanded of the certificates in it; a key that fails is skipped
    ///     with a reason.
    ///   - now: The time to check them by; the system's clock where none is given.
    /// - Throws: For the whole set only: `malformed` for text that is no JSON, a duplicate member
    ///   of the outermost object, or `keys` that is no array; `limitExceeded` for a limit of the
    ///   set; `keyUnusable` for a private or symmetric member in any entry, usable or not.
    ///
    /// An entry that cannot be used is skipped, and `skipped` reports it: one that is no object,
    /// has no `kty` or lacks another required member, has a member twice or of another type, bad
    /// base64url, a number of the wrong size, an unknown type, curve, `use` or `alg`, half of a
    /// surrogate pair, more levels or values than are read, or a certificate of another key. `null`
    /// for an optional member means absent. Zero bytes before `n` and `e` are removed. Malformed
    /// `x5c`, `x5t` and `x5t#S256` count only under a `certificates` rule.
    ///
    /// Costs about as much as reading the text once, and the validation of the chains where that is
    /// demanded; picking a key does not depend on the size of the set. Source: RFC 7517, 5.
    public init(
        json: Span<UInt8>, limits: JOSELimits = .standard, certificates: CertificateRule = .ignore,
        at now: NumericDate? = nil
    ) throws(JOSEError) {
        try self.init(json, nil, limits, certificates, now)
    }

    private init(
        _ json: Span<UInt8>, _ text: [UInt8]?, _ limits: JOSELimits, _ rule: CertificateRule,
        _ now: NumericDate?
    ) throws(JOSEError) {
        // Before anything is allocated.
        try JWKDocument.checkSize(json.count, limits)
        let storage = try Storage(json, limits, text: text)
        self.init(storage, KeyTrust(rule, storage, at: now))
    }

    /// Reads a set from the bytes of JSON text, such as an array, which it keeps, or `Data`; see
    /// `init(json:limits:certificates:at:)` over a span.
    public init(
        json: some Collection<UInt8>, limits: JOSELimits = .standard,
        certificates: CertificateRule = .ignore, at now: NumericDate? = nil
    ) throws(JOSEError) {
        try JWKDocument.checkSize(json.count, limits)
        let json = [UInt8](json)
        try self.init(json.span, json, limits, certificates, now)
    }

    /// Reads a set from JSON text; see `init(json:limits:certificates:at:)` over a span.
    public init(
        json: String, limits: JOSELimits = .standard, certificates: CertificateRule = .ignore,
        at now: NumericDate? = nil
    ) throws(JOSEError) {
        try self.init(json: json.utf8.span, limits: limits, certificates: certificates, at: now)
    }

    /// The same keys under this demand on their certificates, judged at this time; what is prepared
    /// stays so.
    ///
    /// - Parameters:
    ///   - certificates: What is demanded.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: Nothing at present. A key that fails is skipped with a reason, also where memory
    ///   fails for it.
    ///
    /// A chain that the store has validated before costs a comparison. The demand takes the place
    /// of the one before, and of proofs that the keys came with (`init(keys:)`): `.ignore` drops
    /// them.
    public func withCertificateRule(
        _ certificates: CertificateRule, at now: NumericDate? = nil
    ) throws(JOSEError) -> PublicJWKSet {
        PublicJWKSet(
            storage, KeyTrust(certificates, storage, at: now), isStale: isStale)
    }

    /// The same keys, all computing in this way; see `JWK.withAcceleration(_:)`. They are prepared
    /// anew at first use.
    public func withAcceleration(_ acceleration: KeyAcceleration) -> PublicJWKSet {
        guard storage.options != .all(acceleration.options) else { return self }
        return PublicJWKSet(
            Storage(storage, .all(acceleration.options)), trust, isStale: isStale)
    }

    /// The same keys, standing in for newer ones that cannot be had now: what a source gives in an
    /// outage.
    ///
    /// What they accept is accepted. A token without `kid` that they do not explain, and any key
    /// that they lack, is `unavailable` to who asked the source: newer keys may say otherwise. A
    /// `kid` that they have is as final as ever, since a new key gets a new `kid` (OpenID Connect
    /// Core, 10.1.1).
    public func markedStale() -> PublicJWKSet { PublicJWKSet(storage, trust, isStale: true) }

    /// Whether this is the same set under the same demand: read, judged and prepared once, by one
    /// pointer.
    package func isSame(as other: PublicJWKSet) -> Bool {
        storage === other.storage && trust === other.trust
    }

    /// The number of entries in the set, usable or not.
    public var count: Int { storage.records.count }

    /// The usable keys, in the order of the set; with their proof where certificates are demanded.
    ///
    /// Reads the keys at each call: keep the result where you need it twice.
    public func keys() -> [JWK] { storage.records.indices.compactMap { try? key($0) } }

    /// The entries that cannot be used, with the reason; in the order of the set.
    ///
    /// Some defects need arithmetic and are found when a key is first used or listed by `keys()`: a
    /// certificate of another key, a point that is not on its curve, a modulus with a small factor.
    /// They are here from then on.
    public var skipped: [SkippedKey] { skipped(atMost: .max).first }

    /// The first of the skipped entries, and how many there are: a report of each costs as much as
    /// reading it.
    package func skipped(atMost most: Int) -> (first: [SkippedKey], count: Int) {
        var indices = storage.skippedIndices
        if let untrusted = trust?.failedIndices, !untrusted.isEmpty {
            indices = Set(indices).union(untrusted).sorted()
        }
        let first = indices.prefix(most).compactMap { index in
            storage.skipped(index) ?? untrusted(index)
        }
        return (first, indices.count)
    }

    private func untrusted(_ index: Int) -> SkippedKey? {
        trust?.failure(index).map { reason in
            SkippedKey(
                index: index, keyID: keyID(index), member: JWKMember.x5c.name.description,
                reason: reason)
        }
    }

    /// The one usable key with this use, or with this kid too.
    ///
    /// - Parameters:
    ///   - use: Its `use`, which must be there.
    ///   - keyID: Its `kid`; nil where the use alone says which.
    /// - Throws: `keyNotFound` unless exactly one key has both; the reason where the entry of this
    ///   kid is skipped.
    public func key(use: KeyUse, keyID: String? = nil) throws(JOSEError) -> JWK {
        guard let keyID else { return try keys().only(use: use, keyID: nil) }
        if let index = onlyIndex(named: keyID) {
            let key = try key(index)
            if key.use == use { return key }
        }
        return try keys(named: keyID).only(use: use, keyID: keyID)
    }

    /// The one usable key with this kid.
    ///
    /// - Throws: `keyNotFound` unless exactly one key has it; the reason where the entry of this
    ///   kid is skipped.
    public func key(keyID: String) throws(JOSEError) -> JWK {
        if let index = onlyIndex(named: keyID) { return try key(index) }
        return try keys(named: keyID).only(use: nil, keyID: keyID)
    }

    /// The place of the entry of a kid; nil where there is none or several.
    private func onlyIndex(named keyID: String) -> Int? {
        var found = -1
        var count = 0
        forEachKey(withID: keyID.utf8.span) { index in
            found = index
            count += 1
        }
        return count == 1 ? found : nil
    }

    /// The usable keys of a kid; throws why not, where all of its entries are skipped.
    private func keys(named keyID: String) throws(JOSEError) -> [JWK] {
        var found: [JWK] = []
        var failure: JOSEError?
        forEachKey(withID: keyID.utf8.span) { index in
            do throws(JOSEError) {
                found.append(try key(index))
            } catch {
                failure = failure ?? error
            }
        }
        if let failure, found.isEmpty { throw failure }
        return found
    }

    private func key(_ index: Int) throws(JOSEError) -> JWK {
        var key = try storage.key(index)
        key.validatedChain = try trust?.firstChain(index)
        return key
    }

    /// The usable keys as JSON text: members that this library knows, in its own order.
    public func json() -> String {
        JWK.setText(keys(), byteCapacity: 640) { key, writer in key.writePublic(to: &writer) }
    }
}

extension PublicJWKSet: SelectableKeys {
    package var keyCount: Int { storage.records.count }

    package func forEachKey(withID keyID: Span<UInt8>, _ body: (Int) -> Void) {
        storage.forEachKey(withID: keyID, body)
    }

    package func match(_ index: Int, _ query: KeyQuery) -> KeyMatch {
        let match = storage.match(index, query)
        return match == .matches && trust?.rejects(index, query.purpose) == true ? .untrusted : match
    }

    /// Why a key that would do for this was not trusted when the set was read, for the first of
    /// them; nil where there is none.
    package func distrust(_ query: KeyQuery) -> JOSEError? {
        for index in storage.records.indices where match(index, query) == .untrusted {
            if let error = trust?.firstRejection(index) { return error }
        }
        return nil
    }

    /// The `kid` of a key, usable or not.
    func keyID(_ index: Int) -> String? {
        let text = storage.text
        return storage.records[index].keyID.map { JSON.string($0, in: text.span) }
    }

    package func rejection(_ index: Int, _ match: KeyMatch, _ query: KeyQuery) -> JOSEError {
        storage.rejection(index, match, query)
    }

    package func distinct(_ indices: [Int]) throws(JOSEError) -> [Int] {
        try storage.distinct(indices)
    }

    package func labels(_ index: Int) -> KeyLabels {
        let record = storage.records[index]
        return KeyLabels(
            hasUse: record.facts.use != .absent, hasAlgorithm: record.algorithm != nil)
    }
}

extension PublicJWKSet: RedactedDescription {
    package var shownAs: String { "public JWK Set of \(count) keys" }
}
