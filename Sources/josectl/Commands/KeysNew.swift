// josectl keys new: generates keys as JWK Sets.

import JOSE
import JOSEBytes
import JOSEPKCS11

extension Command {
    static let keysNew = Command(
        name: "keys new",
        summary: "generate a signing key, an encryption key, or one of each",
        details: """
            The algorithm determines the kind of key; --type or --curve choose if there is a \
            choice. The private set is written with mode 0600. The public set goes to --public, or \
            to standard output without it; symmetric keys have no public set.
            With --token, one key is generated inside a PKCS#11 token and never leaves it. The URI \
            names the token, the key's label (object) and optionally its id.
            """,
        options: [
            .choice("use", "USE", ["sig", "enc", "both"]) {
                "\($0) (default: the use of --alg, else both)"
            },
            .value(
                "alg", "NAME", "the algorithm, once for each use", repeats: true, .keyAlgorithms),
            .choice("type", "KTY", KeyType.all.map(\.name)) {
                "\($0) (default: the type for --alg, else RSA)"
            },
            .value(
                "curve", "CRV", Option.listed(JWKCurve.entries.map(\.name)),
                .suggested(JWKCurve.entries.map(\.name))),
            .value(
                "bits", "N", "size of an RSA modulus, 2048 to 8192 (default 2048), or of a secret"),
            .value(
                "kid", "KID",
                "the kid, once for each key (default: RFC 7638 thumbprint; random for secrets)",
                repeats: true),
            .value("out", "FILE", "write the private set to a file; - prints it"),
            .value("public", "FILE", "write the public set to a file"),
            .force,
            .value(
                "token", "URI",
                "generate the key in this token, as pkcs11:token=login;object=sig-1"),
        ] + Option.externalKey,
        example: "josectl keys new --use both --out private.jwks --public public.jwks"
    ) { invocation in
        let (line, outputs) = (invocation.line, invocation.outputs)
        if let uri = line["token"] { return try await generateInToken(uri, invocation) }
        _ = try line.required("out")
        let specifications = try KeySpecification.all(line)
        let isShared = specifications.contains(where: \.isSecret)
        guard !isShared || line["public"] == nil else {
            throw UsageError("a symmetric key has no public part: omit --public")
        }
        guard isShared || line["public"] != nil || !outputs.isStandardOutput("out") else {
            throw UsageError("--out - prints the private set: --public FILE is required")
        }
        let set = JWKSet(keys: try generate(specifications, invocation.output))
        var parts = [OutputFiles.Part("out", Array(try set.privateJSON().utf8) + [0x0a], .secret)]
        if !isShared {
            parts.append(.init("public", Array(try set.publicKeys.json().utf8) + [0x0a], .open))
        }
        try outputs.write(parts)
        // A set on standard output is the result; otherwise the keys are listed.
        if !parts.contains(where: { outputs.isStandardOutput($0.option) }) {
            try list(set, invocation.output)
        }
        return .accepted
    }

    private static func generate(
        _ specifications: [KeySpecification], _ output: Output
    ) throws -> [JWK] {
        let progress = Progress(output)
        defer { progress.end() }
        return try specifications.enumerated().map { index, specification in
            progress.say("generating key \(index + 1) of \(specifications.count)")
            return try specification.generate()
        }
    }

    nonisolated(nonsending) private static func generateInToken(
        _ word: String, _ invocation: Invocation
    ) async throws -> ExitCode {
        let line = invocation.line
        guard PKCS11URI.isURI(word) else { throw UsageError("--token must be a pkcs11: URI") }
        for option in ["out", "kid"] where line.has(option) {
            throw UsageError(
                option == "out"
                    ? "the private key stays in the token: omit --out"
                    : "a token stores no kid (it is the RFC 7638 thumbprint): omit --kid")
        }
        let uri = try PKCS11URI(word: word)
        guard let object = uri.object, let label = String(validating: object, as: UTF8.self) else {
            throw UsageError("--token must name the new key's label: object=…")
        }
        let specifications = try KeySpecification.all(line)
        guard let specification = specifications.first, specifications.count == 1 else {
            throw UsageError("a key in a token has one use: --use sig or --use enc is required")
        }
        let token = try await invocation.requireExternalKeys().token(uri)
        let key = try await specification.generate(in: token, label: label, id: uri.id)
        let set = JWKSet(keys: [key.publicKey])
        let text = Array(try set.publicKeys.json().utf8) + [0x0a]
        try invocation.outputs.write([OutputFiles.Part("public", text, .open)])
        if !invocation.outputs.isStandardOutput("public") { try list(set, invocation.output) }
        return .accepted
    }

    private static func list(_ set: JWKSet, _ output: Output) throws {
        guard !output.isJSON else {
            try Descriptor.output.write(try Output.json { $0.keyList(set) })
            return
        }
        for key in set.keys {
            let (algorithm, keyID) = (key.algorithm?.name ?? "", printable(key.keyID ?? ""))
            // A key of one algorithm only, such as ML-DSA, has no size of its own.
            let isBound = key.prepared.material.boundAlgorithm != nil
            let size = key.curve == nil ? " \(key.sizeBits) bits" : " \(key.sizeText)"
            // A key in a token has no alg.
            let words = "\(algorithm)\(isBound ? "" : size)".drop { $0 == " " }
            try output.line("\(words), kid \(keyID)")
        }
    }
}
