// josectl keys new: keys as JWK Sets.

import JOSE
import JOSEBytes

extension Command {
    static let keysNew = Command(
        name: "keys new",
        summary: "make a signing key, an encryption key, or one of each",
        details: """
            The algorithm decides what kind of key is made; --type or --curve choose where there is a
            choice, and without --alg the usual algorithm for them. The private set is written with mode
            0600. The public set goes to --public or, without it, to standard output; symmetric keys
            have none.
            """,
        options: [
            .value("use", "USE", "sig, enc or both (default: what --alg is for, else both)"),
            .value("alg", "NAME", "the algorithm of the key; once for each use", repeats: true),
            .value("type", "KTY", "RSA, EC, OKP or oct (default: what --alg needs, else RSA)"),
            .value(
                "curve", "CRV", "P-256, P-384, P-521, secp256k1, Ed25519, Ed448, X25519 or X448"),
            .value(
                "bits", "N", "size of an RSA modulus, 2048 to 8192 (default 2048), or of a secret"),
            .value(
                "kid", "KID", "the kid (default: RFC 7638 thumbprint; random for secrets)",
                repeats: true),
            .value("out", "FILE", "where the private set goes; - prints it"),
            .value("public", "FILE", "where the public set goes"),
            .force,
        ],
        example: "josectl keys new --use both --out private.jwks --public public.jwks"
    ) { invocation in
        let line = invocation.line
        let out = try line.required("out")
        let plans = try KeyPlan.all(line)
        if plans.contains(where: \.isSlow), Descriptor.error.isTerminal {
            invocation.output.note("making large RSA keys takes a while")
        }
        guard !plans.contains(where: \.isSecret) || line["public"] == nil else {
            throw UsageError("a symmetric key has no public part: leave --public out")
        }
        let set = JWKSet(try plans.map { try $0.make() })
        try writeNew(set, private: out, public: line["public"], invocation)
        return .accepted
    }

    private static func writeNew(
        _ set: JWKSet, private out: String, public published: String?, _ invocation: Invocation
    ) throws {
        let secret = Array(try set.privateJSON().utf8) + [0x0a]
        let force = invocation.line.has("force")
        guard !set.keys.contains(where: { $0.keyType == .oct }) else {
            guard out != "-" else { return try Descriptor.output.write(secret) }
            try PendingFile(secret, at: out, .secret, replaces: force).commit()
            return try say(set, invocation.output)
        }
        let open = Array(try set.publicKeys.json().utf8) + [0x0a]
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
            let size = key.curve.map { "on \($0)" } ?? "\(key.sizeBits) bits"
            try output.line("\(algorithm) \(size), kid \(keyID)")
        }
    }
}
