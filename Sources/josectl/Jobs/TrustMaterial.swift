// Anchors and revocation lists under the names that the user knows, so that a refusal tells which one is meant.

import JOSE

struct TrustMaterial {
    /// A certificate or list, and where it came from.
    typealias Entry = (name: String, der: [UInt8])

    let anchors: [Entry]
    let lists: [Entry]

    /// A trust store of all.
    func store() throws(JOSEError) -> TrustStore {
        try TrustStore(anchors: anchors.map(\.der), revocationLists: lists.map(\.der))
    }

    /// The refusal of the store, with the name of the first that it does not take.
    func refusal(_ error: JOSEError) -> Refusal {
        for entry in anchors {
            do throws(JOSEError) {
                _ = try TrustStore(anchors: [entry.der])
            } catch {
                return named(entry, error)
            }
        }
        for entry in lists {
            do throws(JOSEError) {
                try TrustStore.checkRevocationList(entry.der)
            } catch {
                return named(entry, error)
            }
        }
        return Refusal(error)
    }

    private func named(_ entry: Entry, _ error: JOSEError) -> Refusal {
        Refusal(error.code, step: error.step.name, message: "\(entry.name): \(error.message)")
    }
}
