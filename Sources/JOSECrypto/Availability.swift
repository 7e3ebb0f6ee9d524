// What the installed libcrypto and zlib support. `missing` is the name of what libcrypto lacks, or
// nil. Something counts as missing only if that is certain, not if memory fails.

internal import CJOSECrypto

extension NativeKeyKind {
    /// C ignores the curve of key types without one.
    fileprivate var native: (type: jose_key_type, curve: jose_curve) {
        switch self {
        case .rsa: (.JOSE_KEY_RSA, .JOSE_P256)
        case .curve(let curve): (jose_curve_type(curve.native), curve.native)
        case .symmetric: (.JOSE_KEY_OCT, .JOSE_P256)
        }
    }
}

private func text(_ name: UnsafePointer<CChar>?) -> String? {
    // Safe: C returns a string constant.
    unsafe name.map { unsafe String(cString: $0) }
}

extension NativeCurve {
    package var missing: String? { unsafe text(jose_curve_missing(native)) }
}

extension NativeKeyKind {
    /// Whether libcrypto supports such keys. Always true for RSA and symmetric keys.
    package var isAvailable: Bool {
        if case .curve(let curve) = self { curve.missing == nil } else { true }
    }
}

extension SignatureFamily {
    package func missing(_ hash: HashAlgorithm, with kind: NativeKeyKind) -> String? {
        let key = kind.native
        return unsafe text(jose_signature_missing(native, hash.native, key.type, key.curve))
    }
}

extension KeyManagementFamily {
    package func missing(
        _ hash: HashAlgorithm, wrapBytes: Int, with kind: NativeKeyKind
    ) -> String? {
        let key = kind.native
        var rule = jose_keymgmt_rule(family: native, hash: hash.native, wrap_bytes: wrapBytes)
        return unsafe text(jose_keymgmt_missing(&rule, key.type, key.curve))
    }
}

extension ContentAlgorithm {
    package var missing: String? { unsafe text(jose_content_missing(native)) }
}

extension Deflate {
    /// Whether the installed zlib has the major version that the package was compiled with.
    package static var isAvailable: Bool { jose_deflate_available() }
}
