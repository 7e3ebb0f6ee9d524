// What keys new makes: the algorithm decides, the options choose where it leaves a choice.

import JOSE
import JOSEBytes
import JOSEPKCS11

/// A key to make.
struct KeyPlan {
    /// What is made: a kind, and the size where its type has sizes.
    private struct Recipe {
        let kind: KeyKind
        var bits = 0
    }
    private let use: KeyUse
    private let algorithm: String
    private let keyID: String?
    private let recipe: Recipe

    var isSecret: Bool { recipe.kind == .oct }

    func make() throws -> JWK {
        try JWK.generate(
            recipe.kind, bits: recipe.bits, keyID: keyID, use: use,
            algorithm: JOSEAlgorithm(name: algorithm))
    }

    /// Makes the key in a token, under this label and id.
    func make(in token: PKCS11Token, label: String, id: [UInt8]?) async throws -> PKCS11Key {
        let kind: PKCS11KeyKind
        if recipe.kind == .rsa {
            kind = .rsa(bits: recipe.bits)
        } else if let curve = recipe.kind.rows.first?.curve {
            kind = .curve(curve)
        } else {
            throw UsageError("a token makes RSA keys and keys on curves")
        }
        return try await token.makeKey(
            kind, use: use, label: label, id: id, timeout: ExternalKeys.patience)
    }

    /// The keys that the options ask for, the signing key first.
    static func all(_ line: ParsedLine) throws -> [KeyPlan] {
        let wanted = try WantedKind(line)
        let rows = try line.all("alg").map { try Row($0) }
        let uses = try uses(line["use"], rows, wanted)
        guard Set(rows.map(\.use)).count == rows.count else {
            throw UsageError("--alg names two algorithms for the same use")
        }
        guard rows.map(\.use).allSatisfy(uses.contains) else {
            throw UsageError("--alg names an algorithm for another use than --use")
        }
        let keyIDs = line.all("kid")
        guard keyIDs.isEmpty || keyIDs.count == uses.count else {
            throw UsageError("give --kid once for each key: \(uses.count)")
        }
        return try uses.enumerated().map { index, use in
            guard let row = try rows.first(where: { $0.use == use }) ?? wanted.usual(use) else {
                throw UsageError(
                    wanted.absence(use) ?? "no algorithm here takes such a key for \(use.name)")
            }
            return KeyPlan(
                use: use, algorithm: row.name, keyID: keyIDs.isEmpty ? nil : keyIDs[index],
                recipe: try wanted.recipe(row))
        }
    }

    private static func uses(
        _ word: String?, _ rows: [Row], _ wanted: WantedKind
    ) throws -> [KeyUse] {
        switch word {
        case "sig": return [.signature]
        case "enc": return [.encryption]
        case nil where rows.count == 1: return rows.map(\.use)
        case nil:
            // A curve may be good for one use alone.
            let able = try [KeyUse.signature, .encryption].filter { try wanted.usual($0) != nil }
            guard rows.isEmpty, !able.isEmpty else { return [.signature, .encryption] }
            return able
        default: return [.signature, .encryption]
        }
    }

    /// A row of either table.
    private struct Row {
        let name: String
        let use: KeyUse
        let kinds: KeyKind
        let size: SymmetricKeySize?

        init(_ name: String) throws {
            guard let row = Row(known: name) else {
                if let absence = SignatureAlgorithm.absence(of: name)
                    ?? KeyManagementAlgorithm.absence(of: name)
                {
                    throw UsageError("--alg '\(printable(name))': \(absence)")
                }
                let known =
                    SignatureAlgorithm.all.map(\.description)
                    + KeyManagementAlgorithm.all.map(\.description)
                throw UsageError(
                    "--alg '\(printable(name))': known are \(known.joined(separator: ", "))")
            }
            self = row
        }

        init?(known name: String) {
            if let row = SignatureAlgorithm(name: name) {
                (use, kinds, size) = (.signature, row.kinds, row.symmetricKeyBytes)
            } else if let row = KeyManagementAlgorithm(name: name) {
                (use, kinds, size) = (.encryption, row.kinds, row.symmetricKeyBytes)
            } else {
                return nil
            }
            self.name = name
        }
    }

