// Which slot a token is in, searched again after the token was removed.

import JOSE
import JOSEBytes
import Synchronization

/// A token, named by its URI, and by its identity since it was first found.
final class SlotBinding: Sendable {
    let module: PKCS11Module
    let login: Login
    private let uri: PKCS11URI
    private struct Location {
        var slot: UInt64?
        var identity: [[UInt8]]?
    }
    private let location = Lock(Location())

    init(_ uri: PKCS11URI, _ module: PKCS11Module, _ login: Login) {
        self.uri = uri
        self.module = module
        self.login = login
    }

    /// The slot of the token, searched if unknown. A later search finds only the same identity.
    func slot() throws(PKCS11Error) -> UInt64 {
        let (known, identity) = location.withLock { ($0.slot, $0.identity) }
        if let known { return known }
        var found: [(UInt64, TokenFacts)] = []
        for slot in try module.slots() {
            guard let facts = try described(slot), uri.matches(facts, in: slot) else { continue }
            if let identity, identity != facts.identity { continue }
            found.append((slot, facts))
        }
        guard let (slot, facts) = found.first else {
            throw .unavailable("no PKCS#11 token matches the URI")
        }
        guard found.count == 1 else { throw .rejected("two PKCS#11 tokens match the URI") }
        location.withLock {
            $0.slot = slot
            $0.identity = facts.identity
        }
        return slot
    }

    /// Throws `gone` if another token is in the slot. A module reports an exchange of tokens only
    /// by ending their sessions.
    func confirm(_ slot: UInt64) throws(PKCS11Error) {
        let identity = location.withLock { $0.identity }
        guard try module.describe(slot).identity == identity else { throw .gone }
    }

    var keyGenerationLock: KeyGenerationLock {
        module.keyGenerationLock(in: location.withLock { $0.identity } ?? [])
    }

    /// Lets `slot()` search again.
    func forget(_ slot: UInt64) {
        location.withLock { if $0.slot == slot { $0.slot = nil } }
    }

    enum Comparison {
        case same, different
        /// The identity is the same, but the slots differ or are not known.
        case movedOrTwins
    }

    /// Compares identities, because a slot may get another token. Does not access a device.
    func compared(to other: SlotBinding) -> Comparison {
        let (own, earlier) = (location.withLock { $0 }, other.location.withLock { $0 })
        guard let identity = own.identity, identity == earlier.identity else { return .different }
        return own.slot != nil && own.slot == earlier.slot ? .same : .movedOrTwins
    }

    /// Whether the token of another binding is in this slot now and matches that binding's URI.
    /// False if both slots have such a token: then two tokens have one identity.
    func isMoved(from other: SlotBinding) throws(PKCS11Error) -> Bool {
        let (last, identity) = other.location.withLock { ($0.slot, $0.identity) }
        let slot = try slot()
        if let last, last != slot, try described(last)?.identity == identity { return false }
        guard let facts = try described(slot), facts.identity == identity else { return false }
        return other.uri.matches(facts, in: slot)
    }

    func isNamed(by uri: PKCS11URI) throws(PKCS11Error) -> Bool {
        let slot = try slot()
        return uri.matches(try module.describe(slot), in: slot)
    }

    /// The token in a slot; nil without an initialised, readable token.
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
    fileprivate func matches(_ facts: TokenFacts, in slot: UInt64) -> Bool {
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
