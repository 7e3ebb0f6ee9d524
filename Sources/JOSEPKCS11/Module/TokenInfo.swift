// What slots, tokens and the module report about themselves.

internal import CJOSEPKCS11

struct TokenInfo: Sendable {
    let label, manufacturer, model, serial: [UInt8]
    let slotDescription, slotManufacturer: [UInt8]
    let libraryDescription, libraryManufacturer: [UInt8]
    let libraryVersion: [UInt8]
    let isInitialised, needsLogin, hasKeypad, isCountLow, isFinalTry, isLocked: Bool

    /// What identifies a token in any slot.
    var identity: [[UInt8]] { [label, manufacturer, model, serial] }
}

extension PKCS11Module {
    func slots() throws(PKCS11Error) -> [UInt64] {
        var slots = [UInt64](repeating: 0, count: Int(JOSE_P11_MAX_SLOTS))
        var count = 0
        try check(
            unsafe slots.withUnsafeMutableBufferPointer {
                unsafe jose_p11_slots(pointer, $0.baseAddress, $0.count, &count)
            })
        return Array(slots.prefix(count))
    }

    func describe(_ slot: UInt64) throws(PKCS11Error) -> TokenInfo {
        var token = jose_p11_token()
        try check(unsafe jose_p11_describe(pointer, &token, slot))
        return TokenInfo(
            label: text(token.label), manufacturer: text(token.manufacturer),
            model: text(token.model), serial: text(token.serial),
            slotDescription: text(token.slot_description),
            slotManufacturer: text(token.slot_manufacturer),
            libraryDescription: text(token.library_description),
            libraryManufacturer: text(token.library_manufacturer),
            libraryVersion: [token.library_major, token.library_minor],
            isInitialised: token.is_initialised, needsLogin: token.needs_login,
            hasKeypad: token.has_keypad, isCountLow: token.is_count_low,
            isFinalTry: token.is_final_try, isLocked: token.is_locked)
    }

    /// Copies a C array of bytes without trailing spaces and NULs.
    private func text<T>(_ field: T) -> [UInt8] {
        // Safe: T is an array of bytes, all of them initialised.
        var bytes = unsafe withUnsafeBytes(of: field) { unsafe [UInt8]($0) }
        while bytes.last == 0x20 || bytes.last == 0 { bytes.removeLast() }
        return bytes
    }
}
