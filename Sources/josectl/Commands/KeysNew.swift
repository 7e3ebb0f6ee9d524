// josectl keys new: keys as JWK Sets.

import JOSE
import JOSEBytes
import JOSEPKCS11

extension Command {
    static let keysNew = Command(
        name: "keys new",
        summary: "make a signing key, an encryption key, or one of each",
        details: """
            The algorithm decides what kind of key is made; --type or --curve choose where there is a
            choice, and without --alg the usual algorithm for them. The private set is written with mode
            0600. The public set goes to --public or, without it, to standard output; symmetric keys
            have none. With --token one key is made in a PKCS#11 token, which it never leaves: the URI names
            the token, the key's label (object) and, if wanted, its id.
            """,
        options: [
            .choice("use", "USE", ["sig", "enc", "both"]) {
                "\($0) (default: what --alg is for, else both)"
            },
            .value(
                "alg", "NAME", "the algorithm of the key; once for each use", repeats: true,
                .keyAlgorithms),
            .choice("type", "KTY", KeyType.all.map(\.name)) {
                "\($0) (default: what --alg needs, else RSA)"
            },
            .value(
                "curve", "CRV", Option.listed(JWKCurve.rows.map(\.name)),
                .open(JWKCurve.rows.map(\.name))),
            .value(
                "bits", "N", "size of an RSA modulus, 2048 to 8192 (default 2048), or of a secret"),
            .value(
                "kid", "KID", "the kid (default: RFC 7638 thumbprint; random for secrets)",
                repeats: true),
            .value("out", "FILE", "where the private set goes; - prints it"),
            .value("public", "FILE", "where the public set goes"),
            .force,
            .value(
                "token", "URI",
                "make the key in this token, such as pkcs11:token=login;object=sig-1"),
        ] + Option.held,
        example: "josectl keys new --use both --out private.jwks --public public.jwks"
    ) { invocation in
        let (line, outputs) = (invocation.line, invocation.outputs)
        if let uri = line["token"] { return try await makeInToken(uri, invocation) }
        _ = try line.required("out")
        let plans = try KeyPlan.all(line)
        let isShared = plans.contains(where: \.isSecret)
        guard !isShared || line["public"] == nil else {
            throw UsageError("a symmetric key has no public part: leave --public out")
        }
        guard isShared || line["public"] != nil || !outputs.isStandardOutput("out") else {
            throw UsageError("--out - prints the private set: give --public a file")
        }
        let set = JWKSet(keys: try make(plans, invocation.output))
        var parts = [Outputs.Part("out", Array(try set.privateJSON().utf8) + [0x0a], .secret)]
        if !isShared {
            parts.append(.init("public", Array(try set.publicKeys.json().utf8) + [0x0a], .open))
        }
        try outputs.write(parts)
        // One of the sets on standard output is the answer.
        if !parts.contains(where: { outputs.isStandardOutput($0.option) }) {
            try say(set, invocation.output)
        }
        return .accepted
    }

    private static func make(_ plans: [KeyPlan], _ output: Output) throws -> [JWK] {
        let progress = Progress(output)
        defer { progress.end() }
        return try plans.enumerated().map { index, plan in
            progress.say("making key \(index + 1) of \(plans.count)")
            return try plan.make()
        }
    }

    /// One key, in a token: its public set is all that there is to write.
    nonisolated(nonsending) private static func makeInToken(
        _ word: String, _ invocation: Invocation
    ) async throws
        -> ExitCode
    {
        let line = invocation.line
        guard PKCS11URI.isMeant(by: word) else { throw UsageError("--token is a pkcs11: URI") }
        for option in ["out", "kid"] where line.has(option) {
            throw UsageError(
                option == "out"
                    ? "the private key stays in the token: there is no --out"
                    : "a token keeps no kid: it is the key's RFC 7638 thumbprint")
        }
        let uri = try PKCS11URI(word: word)
        guard let object = uri.object, let label = String(validating: object, as: UTF8.self) else {
            throw UsageError("--token names the new key by its label: object=…")
        }
        let plans = try KeyPlan.all(line)
        guard let plan = plans.first, plans.count == 1 else {
            throw UsageError("a key in a token is for one use: --use sig or enc")
        }
        let token = try await invocation.externalKeys().token(uri)
        let made = try await plan.make(in: token, label: label, id: uri.id)
        let set = JWKSet(keys: [made.publicKey])
        let text = Array(try set.publicKeys.json().utf8) + [0x0a]
        try invocation.outputs.write([Outputs.Part("public", text, .open)])
        if !invocation.outputs.isStandardOutput("public") { try say(set, invocation.output) }
        return .accepted
    }

    private static func say(_ set: JWKSet, _ output: Output) throws {
        guard !output.isJSON else {
            try Descriptor.output.write(try Output.json { $0.keyList(set) })
            return
        }
        for key in set.keys {
            let (algorithm, keyID) = (key.algorithm?.name ?? "", printable(key.keyID ?? ""))
            // What is for one algorithm alone has no size besides.
            let isBound = key.prepared.material.boundAlgorithm != nil
            let size = key.curve == nil ? " \(key.sizeBits) bits" : " \(key.sizeText)"
            // Of a key in a token nothing says the algorithm.
            let words = "\(algorithm)\(isBound ? "" : size)".drop { $0 == " " }
            try output.line("\(words), kid \(keyID)")
        }
    }
}