    /// What --type, --curve and --bits say.
    private struct WantedKind {
        private let type: KeyType?
        private let curve: JWKCurve?
        private let bits: Int?
        /// Whether an RSA key is meant where nothing is said.
        private let isFree: Bool

        /// The usual algorithm of each kind; that of a curve for signatures is the row that knows it alone.
        private static let usual: [(kind: KeyKind, use: KeyUse, algorithm: String)] = [
            (.rsa, .signature, "RS256"), (.rsa, .encryption, "RSA-OAEP-256"),
            (.oct, .signature, "HS256"), (.oct, .encryption, "A256KW"),
        ]
        private static let agreement = "ECDH-ES+A256KW"

        init(_ line: ParsedLine) throws {
            curve = try line["curve"].map { name in
                guard let curve = JWKCurve(name: name) else {
                    let known = JWKCurve.all.map(\.name).joined(separator: ", ")
                    throw UsageError("--curve is one of \(known)")
                }
                return curve
            }
            let named = line["type"].flatMap { KeyType(name: $0) }
            guard named == nil || curve == nil || named == curve?.keyType else {
                throw UsageError("--curve and --type do not fit each other")
            }
            type = named ?? curve?.keyType
            isFree = type == nil
            bits = try line.integer("bits", 128...8_192)
            guard (bits ?? 0) % 8 == 0 else { throw UsageError("--bits is a multiple of 8") }
        }

        /// The kinds that the options leave.
        private var kinds: [KeyKind] {
            if let curve { return [KeyKind(curve)] }
            switch type {
            case nil, KeyType.rsa?: return [.rsa]
            case KeyType.oct?: return [.oct]
            case let type:
                return KeyKindEntry.rows.filter { $0.type == type && $0.isAvailable }
                    .map(\.kind)
            }
        }

        /// What is missing here for the first algorithm of such keys; nil where nothing is.
        func absence(_ use: KeyUse) -> String? {
            let kinds = KeyKind(KeyKindEntry.rows.filter { $0.type == type }.map(\.kind))
            return use == .signature
                ? SignatureAlgorithm.absence { !$0.kinds.isDisjoint(with: kinds) }
                : KeyManagementAlgorithm.absence { !$0.kinds.isDisjoint(with: kinds) }
        }

        func usual(_ use: KeyUse) throws -> Row? {
            for kind in kinds {
                let name =
                    WantedKind.usual.first { $0.kind == kind && $0.use == use }?.algorithm
                    ?? (use == .signature
                        ? SignatureAlgorithm.all.first { $0.kinds == kind }?.description
                        : WantedKind.agreement)
                if let row = name.flatMap(Row.init(known:)), row.kinds.contains(kind) {
                    return row
                }
            }
            return nil
        }

        func recipe(_ row: Row) throws -> Recipe {
            let fitting = isFree ? row.kinds : row.kinds.intersection(KeyKind(kinds))
            if fitting.contains(.rsa) {
                let bits = bits ?? 2_048
                guard bits >= 2_048 else {
                    throw UsageError("--bits of an RSA key is 2048 to 8192")
                }
                return Recipe(kind: .rsa, bits: bits)
            }
            if fitting.contains(.oct) { return Recipe(kind: .oct, bits: try secretBits(row)) }
            guard let found = fitting.rows.first(where: \.isAvailable) else {
                throw UsageError("\(row.name) does not work with such a key")
            }
            guard bits == nil else { throw UsageError("--bits has no meaning for such a key") }
            return Recipe(kind: found.kind)
        }

        private func secretBits(_ row: Row) throws -> Int {
            let smallest: Int =
                switch row.size {
                case .exactly(let bytes), .atLeast(let bytes): bytes * 8
                case .byContent, nil: 256
                }
            let bits = bits ?? smallest
            guard row.size?.allows(bits / 8) ?? true, bits <= 4_096 else {
                throw UsageError("\(row.name) does not take a key of \(bits) bits")
            }
            return bits
        }
    }
}
