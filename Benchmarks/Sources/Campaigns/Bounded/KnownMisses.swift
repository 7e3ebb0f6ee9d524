// Promises that are known to be missed, with what is held instead; docs/security/bounded.md gives the reasons.

extension Bounded {
    struct Miss {
        let family: String
        /// Times the valid input, instead of 2.
        var time = 2.0
        /// Times the input, instead of 4.
        var memory = 4
    }

    static let misses = [
        // Scanned, unescaped to find duplicates, and looked through for a dot.
        Miss(family: "JSON: names in escapes", time: 10),
        Miss(family: "key set: names in escapes", time: 6),
        Miss(family: "claims: names in escapes", time: 4),
        Miss(family: "header: names in escapes", time: 3),
        // Dense JSON takes the scanner five times as long as one long string, which is what a valid token is.
        Miss(family: "JSON: many members", time: 7),
        Miss(family: "JSON: the shortest names", time: 8),
        Miss(family: "JSON: a member twice", time: 5),
        Miss(family: "JSON: names that begin", time: 6),
        Miss(family: "JSON: nesting", time: 3),
        Miss(family: "JSON: many small objects", time: 3),
        Miss(family: "JSON: an array of digits", time: 3),
        // Four bytes of text a value, and a seeded hash for each name.
        Miss(family: "header: the shortest names", time: 3),
        Miss(family: "header: many members", time: 3),
        Miss(family: "claims: the shortest names", time: 3),
        Miss(family: "claims: many members", time: 3),
        Miss(family: "key set: many members", time: 3),
        Miss(family: "key set: the shortest names", time: 3),
        Miss(family: "key set: a member twice", time: 4),
        Miss(family: "key set: surrogate pairs", time: 2.5),
        Miss(family: "key set: one string in escapes", time: 3.5),
        // Names of more than sixteen bytes go to the slower hasher.
        Miss(family: "key set: names that begin", time: 5.5),
        Miss(family: "claims: names that begin", time: 2.5),
        Miss(family: "claims: exp as a long fraction", time: 2.5),
        // Each of sixteen headers is kept as a text and its nodes.
        Miss(family: "JSON: unprotected headers", memory: 7),
    ]

    static func miss(_ family: String) -> Miss? { misses.first { family.hasPrefix($0.family) } }
}
