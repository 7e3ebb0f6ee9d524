// Which key of a set a token gets: one, or a refusal that says why.

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
    /// Whether two keys of one kid also have the same kty and use.
    func isSameSlot(_ a: Int, _ b: Int) -> Bool
}

extension SelectableKeys {
    package func refusal(_ index: Int, _ fit: KeyFit, _ query: KeyQuery) -> JOSEError {
        fit.error(query, names(index))
    }

    package func names(_ index: Int) -> KeyNames { KeyNames([], .none) }

    /// The key of this kid, or a refusal; never another (RFC 7517, 4.5).
    ///
    /// Throws `internal` where nobody could tell of a key whether it fits: then it might be the one, or a second one.
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
        guard fittingCount == 1 else { throw .keyNotFound("no unique key has this kid") }
        var isAmbiguous = false
        forEachKey(withID: keyID) { index in
            if index != fitting, isSameSlot(index, fitting) { isAmbiguous = true }
        }
        guard !isAmbiguous else { throw .keyNotFound("two keys have this kid, kty and use") }
        return fitting
    }

    /// The one eligible key where the token names none; throws `internal` as the other.
    package func selectOnly(_ query: KeyQuery) throws(JOSEError) -> Int {
        var found = -1
        var isElsewhere = false
        for index in 0..<keyCount {
            let verdict = fit(index, query)
            guard verdict == .fits else {
                guard verdict != .unjudged else { throw .internalFailure }
                if verdict == .notHere { isElsewhere = true }
                continue
            }
            guard found < 0 else {
                throw .keyNotFound(
                    "the token names no kid, and several keys of the set are for {}",
                    .name(query.algorithm))
            }
            found = index
        }
        guard found >= 0 else {
            guard keyCount > 0 else { throw .emptySet }
            throw isElsewhere
                ? .notHere
                : .keyNotFound(
                    "the token names no kid, and no key of the {} in the set is for {}",
                    .number(keyCount), .name(query.algorithm))
        }
        return found
    }
}

extension JOSEError {
    /// Our own set may have been read with keys that were passed over.
    fileprivate static let emptySet = JOSEError.keyNotFound(
        "the key set is empty, or no key in it can be used")
}
