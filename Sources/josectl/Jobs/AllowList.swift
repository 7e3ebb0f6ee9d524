// Which algorithms a reader accepts: a list of the caller's, or the recommended rows that fit the key.

import JOSE

/// The names that a reader accepts; nil where the caller gave none.
struct AllowList {
    let names: [String]?

    init(_ names: [String]?) throws {
        guard names?.isEmpty != true else { throw Rejection.misuse("an empty list accepts nothing") }
        self.names = names
    }

    /// The rows of the list; where there is no list, the recommended rows that fit, never more.
    ///
    /// A name that the engine does not have matches no token: the result may be empty. Where no recommended row
    /// fits, all are returned, so that the engine says what is wrong with the key.
    func rows<Row: AlgorithmEntry>(fitting fits: (Row) -> Bool = { _ in true }) -> [Row] {
        guard let names else {
            let fitting = Row.recommended.filter(fits)
            return fitting.isEmpty ? Row.recommended : fitting
        }
        return names.compactMap { Row(name: $0) }
    }
}
