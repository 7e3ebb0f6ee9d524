// A key set without private members: one to publish, or one of another party.

import JOSEBytes
import Synchronization

/// A JWK Set that cannot have a private or symmetric key (RFC 7517, 5).
///
/// Reading checks the format of every key and rejects a set with a private or symmetric member. The
/// costlier checks of a key, and its preparation, happen once at its first use. Copies share the
/// keys.
public struct PublicJWKSet: Sendable {
    package let storage: Storage
    /// The validation of the certificates; nil if none is required and no key came with a validated
    /// chain.
    package let trust: KeyTrust?
    /// Whether newer keys may exist; see `markedStale()`.
    package let isStale: Bool

    /// Creates a set of the public parts of keys.
    ///
    /// The acceleration and each `validatedChain` are kept. Each use of a key checks the purpose
    /// and the validity period of its validated chain. A key without a validated chain is used
    /// without this check.
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

    /// Reads a set that another party published (RFC 7517, 5).
    ///
    /// - Parameters:
    ///   - json: A JWK Set in UTF-8; a byte order mark before it is ignored.
    ///   - limits: Limits on size, count, depth and moduli.
    ///   - certificates: The rule for the certificates of the keys. A key that violates the rule is
    ///     skipped with a reason.
    ///   - now: The time of the validation; the default is the system's clock.
    /// - Throws: `malformed` for text that is not a JSON object, a duplicate member of that object,
    ///   or `keys` that is missing or not an array; `limitExceeded` for a limit of the set;
    ///   `keyUnusable` for a private or symmetric member in any entry, usable or not.
    ///
    /// An entry that cannot be used is skipped and listed in `skipped`, for one of these reasons:
    ///
    /// - It is not a JSON object, or `kty` or another required member is missing.
    /// - A member occurs twice, has the wrong JSON type or is not base64url.
    /// - A number has the wrong size, or the type, curve, `use` or `alg` is unknown.
    /// - A string has half of a surrogate pair, or there are too many levels or values.
    /// - A certificate is for another key; with `.ignore` this is found at the key's first use.
    ///
    /// `null` for an optional member means absent. Zero bytes before `n` and `e` are removed. A
    /// malformed `x5c`, `x5t` or `x5t#S256` is a defect unless `certificates` is `.ignore`.
    ///
    /// Costs about one read of the text, and the validation of the required chains. Finding the key
    /// of a `kid` is one hash lookup; for a token without `kid` every entry is compared.
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
        // Check the size before anything is allocated.
        try JWKDocument.checkSize(json.count, limits, at: .keySet)
        let storage = try Storage(json, limits, text: text)
        self.init(storage, KeyTrust(rule, storage, at: now))
    }

    /// Reads a set from the bytes of JSON text, such as `Data` or an array; see
    /// `init(json:limits:certificates:at:)` over a span. An array is usually kept without a copy.
    public init(
        json: some Collection<UInt8>, limits: JOSELimits = .standard,
        certificates: CertificateRule = .ignore, at now: NumericDate? = nil
    ) throws(JOSEError) {
        try JWKDocument.checkSize(json.count, limits, at: .keySet)
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

    /// Returns the same keys with another rule for their certificates.
    ///
    /// - Parameters:
    ///   - certificates: The new rule. It replaces the current one and the validated chains of keys
    ///     from `init(keys:)`; `.ignore` removes them.
    ///   - now: The time of the validation; the default is the system's clock.
    /// - Throws: Nothing at present: a key that violates the rule, or whose validation fails for
    ///   lack of memory, is skipped with a reason.
    public func withCertificateRule(
        _ certificates: CertificateRule, at now: NumericDate? = nil
    ) throws(JOSEError) -> PublicJWKSet {
        PublicJWKSet(
            storage, KeyTrust(certificates, storage, at: now), isStale: isStale)
    }

    /// Returns the same keys with other implementations, prepared again at first use; see
    /// `JWK.withAcceleration(_:)`.
    public func withAcceleration(_ acceleration: KeyAcceleration) -> PublicJWKSet {
        guard storage.options != acceleration.options else { return self }
        return PublicJWKSet(
            Storage(storage, acceleration.options), trust, isStale: isStale)
    }

    /// Returns the same keys marked as stale: newer ones may exist, but could not be fetched. A key
    /// source returns this in an outage.
    ///
    /// Tokens that these keys verify are accepted. A rejection is final if only one key has the
    /// token's `kid`, or only one of several matches: a new key gets a new `kid` (OpenID Connect
    /// Core, 10.1.1). Otherwise newer keys might verify the token: the error is `unavailable`.
    public func markedStale() -> PublicJWKSet { PublicJWKSet(storage, trust, isStale: true) }

    package func isSame(as other: PublicJWKSet) -> Bool {
        storage === other.storage && trust === other.trust
    }

    /// The number of entries, usable or not.
    public var count: Int { storage.records.count }

    /// Returns the usable keys in the order of the set, with their validated chains, if any. Reads
    /// the keys at each call.
    public func keys() -> [JWK] { storage.records.indices.compactMap { try? key($0) } }

    /// The entries that cannot be used, with the reasons, in the order of the set.
    ///
    /// Some defects are found only at a key's first use: a point off its curve, a modulus with a
    /// small factor; with `.ignore` also a certificate of another key, which `keys()` finds too.
    public var skipped: [SkippedKey] { skipped(atMost: .max).first }

    /// Returns the first `max` skipped entries, each read again for its reason, and the number of
    /// all.
    package func skipped(atMost max: Int) -> (first: [SkippedKey], count: Int) {
        var indices = storage.skippedIndices
        if let untrusted = trust?.failedIndices, !untrusted.isEmpty {
            indices = Set(indices).union(untrusted).sorted()
        }
        let first = indices.prefix(max).compactMap { index in
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

    /// Returns the one usable key with this `use`, and with this `kid` if you pass one.
    ///
    /// - Parameters:
    ///   - use: The required `use`.
    ///   - keyID: The required `kid`; nil if the use alone selects the key.
    /// - Throws: `keyNotFound` unless exactly one key matches; the reason if the entry with this
    ///   `kid` is skipped.
    public func key(use: KeyUse, keyID: String? = nil) throws(JOSEError) -> JWK {
        guard let keyID else { return try keys().only(use: use, keyID: nil) }
        return try key(use, named: keyID)
    }

    /// Returns the one usable key with this `kid`.
    ///
    /// - Throws: As `key(use:keyID:)`.
    public func key(keyID: String) throws(JOSEError) -> JWK { try key(nil, named: keyID) }

    private func key(_ use: KeyUse?, named keyID: String) throws(JOSEError) -> JWK {
        if let index = onlyIndex(named: keyID) {
            let key = try key(index)
            if use == nil || key.use == use { return key }
        }
        return try keys(named: keyID).only(use: use, keyID: keyID)
    }

    private func onlyIndex(named keyID: String) -> Int? {
        var found = -1
        var count = 0
        forEachKey(withID: keyID.utf8.span) { index in
            found = index
            count += 1
        }
        return count == 1 ? found : nil
    }

    /// Returns the usable keys; throws the first reason if all entries with this kid are skipped.
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
        key.validatedChain = try trust?.initialChain(index)
        return key
    }

    /// Returns the usable keys as JSON, with the members that the library knows, in the library's
    /// order.
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
        return match == .matches && trust?.initiallyRejects(index, query.purpose) == true
            ? .untrusted : match
    }

    /// The error of a key that matches the query, but whose certificates were rejected; else nil.
    package func distrust(_ query: KeyQuery) -> JOSEError? {
        for index in storage.records.indices where match(index, query) == .untrusted {
            if let error = trust?.initialRejection(index) { return error }
        }
        return nil
    }

    func keyID(_ index: Int) -> String? {
        let text = storage.text
        return storage.records[index].keyID.map { JSON.string($0, in: text.span) }
    }

    package func rejection(_ index: Int, _ match: KeyMatch, _ query: KeyQuery) -> JOSEError {
        storage.rejection(index, match, query)
    }

    package func names(_ index: Int) -> KeyLabels { storage.names(index) }

    package func distinct(_ indices: [Int]) throws(JOSEError) -> [Int] {
        try storage.distinct(indices)
    }

    package func hasAlgorithm(_ index: Int) -> Bool { storage.records[index].algorithm != nil }
}

extension PublicJWKSet: RedactedDescription {
    package var shownAs: String { "public JWK Set of \(count) keys" }
}
