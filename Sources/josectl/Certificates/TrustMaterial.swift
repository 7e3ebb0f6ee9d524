// Trust anchors and revocation lists with their names, so that an error names the file.

import JOSE

/// The anchors and revocation lists of a trust store.
struct TrustMaterial {
    /// The content of a file or value, PEM or DER, with its name.
    typealias Entry = (name: String, bytes: [UInt8])

    let anchors: [Entry]
    let lists: [Entry]

    func store() throws(JOSEError) -> TrustStore {
        try TrustStore(anchors: anchors.map(\.bytes), revocationLists: lists.map(\.bytes))
    }

    /// Returns an error of the store with the name of the input that is wrong.
    func rejection(_ error: JOSEError) -> Rejection {
        let entries = error.input?.kind == .anchor ? anchors : lists
        return Rejection(error, naming: entries.map(\.name))
    }
}

extension Rejection {
    /// Names one of several inputs instead of its number.
    init(_ error: JOSEError, naming names: [String]) {
        guard let input = error.input, names.indices.contains(input.index) else {
            self.init(error)
            return
        }
        let block = input.block.map { ", number \($0 + 1)" } ?? ""
        self.init(
            error.code, step: error.step.name,
            message: "\(names[input.index])\(block): \(error.reason)")
    }
}
