// Which rows the libcrypto that runs has. What each takes of it stands in C's tables.
//
// Something is missing only where that is certain: where the machine fails, the row stays, and the call that uses it fails.

internal import CJOSECrypto

extension NativeKeyKind {
    /// The type and, where it has them, the curve or parameter set.
    fileprivate var native: (type: jose_key_type, curve: jose_curve) {
        switch self {
        case .rsa: (.JOSE_KEY_RSA, .JOSE_P256)
        case .curve(let curve): (jose_curve_type(curve.native), curve.native)
        case .symmetric: (.JOSE_KEY_OCT, .JOSE_P256)
        }
    }
}

/// What libcrypto calls a part of its own; nil for none.
private func text(_ name: UnsafePointer<CChar>?) -> String? {
    // Safe: C gives a text that lives forever.
    unsafe name.map { unsafe String(cString: $0) }
}

extension NativeCurve {
    /// What keys on the curve need that libcrypto does not have, by its name there; nil where they can be made and imported.
    package var missing: String? { unsafe text(jose_curve_missing(native)) }
}

extension NativeKeyKind {
    /// Whether the libcrypto that runs has such keys at all; RSA and symmetric keys are asked about by their algorithms.
    package var isAvailable: Bool {
        if case .curve(let curve) = self { curve.missing == nil } else { true }
    }
}

extension SignatureFamily {
    /// What keys of this kind need to sign and verify in this way that libcrypto does not have; nil where they can.
    package func missing(_ hash: HashAlgorithm, with kind: NativeKeyKind) -> String? {
        let key = kind.native
        return unsafe text(jose_signature_missing(native, hash.native, key.type, key.curve))
    }
}

extension KeyManagementFamily {
    /// What keys of this kind need to carry content keys in this way that libcrypto does not have; nil where they can.
    package func missing(
        _ hash: HashAlgorithm, wrapBytes: Int, with kind: NativeKeyKind
    ) -> String? {
        let key = kind.native
        var rule = jose_keymgmt_rule(family: native, hash: hash.native, wrap_bytes: wrapBytes)
        return unsafe text(jose_keymgmt_missing(&rule, key.type, key.curve))
    }
}

extension ContentAlgorithm {
    /// What libcrypto does not have that content in this way needs; nil where it can be encrypted and decrypted.
    package var missing: String? { unsafe text(jose_content_missing(native)) }
}

extension Deflate {
    /// Whether the zlib that runs is the one that was compiled against.
    package static var isAvailable: Bool { jose_deflate_available() }
}
