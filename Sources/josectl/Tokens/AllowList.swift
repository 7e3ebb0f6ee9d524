// The algorithms that a reader accepts: a given list, or the recommended ones for the key.

import JOSE

/// The names of the accepted algorithms; nil for the recommended ones.
struct AllowList {
    let names: [String]?

    init(_ names: [String]?) throws {
        guard names?.isEmpty != true else {
            throw Rejection.misuse("the list of accepted algorithms is empty")
        }
        self.names = names
    }

    /// Without a list, returns the recommended algorithms that match. If none matches, returns all
    /// recommended ones, so that the library reports what is wrong with the key. Omits unknown
    /// names: a token with one is rejected anyway.
    func algorithms<Algorithm: AlgorithmEntry>(
        matching matches: (Algorithm) -> Bool = { _ in true }
    ) -> [Algorithm] {
        guard let names else {
            let matching = Algorithm.recommended.filter(matches)
            return matching.isEmpty ? Algorithm.recommended : matching
        }
        return names.compactMap { Algorithm(name: $0) }
    }
}
