// Which slot a token is in, searched again after the token was removed.

import JOSE
import JOSEBytes
import Synchronization

/// A token, known by its URI, and by its identity too after `slot()` first found it.
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
        var found: [(UInt64, TokenInfo)] = []
        for slot in try module.slots() {
            guard let info = try described(slot), uri.matches(info, in: slot) else { continue }
            if let identity, identity != info.identity { continue }
            found.append((slot, info))
        }
        guard let (slot, info) = found.first else {
            throw .unavailable("no PKCS#11 token matches the URI")
        }
        guard found.count == 1 else { throw .rejected("two PKCS#11 tokens match the URI") }
        location.withLock {
            $0.slot = slot
            $0.identity = info.identity
        }
        return slot
    }

    /// Throws `gone` if another token is in the slot.
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
        /// Same identity, but the slots differ or are unknown: one token that moved, or two tokens.
        case undetermined
    }

    /// Compares identities, because a slot may get another token. Does not access a device.
    func compared(to other: SlotBinding) -> Comparison {
        let (here, there) = (location.withLock { $0 }, other.location.withLock { $0 })
        guard let identity = here.identity, identity == there.identity else { return .different }
        return here.slot != nil && here.slot == there.slot ? .same : .undetermined
    }

    /// Whether the token of `other` is now in this binding's slot and matches the URI of `other`.
    /// False if the last slot of `other` differs and still has a token of the same identity.
    func isMoved(from other: SlotBinding) throws(PKCS11Error) -> Bool {
        let (last, identity) = other.location.withLock { ($0.slot, $0.identity) }
        let slot = try slot()
        if let last, last != slot, try described(last)?.identity == identity { return false }
        guard let info = try described(slot), info.identity == identity else { return false }
        return other.uri.matches(info, in: slot)
    }

    func isNamed(by uri: PKCS11URI) throws(PKCS11Error) -> Bool {
        let slot = try slot()
        return uri.matches(try module.describe(slot), in: slot)
    }

    /// The token in a slot; nil without an initialised, readable token.
    private func described(_ slot: UInt64) throws(PKCS11Error) -> TokenInfo? {
        do throws(PKCS11Error) {
            let info = try module.describe(slot)
            return info.isInitialised ? info : nil
        } catch {
            if case .forked = error { throw error }
            return nil
        }
    }
}

extension PKCS11URI {
    fileprivate func matches(_ info: TokenInfo, in slot: UInt64) -> Bool {
        let texts = [
            (token, info.label), (manufacturer, info.manufacturer), (model, info.model),
            (serial, info.serial), (slotDescription, info.slotDescription),
            (slotManufacturer, info.slotManufacturer),
            (libraryDescription, info.libraryDescription),
            (libraryManufacturer, info.libraryManufacturer),
            (libraryVersion, info.libraryVersion),
        ]
        return texts.allSatisfy { wanted, value in wanted == nil || wanted == value }
            && (slotID == nil || slotID == slot)
    }
}
