// The keys that the options of `keys new` describe.

import JOSE
import JOSEBytes
import JOSEPKCS11

struct KeySpecification {
    /// `bits` is 0 if keys of the kind have one size.
    fileprivate struct Recipe {
        let kind: KeyKind
        var bits = 0
    }
    private let use: KeyUse
    private let algorithm: String
    private let keyID: String?
    private let recipe: Recipe

    var isSecret: Bool { recipe.kind == .oct }

    func generate() throws -> JWK {
        try JWK.generate(
            recipe.kind, bits: recipe.bits, keyID: keyID, use: use,
            algorithm: JOSEAlgorithm(name: algorithm))
    }

    func generate(
        in token: PKCS11Token, label: String, id: [UInt8]?
    ) async throws -> PKCS11Key {
        let kind: PKCS11KeyKind
        if recipe.kind == .rsa {
            kind = .rsa(bits: recipe.bits)
        } else if let curve = recipe.kind.entries.first?.curve {
            kind = .curve(curve)
        } else {
            throw UsageError("a token generates RSA keys and keys on curves only")
        }
        return try await token.makeKey(
            kind, use: use, label: label, id: id, timeout: ExternalKeys.timeout)
    }

    /// The keys that the options describe, the signing key first.
    static func all(_ line: ParsedCommandLine) throws -> [KeySpecification] {
        let options = try KindOptions(line)
        let algorithms = try line.all("alg").map { try KeyAlgorithm($0) }
        let uses = try uses(line["use"], algorithms, options)
        guard Set(algorithms.map(\.use)).count == algorithms.count else {
            throw UsageError("--alg has two algorithms for the same use")
        }
        guard algorithms.map(\.use).allSatisfy(uses.contains) else {
            throw UsageError("--alg does not match --use")
        }
        let keyIDs = line.all("kid")
        guard keyIDs.isEmpty || keyIDs.count == uses.count else {
            throw UsageError("--kid must be given once for each of the \(uses.count) keys")
        }
        return try uses.enumerated().map { index, use in
            guard
                let algorithm = try algorithms.first(where: { $0.use == use })
                    ?? options.defaultAlgorithm(use)
            else {
                throw UsageError(
                    options.unavailability(use)
                        ?? "no available algorithm for \(use.name) uses such a key")
            }
            return KeySpecification(
                use: use, algorithm: algorithm.name,
                keyID: keyIDs.isEmpty ? nil : keyIDs[index], recipe: try options.recipe(algorithm))
        }
    }

    private static func uses(
        _ name: String?, _ algorithms: [KeyAlgorithm], _ options: KindOptions
    ) throws -> [KeyUse] {
        switch name {
        case "sig": return [.signature]
        case "enc": return [.encryption]
        case nil where algorithms.count == 1: return algorithms.map(\.use)
        case nil where algorithms.isEmpty:
            // Some curves have one use only.
            let possible = try [KeyUse.signature, .encryption].filter {
                try options.defaultAlgorithm($0) != nil
            }
            return possible.isEmpty ? [.signature, .encryption] : possible
        default: return [.signature, .encryption]
        }
    }
}

private struct KeyAlgorithm {
    let name: String
    let use: KeyUse
    let kinds: KeyKind
    let size: SymmetricKeySize?

    init(_ name: String) throws {
        guard let algorithm = KeyAlgorithm(known: name) else {
            if let reason = SignatureAlgorithm.unavailability(of: name)
                ?? KeyManagementAlgorithm.unavailability(of: name)
            {
                throw UsageError("--alg '\(printable(name))': \(reason)")
            }
            let known =
                SignatureAlgorithm.all.map(\.description)
                + KeyManagementAlgorithm.all.map(\.description)
            throw UsageError(
                "--alg '\(printable(name))' is unknown; use one of "
                    + known.joined(separator: ", "))
        }
        self = algorithm
    }

    init?(known name: String) {
        if let algorithm = SignatureAlgorithm(name: name) {
            (use, kinds, size) = (.signature, algorithm.kinds, algorithm.symmetricKeyBytes)
        } else if let algorithm = KeyManagementAlgorithm(name: name) {
            (use, kinds, size) = (.encryption, algorithm.kinds, algorithm.symmetricKeyBytes)
        } else {
            return nil
        }
        self.name = name
    }
}

