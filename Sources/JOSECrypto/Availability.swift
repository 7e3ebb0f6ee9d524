// What the installed libcrypto supports; the tables in C have the requirements of each algorithm.
//
// A part counts as missing only if that is certain. If memory fails, the algorithm stays available,
// and the call that uses it fails.

internal import CJOSECrypto

extension NativeKeyKind {
    /// The key type and its curve or parameter set; P-256 for types without one, which C ignores.
    fileprivate var native: (type: jose_key_type, curve: jose_curve) {
        switch self {
        case .rsa: (.JOSE_KEY_RSA, .JOSE_P256)
        case .curve(let curve): (jose_curve_type(curve.native), curve.native)
        case .symmetric: (.JOSE_KEY_OCT, .JOSE_P256)
        }
    }
}

/// Converts a constant name of C; nil for NULL.
private func text(_ name: UnsafePointer<CChar>?) -> String? {
    // Safe: C returns a string constant.
    unsafe name.map { unsafe String(cString: $0) }
}

extension NativeCurve {
    /// The name of what libcrypto lacks for keys on this curve; nil if nothing is missing.
    package var missing: String? { unsafe text(jose_curve_missing(native)) }
}

extension NativeKeyKind {
    /// Whether libcrypto supports such keys. True for RSA and symmetric keys: only an algorithm
    /// that uses them can be missing.
    package var isAvailable: Bool {
        if case .curve(let curve) = self { curve.missing == nil } else { true }
    }
}

extension SignatureFamily {
    /// Returns the name of what libcrypto lacks for such signatures; nil if nothing is missing.
    package func missing(_ hash: HashAlgorithm, with kind: NativeKeyKind) -> String? {
        let key = kind.native
        return unsafe text(jose_signature_missing(native, hash.native, key.type, key.curve))
    }
}

extension KeyManagementFamily {
    /// Returns the name of what libcrypto lacks for such key management; nil if nothing is missing.
    package func missing(
        _ hash: HashAlgorithm, wrapBytes: Int, with kind: NativeKeyKind
    ) -> String? {
        let key = kind.native
        var rule = jose_keymgmt_rule(family: native, hash: hash.native, wrap_bytes: wrapBytes)
        return unsafe text(jose_keymgmt_missing(&rule, key.type, key.curve))
    }
}

extension ContentAlgorithm {
    /// The name of what libcrypto lacks for the algorithm; nil if nothing is missing.
    package var missing: String? { unsafe text(jose_content_missing(native)) }
}

extension Deflate {
    /// Whether the installed zlib has the version that the package was compiled with.
    package static var isAvailable: Bool { jose_deflate_available() }
}
