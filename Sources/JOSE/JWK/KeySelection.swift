// Selects the one key of a set for a token, or throws the reason why there is none.

import JOSEBytes

package protocol SelectableKeys {
    var keyCount: Int { get }
    /// Calls `body` in the order of the set.
    func forEachKey(withID keyID: Span<UInt8>, _ body: (Int) -> Void)
    func match(_ index: Int, _ query: KeyQuery) -> KeyMatch
    func names(_ index: Int) -> KeyLabels
    func rejection(_ index: Int, _ match: KeyMatch, _ query: KeyQuery) -> JOSEError
    /// Removes the indices of entries that equal an earlier one, and of those found to be unusable.
    func distinct(_ indices: [Int]) throws(JOSEError) -> [Int]
    func hasAlgorithm(_ index: Int) -> Bool
}

extension SelectableKeys {
    package func rejection(_ index: Int, _ match: KeyMatch, _ query: KeyQuery) -> JOSEError {
        match.error(query, names(index))
    }

    /// Returns the index of the one key that matches by kid, kty, use, key_ops and alg; never tries
    /// several (RFC 7517, 4.5). Throws `internal` if several keys have the kid and the match of one
    /// of them is undetermined: that key might be the only match or a second one.
    package func select(keyID: Span<UInt8>, _ query: KeyQuery) throws(JOSEError) -> Int {
        var first = -1
        var found = -1
        var matchingCount = 0
        var namedCount = 0
        var isUndetermined = false
        forEachKey(withID: keyID) { index in
            namedCount += 1
            if first < 0 { first = index }
            let match = match(index, query)
            guard match == .matches else {
                if match == .undetermined { isUndetermined = true }
                return
            }
            matchingCount += 1
            if found < 0 { found = index }
        }
        guard namedCount > 0 else {
            throw keyCount == 0
                ? .emptySet
                : .keyNotFound(
                    "no key in the set ({} in total) has the token's kid", .number(keyCount))
        }
        if namedCount == 1 {
            let match = match(first, query)
            guard match == .matches else { throw rejection(first, match, query) }
            return first
        }
        guard !isUndetermined else { throw .internalFailure }
        if matchingCount == 1 { return found }
        return try selectAmong(keyID, query)
    }

    /// Throws unless all matching entries are the same key. Not inlined: it is rarely called.
    @inline(never)
    private func selectAmong(_ keyID: Span<UInt8>, _ query: KeyQuery) throws(JOSEError) -> Int {
        var named: [Int] = []
        forEachKey(withID: keyID) { named.append($0) }
        let matching = named.filter { match($0, query) == .matches }
        guard !matching.isEmpty else { throw noneMatches(named, query, isNamed: true) }
        return try uniqueKey(of: matching, query, isNamed: true)
    }

    /// Selects a key for a token without kid. All keys are candidates; see `select(keyID:_:)`.
    package func selectOnly(_ query: KeyQuery) throws(JOSEError) -> Int {
        var found = -1
        var isUnsupported = false
        var several: [Int] = []
        for index in 0..<keyCount {
            let match = match(index, query)
            guard match == .matches else {
                guard match != .undetermined else { throw .internalFailure }
                if match == .unsupportedByProvider { isUnsupported = true }
                continue
            }
            if found < 0 {
                found = index
            } else {
                if several.isEmpty { several.append(found) }
                several.append(index)
            }
        }
        if !several.isEmpty { return try uniqueKey(of: several, query, isNamed: false) }
        guard found >= 0 else {
            guard keyCount > 0 else { throw .emptySet }
            throw isUnsupported
                ? .unsupportedByProvider
                : noneMatches(Array(0..<keyCount), query, isNamed: false)
        }
        return found
    }

    private func uniqueKey(
        of indices: [Int], _ query: KeyQuery, isNamed: Bool
    ) throws(JOSEError) -> Int {
        let keys = try distinct(indices)
        guard keys.count != 1 else { return keys[0] }
        guard !keys.isEmpty else { throw noneMatches(indices, query, isNamed: isNamed) }
        // All of them match one algorithm. If each names it in `alg`, only a kid can distinguish
        // them; otherwise an `alg` for each key can too.
        let haveAlgorithm = keys.allSatisfy { hasAlgorithm($0) }
        let count = JOSEError.Value.number(keys.count)
        let algorithm = JOSEError.Value.name(query.algorithm)
        guard isNamed else {
            throw haveAlgorithm
                ? .keyNotFound(
                    "the token names no kid and {} keys match {}: it must name the kid of one",
                    count, algorithm)
                : .keyNotFound(
                    """
                    the token names no kid and {} keys match {}: it must name the kid of one, or \
                    each key needs its own alg
                    """,
                    count, algorithm)
        }
        throw haveAlgorithm
            ? .keyNotFound(
                "{} keys of this kid match {}: each key needs its own kid", count, algorithm)
            : .keyNotFound(
                "{} keys of this kid match {}: each key needs its own kid or its own alg",
                count, algorithm)
    }

    /// The error if none of these entries matches, or each that matches has a defect.
    private func noneMatches(_ indices: [Int], _ query: KeyQuery, isNamed: Bool) -> JOSEError {
        if let index = indices.first, indices.count == 1 {
            let match = match(index, query)
            if match != .matches {
                return JOSEError(.keyNotFound, .key, of: rejection(index, match, query))
            }
        }
        let defectiveCount = indices.filter { match($0, query) == .defective }.count
        let count = JOSEError.Value.number(indices.count)
        let algorithm = JOSEError.Value.name(query.algorithm)
        switch defectiveCount {
        case 0:
            return .keyNotFound(
                "none of the {} {} matches {} by kty, use, key_ops and alg", count,
                isNamed ? "keys of this kid" : "keys", algorithm)
        case indices.count:
            return .keyNotFound(
                "all {} entries of {} are skipped: none of them can be used", count,
                isNamed ? "this kid" : "the key set")
        default:
            return .keyNotFound(
                isNamed
                    ? "none of the {} keys of this kid matches {}; {} of them cannot be used"
                    : "none of the {} keys of the set matches {}; {} of them cannot be used",
                count, algorithm, .number(defectiveCount))
        }
    }
}

extension JOSEError {
    /// Also for a `JWKSet` whose entries were all skipped: its `keyCount` has only usable keys.
    fileprivate static let emptySet = JOSEError.keyNotFound(
        "the key set is empty, or no key in it can be used")
}
