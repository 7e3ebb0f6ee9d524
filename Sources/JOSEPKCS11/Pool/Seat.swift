// Where a token is: the slot that it was found in, looked for anew when it is gone.

import JOSE
import JOSEBytes
import Synchronization

/// One token, by the URI that named it and by what it said of itself when it was opened.
final class Seat: Sendable {
    let module: PKCS11Module
    let login: Login
    private let uri: PKCS11URI
    private struct Place {
        var slot: UInt64?
        var identity: [[UInt8]]?
    }
    private let place = Lock(Place())

    init(_ uri: PKCS11URI, _ module: PKCS11Module, _ login: Login) {
        self.uri = uri
        self.module = module
        self.login = login
    }

    /// The slot of the token: a token that only looks like the one that was opened is another.
    func slot() throws(PKCS11Error) -> UInt64 {
        let (known, identity) = place.withLock { ($0.slot, $0.identity) }
        if let known { return known }
        var found: [(UInt64, TokenFacts)] = []
        for slot in try module.slots() {
            guard let facts = try described(slot), uri.names(facts, in: slot) else { continue }
            if let identity, identity != facts.identity { continue }
            found.append((slot, facts))
        }
        guard let (slot, facts) = found.first else {
            throw .unavailable("there is no PKCS#11 token that the URI names")
        }
        guard found.count == 1 else { throw .rejected("two PKCS#11 tokens match the URI") }
        place.withLock {
            $0.slot = slot
            $0.identity = facts.identity
        }
        return slot
    }

    /// Throws where another token lies in the slot by now: one that was put in leaves no sign but sessions that ended.
    func confirm(_ slot: UInt64) throws(PKCS11Error) {
        let identity = place.withLock { $0.identity }
        guard try module.describe(slot).identity == identity else { throw .gone }
    }

    /// The turn of makers of keys in this token.
    var makingTurn: KeyGenerationLock {
        module.makingTurn(in: place.withLock { $0.identity } ?? [])
    }

    /// The token is looked for anew.
    func forget(_ slot: UInt64) {
        place.withLock { if $0.slot == slot { $0.slot = nil } }
    }

    /// What two seats of one module have to do with each other.
    enum Comparison {
        case one, others
        /// Tokens that say the same of themselves were found in two slots.
        case movedOrTwins
    }

    /// Compares what the tokens said of themselves: a slot alone tells none from the next that is put in. No device is asked.
    func compared(to other: Seat) -> Comparison {
        let (mine, theirs) = (place.withLock { $0 }, other.place.withLock { $0 })
        guard let identity = mine.identity, identity == theirs.identity else { return .others }
        return mine.slot != nil && mine.slot == theirs.slot ? .one : .movedOrTwins
    }

    /// Whether the token of another seat, which says the same of itself, is this one in another slot by now, where that seat
    /// finds it too; else they are two.
    func isMoved(from other: Seat) throws(PKCS11Error) -> Bool {
        let (last, identity) = other.place.withLock { ($0.slot, $0.identity) }
        let slot = try slot()
        if let last, last != slot, try described(last)?.identity == identity { return false }
        guard let facts = try described(slot), facts.identity == identity else { return false }
        return other.uri.names(facts, in: slot)
    }

    /// Whether a URI's words about a token are true of this one.
    func isNamed(by uri: PKCS11URI) throws(PKCS11Error) -> Bool {
        let slot = try slot()
        return uri.names(try module.describe(slot), in: slot)
    }

    /// A slot without a token that can be asked is none of ours.
    private func described(_ slot: UInt64) throws(PKCS11Error) -> TokenFacts? {
        do throws(PKCS11Error) {
            let facts = try module.describe(slot)
            return facts.isInitialised ? facts : nil
        } catch {
            if case .forked = error { throw error }
            return nil
        }
    }
}

extension PKCS11URI {
    fileprivate func names(_ facts: TokenFacts, in slot: UInt64) -> Bool {
        let texts = [
            (token, facts.label), (manufacturer, facts.manufacturer), (model, facts.model),
            (serial, facts.serial), (slotDescription, facts.slotDescription),
            (slotManufacturer, facts.slotManufacturer),
            (libraryDescription, facts.libraryDescription),
            (libraryManufacturer, facts.libraryManufacturer),
            (libraryVersion, facts.libraryVersion),
        ]
        return texts.allSatisfy { wanted, value in wanted == nil || wanted == value }
            && (slotID == nil || slotID == slot)
    }
}
