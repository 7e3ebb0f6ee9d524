// The supported key types: how their keys are read from a JWK, and generated.

package import JOSEBytes
import JOSECrypto

package enum KeyTypeEntry: Sendable {
    case rsa, ec, okp, oct, akp

    package init?(_ kty: JSONNode, in text: Span<UInt8>) {
        switch PackedName(kty, in: text) {
        case "RSA": self = .rsa
        case "EC": self = .ec
        case "OKP": self = .okp
        case "oct": self = .oct
        case "AKP": self = .akp
        default: return nil
        }
    }

    package init?(_ type: KeyType) {
        switch type {
        case .rsa: self = .rsa
        case .ec: self = .ec
        case .okp: self = .okp
        case .oct: self = .oct
        case .akp: self = .akp
        default: return nil
        }
    }

    var hasPublicPart: Bool { self != .oct }

    /// A private key is fully checked; costly checks of a public key wait for its first use.
    package func read(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) throws(KeyDefect) -> any KeyMaterial {
        switch self {
        case .rsa: try RSAKeyMaterial.read(members, text, tree, limits)
        case .ec: try CurveKeyMaterial.read(.ec, members, text, tree)
        case .okp: try CurveKeyMaterial.read(.okp, members, text, tree)
        case .oct: try OctKeyMaterial.read(members, text, tree)
        case .akp: try AKPKeyMaterial.read(members, text, tree)
        }
    }

    func checkPublic(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) throws(KeyDefect) -> KeyKind {
        switch self {
        case .rsa: try RSAKeyMaterial.checkShape(members, text, tree, limits)
        case .ec: return try CurveKeyMaterial.checkShape(.ec, members, text, tree)
        case .okp: return try CurveKeyMaterial.checkShape(.okp, members, text, tree)
        case .oct: throw KeyDefect(.kty, .keyUnusable("a symmetric key has no public part"))
        case .akp: return try AKPKeyMaterial.checkShape(members, text, tree)
        }
        return .rsa
    }

    /// `bits` is used for RSA and symmetric keys only.
    func generate(
        _ kind: KeyKindEntry, bits: Int, in module: CryptoModule
    ) throws(CryptoError) -> any KeyMaterial {
        switch self {
        case .rsa:
            return RSAKeyMaterial(
                try NativeKey.rsaGenerate(bits: bits, in: module), limits: .standard)
        case .ec, .okp:
            guard let curve = kind.curve else { throw .unusableKey }
            return CurveKeyMaterial(try NativeKey.generate(curve.native, in: module), curve)
        case .oct:
            return OctKeyMaterial(try NativeKey.symmetricGenerate(bytes: bits / 8, in: module))
        case .akp:
            guard let set = AKPParameterSet.of(kind.kind) else { throw .unusableKey }
            return AKPKeyMaterial(try NativeKey.generate(set.native, in: module), set)
        }
    }
}
