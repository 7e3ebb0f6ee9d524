// Trust anchors and CRLs with their names, so that an error names the file.

import JOSE

struct TrustMaterial {
    /// The content of a file or of a request member, PEM or DER, with its name.
    typealias Entry = (name: String, bytes: [UInt8])

    let anchors: [Entry]
    let lists: [Entry]

    func store() throws(JOSEError) -> TrustStore {
        try TrustStore(anchors: anchors.map(\.bytes), revocationLists: lists.map(\.bytes))
    }

    func rejection(_ error: JOSEError) -> Rejection {
        let entries = error.input?.kind == .anchor ? anchors : lists
        return Rejection(error, naming: entries.map(\.name))
    }
}

extension Rejection {
    /// Names the wrong input instead of giving its number.
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
