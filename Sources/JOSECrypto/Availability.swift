// Which rows the libcrypto that runs has. What each takes of it stands in C's tables.
//
// Every question is answered with no only where that is certain: where the machine fails, the row stays, and the call that
// uses it fails.

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

extension NativeCurve {
    /// Whether keys on the curve can be made and imported.
    package var isAvailable: Bool { jose_curve_available(native) }
}

extension NativeKeyKind {
    /// Whether the libcrypto that runs has such keys at all; RSA and symmetric keys are asked about by their algorithms.
    package var isAvailable: Bool {
        if case .curve(let curve) = self { curve.isAvailable } else { true }
    }
}

extension SignatureFamily {
    /// Whether keys of this kind can sign and verify in this way.
    package func isAvailable(_ hash: HashAlgorithm, with kind: NativeKeyKind) -> Bool {
        let key = kind.native
        return jose_signature_available(native, hash.native, key.type, key.curve)
    }
}

extension KeyManagementFamily {
    /// Whether keys of this kind can carry content keys in this way.
    package func isAvailable(
        _ hash: HashAlgorithm, wrapBytes: Int, with kind: NativeKeyKind
    ) -> Bool {
        let key = kind.native
        var rule = jose_keymgmt_rule(family: native, hash: hash.native, wrap_bytes: wrapBytes)
        return unsafe jose_keymgmt_available(&rule, key.type, key.curve)
    }
}

extension ContentAlgorithm {
    /// Whether content can be encrypted and decrypted in this way.
    package var isAvailable: Bool { jose_content_available(native) }
}

extension Deflate {
    /// Whether the zlib that runs is the one that was compiled against.
    package static var isAvailable: Bool { jose_deflate_available() }
}
