// josectl keys new: key pairs as JWK Sets.

import JOSE
import JOSEBytes

extension Command {
    static let keysNew = Command(
        name: "keys new",
        summary: "make a signing key, an encryption key, or one of each",
        details: """
            The private set is written with mode 0600. The public set goes to --public or, without it,
            to standard output.
            """,
        options: [
            .value("use", "USE", "sig, enc or both (default: what --alg is for, else both)"),
            .value("alg", "NAME", "the algorithm of the key; once for each use", repeats: true),
            .value("bits", "N", "size of an RSA modulus, 2048 to 8192 (default 2048)"),
            .value("kid", "KID", "the kid (default: RFC 7638 thumbprint)", repeats: true),
            .value("out", "FILE", "where the private set goes; - prints it"),
            .value("public", "FILE", "where the public set goes"),
            .force,
        ],
        example: "josectl keys new --use both --out private.jwks --public public.jwks"
    ) { invocation in
        let line = invocation.line
        let out = try line.required("out")
        let bits = try line.integer("bits", 2_048...8_192) ?? 2_048
        guard bits % 8 == 0 else { throw UsageError("--bits is a multiple of 8") }
        let plans = try KeyPlan.all(invocation)
        if bits > 3_072, Descriptor.error.isTerminal {
            invocation.output.note("making RSA keys of \(bits) bits takes a while")
        }
        let set = JWKSet(try plans.map { try $0.make(bits: bits) })
        try writeNew(set, private: out, public: line["public"], invocation)
        return .accepted
    }

    private static func writeNew(
        _ set: JWKSet, private out: String, public published: String?, _ invocation: Invocation
    ) throws {
        let secret = Array(try set.privateJSON().utf8) + [0x0a]
        let open = Array(try set.publicKeys.json().utf8) + [0x0a]
        let force = invocation.line.has("force")
        if out == "-" {
            guard published != nil else {
                throw UsageError("--out - prints the private set: give --public a file")
            }
            if let published {
                try PendingFile(open, at: published, .open, replaces: force).commit()
            }
            try Descriptor.output.write(secret)
            return
        }
        // Both are written before either is moved to its place.
        let secretFile = try PendingFile(secret, at: out, .secret, replaces: force)
        if let published, published != "-" {
            let openFile = try PendingFile(open, at: published, .open, replaces: force)
            try secretFile.commit()
            do {
                try openFile.commit()
            } catch {
                PendingFile.remove(out)
                throw error
            }
            try say(set, invocation.output)
        } else {
            try secretFile.commit()
            try Descriptor.output.write(open)
        }
    }

    private static func say(_ set: JWKSet, _ output: Output) throws {
        guard !output.isJSON else {
            try Descriptor.output.write(try Output.json { $0.keyList(set) })
            return
        }
        for key in set.keys {
            let (algorithm, keyID) = (key.algorithm ?? "", printable(key.keyID ?? ""))
            try output.line("\(algorithm) \(key.sizeBits) bits, kid \(keyID)")
        }
    }
}

/// A key to make.
private struct KeyPlan {
    let use: KeyUse
    let algorithm: String
    let keyID: String?

    func make(bits: Int) throws -> JWK {
        try JWK.generate(rsaBits: bits, keyID: keyID, use: use, algorithm: algorithm)
    }

    /// The keys that the options ask for, the signing key first.
    static func all(_ invocation: Invocation) throws -> [KeyPlan] {
        let line = invocation.line
        var algorithms: [KeyUse: String] = [:]
        for name in line.all("alg") {
            let use = try KeyPlan.use(of: name)
            guard algorithms.updateValue(name, forKey: use) == nil else {
                throw UsageError("--alg names two algorithms for the same use")
            }
        }
        let uses = try KeyPlan.uses(line["use"], algorithms)
        guard algorithms.keys.allSatisfy(uses.contains) else {
            throw UsageError("--alg names an algorithm for another use than --use")
        }
        let keyIDs = line.all("kid")
        guard keyIDs.isEmpty || keyIDs.count == uses.count else {
            throw UsageError("give --kid once for each key: \(uses.count)")
        }
        return uses.enumerated().map { index, use in
            let standard = use == .signature ? "RS256" : "RSA-OAEP-256"
            return KeyPlan(
                use: use, algorithm: algorithms[use] ?? standard,
                keyID: keyIDs.isEmpty ? nil : keyIDs[index])
        }
    }

    private static func use(of name: String) throws -> KeyUse {
        if SignatureAlgorithm.named(name) != nil { return .signature }
        if KeyManagementAlgorithm.named(name) != nil { return .encryption }
        let known =
            SignatureAlgorithm.all.map(\.description)
            + KeyManagementAlgorithm.all.map(\.description)
        throw UsageError("--alg '\(printable(name))': known are \(known.joined(separator: ", "))")
    }

    private static func uses(_ word: String?, _ algorithms: [KeyUse: String]) throws -> [KeyUse] {
        switch word {
        case "sig": return [.signature]
        case "enc": return [.encryption]
        case "both": return [.signature, .encryption]
        case nil where algorithms.count == 1: return Array(algorithms.keys)
        case nil: return [.signature, .encryption]
        default: throw UsageError("--use is sig, enc or both")
        }
    }
}
