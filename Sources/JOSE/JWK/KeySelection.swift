// Which key of a set a token gets: one, or an error that says why.

import JOSEBytes

/// What selection needs to know of a collection of keys.
package protocol SelectableKeys {
    var keyCount: Int { get }
    /// Calls `body` with the index of each key of this kid, in order.
    func forEachKey(withID keyID: Span<UInt8>, _ body: (Int) -> Void)
    func fit(_ index: Int, _ query: KeyQuery) -> KeyFit
    /// What a key is called in errors.
    func names(_ index: Int) -> KeyNames
    /// What is said of a key that does not fit.
    func refusal(_ index: Int, _ fit: KeyFit, _ query: KeyQuery) -> JOSEError
    /// The first of each key among several that match; equal entries are one key.
    func distinct(_ indices: [Int]) throws(JOSEError) -> [Int]
    /// What a key says of its use and algorithm, for an error.
    func labels(_ index: Int) -> KeyLabels
}

/// Whether a key says what it is for.
package struct KeyLabels: Sendable {
    let hasUse: Bool
    let hasAlgorithm: Bool

    package init(hasUse: Bool, hasAlgorithm: Bool) {
        self.hasUse = hasUse
        self.hasAlgorithm = hasAlgorithm
    }
}

extension SelectableKeys {
    package func refusal(_ index: Int, _ fit: KeyFit, _ query: KeyQuery) -> JOSEError {
        fit.error(query, names(index))
    }

    package func names(_ index: Int) -> KeyNames { KeyNames([], .none) }

    /// The key of this kid, or an error; never another (RFC 7517, 4.5).
    ///
    /// Keys are told apart by kid, kty, use and alg: exactly one must match. Several are an error
    /// and are not tried in turn. Throws `internal` where nobody could tell of a key whether it
    /// matches: then it might be the one, or a second one.
    package func select(keyID: Span<UInt8>, _ query: KeyQuery) throws(JOSEError) -> Int {
        var first = -1
        var fitting = -1
        var fittingCount = 0
        var named = 0
        var isUnjudged = false
        forEachKey(withID: keyID) { index in
            named += 1
            if first < 0 { first = index }
            let verdict = fit(index, query)
            guard verdict == .fits else {
                if verdict == .unjudged { isUnjudged = true }
                return
            }
            fittingCount += 1
            if fitting < 0 { fitting = index }
        }
        guard named > 0 else {
            throw keyCount == 0
                ? .emptySet
                : .keyNotFound(
                    "no key of the {} in the set has the token's kid", .number(keyCount))
        }
        if named == 1 {
            let verdict = fit(first, query)
            guard verdict == .fits else { throw refusal(first, verdict, query) }
            return first
        }
        guard !isUnjudged else { throw .internalFailure }
        if fittingCount == 1 { return fitting }
        return try selectAmong(keyID, query)
    }

    /// The key that several matching entries of a kid are. Not inlined: one matching key is the
    /// rule.
    @inline(never)
    private func selectAmong(_ keyID: Span<UInt8>, _ query: KeyQuery) throws(JOSEError) -> Int {
        var named: [Int] = []
        forEachKey(withID: keyID) { named.append($0) }
        let fitting = named.filter { fit($0, query) == .fits }
        guard !fitting.isEmpty else { throw noneMatches(named, query, isNamed: true) }
        return try theOne(of: fitting, query, isNamed: true)
    }

    /// The one eligible key where the token names none; throws `internal` as the other.
    package func selectOnly(_ query: KeyQuery) throws(JOSEError) -> Int {
        var found = -1
        var isElsewhere = false
        var several: [Int] = []
        for index in 0..<keyCount {
            let verdict = fit(index, query)
            guard verdict == .fits else {
                guard verdict != .unjudged else { throw .internalFailure }
                if verdict == .notHere { isElsewhere = true }
                continue
            }
            if found < 0 {
                found = index
            } else {
                if several.isEmpty { several.append(found) }
                several.append(index)
            }
        }
        if !several.isEmpty { return try theOne(of: several, query, isNamed: false) }
        guard found >= 0 else {
            guard keyCount > 0 else { throw .emptySet }
            throw isElsewhere ? .notHere : noneMatches(Array(0..<keyCount), query, isNamed: false)
        }
        return found
    }

    /// The key that several matching entries are; an error where they are several keys.
    private func theOne(
        of indices: [Int], _ query: KeyQuery, isNamed: Bool
    ) throws(JOSEError) -> Int {
        let keys = try distinct(indices)
        guard keys.count != 1 else { return keys[0] }
        guard !keys.isEmpty else { throw noneMatches(indices, query, isNamed: isNamed) }
        let labels = keys.map { self.labels($0) }
        let missing: JOSEError.Value =
            switch (labels.allSatisfy(\.hasUse), labels.allSatisfy(\.hasAlgorithm)) {
            case (false, false): "use or alg"
            case (false, true): "use"
            case (true, false): "alg"
            case (true, true): "kid"
            }
        guard isNamed else {
            throw .keyNotFound(
                "the token names no kid and {} keys match {}: it must name one, or their {} must differ",
                .number(keys.count), .name(query.algorithm), missing)
        }
        throw .keyNotFound(
            "{} keys of this kid match {}: their {} must tell them apart", .number(keys.count),
            .name(query.algorithm), missing)
    }

    /// Why none matches: the defect of one that is skipped, where there is one.
    private func noneMatches(_ indices: [Int], _ query: KeyQuery, isNamed: Bool) -> JOSEError {
        for index in indices where fit(index, query) == .defective {
            return JOSEError(.keyNotFound, .key, of: refusal(index, .defective, query))
        }
        return isNamed
            ? .keyNotFound(
                "none of the {} keys of this kid matches {} by kty, use, key_ops and alg",
                .number(indices.count), .name(query.algorithm))
            : .keyNotFound("no key is eligible")
    }
}

extension JOSEError {
    /// Our own set may have been read with keys that were passed over.
    fileprivate static let emptySet = JOSEError.keyNotFound(
        "the key set is empty, or no key in it can be used")
}
