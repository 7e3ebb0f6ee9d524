// Reads certificate chains from keys, key sets, token headers and certificate files.

import JOSE
import JOSEBytes
import JOSEPKCS11

struct UnvalidatedChain {
    let keyID: String?
    /// Reads the key with its chain. Throws if the format is wrong.
    let key: () throws -> JWK

    fileprivate static func all(_ line: ParsedCommandLine) throws -> [UnvalidatedChain] {
        let paths = line.arguments.isEmpty ? ["-"] : line.arguments
        let bytes = try paths.map {
            withoutByteOrderMark(
                try Files.read($0, atMost: JOSELimits.standard.keySetBytes, what: "the chain file"))
        }
        let first = bytes[0].first { !isSpace($0) }
        if paths.count == 1, first == UInt8(ascii: "{") { return try keys(bytes[0], line["kid"]) }
        if paths.count == 1, first == UInt8(ascii: "e") { return [try token(bytes[0])] }
        let chain = try CertificateFile.certificates(
            zip(paths, bytes).map { (printable($0), $1) })
        return [UnvalidatedChain(keyID: nil) { try JWK(certificates: chain) }]
    }

    /// Returns the keys of a JWK or JWK Set that have certificates, or those with this kid.
    private static func keys(_ json: [UInt8], _ keyID: String?) throws -> [UnvalidatedChain] {
        let document = try JSONDocument(json, maxDepth: JOSELimits.standard.jsonDepth)
        var texts = [json]
        if let set = document.member(named: "keys") {
            texts = []
            guard document.kind(at: set) == .array else {
                throw JOSEError.malformed(.keySet, "keys is not an array")
            }
            document.forEachElement(of: set) { texts.append(document.json(at: $0)) }
        }
        var found: [UnvalidatedChain] = []
        for text in texts {
            let key = try JSONDocument(text, maxDepth: JOSELimits.standard.jsonDepth)
            let name = key.member(named: "kid").flatMap { key.string(at: $0) }
            if let keyID {
                guard let name, name.isExactly(keyID) else { continue }
            }
            // Without x5c, a named or single key is kept and fails later. Other keys are skipped.
            guard keyID != nil || texts.count == 1 || key.member(named: "x5c") != nil else {
                continue
            }
            found.append(UnvalidatedChain(keyID: name) { try JWK(json: text) })
        }
        guard !found.isEmpty else {
            throw JOSEError.keyNotFound(
                keyID == nil ? "no key has certificates (x5c)" : "no key has the kid of --kid")
        }
        return found
    }

    private static func token(_ bytes: [UInt8]) throws -> UnvalidatedChain {
        let text = bytes.filter { !isSpace($0) }
        let isEncrypted = text.filter { $0 == UInt8(ascii: ".") }.count == 4
        let json =
            try isEncrypted
            ? UnverifiedHeader.readJWE(text.span, limits: .standard)
            : UnverifiedHeader.readJWS(text.span, limits: .standard)
        let header = try JSONDocument(json, maxDepth: JOSELimits.standard.jsonDepth)
        guard let array = header.member(named: "x5c"), header.kind(at: array) == .array else {
            throw JOSEError.malformed(.header, "the token's header has no x5c")
        }
        var chain: [[UInt8]] = []
        try header.forEachElement(of: array) { element throws in
            guard let text = header.string(at: element),
                let der = StandardBase64.decode(text.utf8.span)
            else {
                throw JOSEError.malformed(.header, "x5c is not an array of base64 certificates")
            }
            chain.append(der)
        }
        let certificates = chain
        let keyID = header.member(named: "kid").flatMap { header.string(at: $0) }
        return UnvalidatedChain(keyID: keyID) { try JWK(certificates: certificates) }
    }

    private static func withoutByteOrderMark(_ bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: [0xef, 0xbb, 0xbf]) ? Array(bytes.dropFirst(3)) : bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    }
}

extension Invocation {
    nonisolated(nonsending) func unvalidatedChains() async throws -> [UnvalidatedChain] {
        guard let uri = line.arguments.first(where: PKCS11URI.isURI) else {
            return try UnvalidatedChain.all(line)
        }
        guard line.arguments.count == 1 else {
            throw UsageError("a pkcs11: URI must be the only argument")
        }
        let key = try await inputKeys(uri).only(line["kid"])
        return [UnvalidatedChain(keyID: key.keyID) { key }]
    }
}