private struct KindOptions {
    private let type: KeyType?
    private let curve: JWKCurve?
    private let bits: Int?
    /// Whether neither type nor curve is given. Then the algorithm decides; the default is RSA.
    private let isDefault: Bool

    /// A curve's default signature algorithm is not here: it is the one that uses only this curve.
    private static let defaults: [(kind: KeyKind, use: KeyUse, algorithm: String)] = [
        (.rsa, .signature, "RS256"), (.rsa, .encryption, "RSA-OAEP-256"),
        (.oct, .signature, "HS256"), (.oct, .encryption, "A256KW"),
    ]

    init(_ line: ParsedCommandLine) throws {
        curve = try line["curve"].map { name in
            guard let curve = JWKCurve(name: name) else {
                let known = JWKCurve.all.map(\.name).joined(separator: ", ")
                throw UsageError("--curve must be one of \(known)")
            }
            return curve
        }
        let named = line["type"].flatMap { KeyType(name: $0) }
        guard named == nil || curve == nil || named == curve?.keyType else {
            throw UsageError("--curve and --type do not match")
        }
        type = named ?? curve?.keyType
        isDefault = type == nil
        bits = try line.integer("bits", 128...8_192)
        guard (bits ?? 0) % 8 == 0 else { throw UsageError("--bits must be a multiple of 8") }
    }

    private var kinds: [KeyKind] {
        if let curve { return [KeyKind(curve)] }
        switch type {
        case nil, KeyType.rsa?: return [.rsa]
        case KeyType.oct?: return [.oct]
        case let type:
            return KeyKindEntry.entries.filter { $0.type == type && $0.isAvailable }.map(\.kind)
        }
    }

    /// Why the first algorithm for keys of `type` is unavailable; nil if it is available.
    func unavailability(_ use: KeyUse) -> String? {
        let kinds = KeyKind(KeyKindEntry.entries.filter { $0.type == type }.map(\.kind))
        return use == .signature
            ? SignatureAlgorithm.unavailability { !$0.kinds.isDisjoint(with: kinds) }
            : KeyManagementAlgorithm.unavailability { !$0.kinds.isDisjoint(with: kinds) }
    }

    func defaultAlgorithm(_ use: KeyUse) throws -> KeyAlgorithm? {
        for kind in kinds {
            let name =
                KindOptions.defaults.first { $0.kind == kind && $0.use == use }?.algorithm
                ?? (use == .signature
                    ? SignatureAlgorithm.all.first { $0.kinds == kind }?.description
                    : "ECDH-ES+A256KW")
            if let algorithm = name.flatMap(KeyAlgorithm.init(known:)),
                algorithm.kinds.contains(kind)
            {
                return algorithm
            }
        }
        return nil
    }

    func recipe(_ algorithm: KeyAlgorithm) throws -> KeySpecification.Recipe {
        let matching =
            isDefault ? algorithm.kinds : algorithm.kinds.intersection(KeyKind(kinds))
        if matching.contains(.rsa) {
            let bits = bits ?? 2_048
            guard bits >= 2_048 else {
                throw UsageError("--bits of an RSA key must be 2048 to 8192")
            }
            return KeySpecification.Recipe(kind: .rsa, bits: bits)
        }
        if matching.contains(.oct) {
            return KeySpecification.Recipe(kind: .oct, bits: try secretBits(algorithm))
        }
        guard let entry = matching.entries.first(where: \.isAvailable) else {
            throw UsageError("\(algorithm.name) does not use such a key")
        }
        guard bits == nil else { throw UsageError("--bits is for RSA and symmetric keys only") }
        return KeySpecification.Recipe(kind: entry.kind)
    }

    private func secretBits(_ algorithm: KeyAlgorithm) throws -> Int {
        let smallest: Int =
            switch algorithm.size {
            case .exactly(let bytes), .atLeast(let bytes): bytes * 8
            case .byContent, nil: 256
            }
        let bits = bits ?? smallest
        guard algorithm.size?.allows(bits / 8) ?? true, bits <= 4_096 else {
            throw UsageError("\(algorithm.name) does not use a key of \(bits) bits")
        }
        return bits
    }
}
