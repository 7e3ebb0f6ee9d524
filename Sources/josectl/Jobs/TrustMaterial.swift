// Anchors and revocation lists under the names that the user knows, so that a rejection tells which one is meant.

import JOSE

struct TrustMaterial {
    /// A file or value, PEM or DER, and where it came from.
    typealias Entry = (name: String, bytes: [UInt8])

    let anchors: [Entry]
    let lists: [Entry]

    /// A trust store of all.
    func store() throws(JOSEError) -> TrustStore {
        try TrustStore(anchors: anchors.map(\.bytes), revocationLists: lists.map(\.bytes))
    }

    /// The rejection of the store, with the name of what it does not take.
    func rejection(_ error: JOSEError) -> Rejection {
        let entries = error.input?.kind == .anchor ? anchors : lists
        return Rejection(error, naming: entries.map(\.name))
    }
}

extension Rejection {
    /// A rejection that calls one of several inputs by its name instead of its number.
    init(_ error: JOSEError, naming names: [String]) {
        guard let input = error.input, names.indices.contains(input.index) else {
            self.init(error)
            return
        }
        let place = input.block.map { ", number \($0 + 1)" } ?? ""
        self.init(
            error.code, step: error.step.name,
            message: "\(names[input.index])\(place): \(error.reason)")
    }
}
