// Reports why no key, or more than one key, of a set matches a token: one line for each key, on
// standard error.

import JOSE
import JOSEBytes

extension Invocation {
    private static let maxReasons = 16

    /// Runs a verification. If it throws `keyNotFound`, reports which keys match, and why the
    /// others do not.
    func explainingMismatch<Result>(
        _ keys: VerifierKeys, _ token: String, _ limits: JOSELimits, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as JOSEError where error.code == .keyNotFound {
            if case .set(let set) = keys,
                let header = Header(
                    try? UnverifiedHeader.readJWS(
                        token.utf8.span, limits: limits, critical: line.all("crit"))),
                let algorithm = SignatureAlgorithm(name: header.algorithm)
            {
                report(set.keys(), set.skipped, header, .verifying(algorithm))
            }
            throw error
        }
    }

    nonisolated(nonsending) func explainingMismatch<Result>(
        _ keys: DecrypterKeys, _ token: String, _ limits: JOSELimits,
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as JOSEError where error.code == .keyNotFound {
            if case .set(let set) = keys,
                let header = Header(
                    try? UnverifiedHeader.readJWE(
                        token.utf8.span, limits: limits, critical: line.all("crit"))),
                let algorithm = KeyManagementAlgorithm(name: header.algorithm)
            {
                report(set.keys, set.skipped, header, .decrypting(algorithm))
            }
            throw error
        }
    }

    private func report(
        _ keys: [JWK], _ skipped: [SkippedKey], _ header: Header, _ query: KeyQuery
    ) {
        // Skipped entries, which are reported already, leave gaps in the numbers.
        let skippedIndexes = Set(skipped.map(\.index))
        let indexes = (0..<(keys.count + skippedIndexes.count))
            .filter { !skippedIndexes.contains($0) }
        for (index, key) in zip(indexes, keys).prefix(Invocation.maxReasons) {
            output.note("key \(index + 1)\(key.summary): \(reason(key, header, query))")
        }
        let rest = keys.count - Invocation.maxReasons
        if rest > 0 { output.note("\(rest) more keys") }
    }

    private func reason(_ key: JWK, _ header: Header, _ query: KeyQuery) -> String {
        let match = key.match(query)
        guard match == .matches else {
            return CommandLineWording.translate(match.error(query, key.names).message)
        }
        guard let keyID = header.keyID else { return "it matches the token's alg" }
        guard !key.isNamed(keyID) else { return "it matches the token's alg and kid" }
        let shown = printable(keyID, atMost: 80)
        return key.keyID == nil
            ? "it has no kid; the token's is '\(shown)'" : "the token's kid is '\(shown)'"
    }
}

extension JWK {
    /// The kid, use and alg of the key, bounded and escaped.
    fileprivate var summary: String {
        let kid = keyID.map { ", kid '\(printable($0, atMost: 80))'" } ?? ", no kid"
        let use = use.map { ", use \(printable($0.name, atMost: 32))" } ?? ""
        let alg = algorithm.map { ", alg \(printable($0.name, atMost: 32))" } ?? ""
        return "\(kid)\(use)\(alg)"
    }
}

private struct Header {
    let algorithm: String
    let keyID: String?

    init?(_ json: [UInt8]?) {
        guard let json, let document = try? JSONDocument(json, maxDepth: 32),
            let algorithm = document.member("alg").flatMap({ document.string(at: $0) })
        else { return nil }
        self.algorithm = algorithm
        keyID = document.member("kid").flatMap { document.string(at: $0) }
    }
}
