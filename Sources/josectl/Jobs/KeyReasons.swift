// Why no key of a set takes a token: one line for each key, on standard error.

import JOSE
import JOSEBytes

extension Invocation {
    private static let maxReasons = 16

    /// Verifies; where a set has no key for the token, standard error says why for each.
    func sayingWhy<Result>(
        _ keys: VerificationKeys, _ token: String, _ limits: JOSELimits, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as JOSEError where error.code == .keyNotFound {
            guard case .set(let set) = keys,
                let header = Header(
                    try? UnverifiedHeader.readJWS(
                        token.utf8.span, limits: limits, critical: line.all("crit"))),
                let row = SignatureAlgorithm(name: header.algorithm)
            else { throw error }
            say(set.keys(), set.skipped, header, .verifying(row))
            throw error
        }
    }

    /// The same for a token to decrypt, with keys that may be in tokens.
    nonisolated(nonsending) func sayingWhy<Result>(
        _ keys: DecryptionKeys, _ token: String, _ limits: JOSELimits,
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as JOSEError where error.code == .keyNotFound {
            guard case .set(let set) = keys,
                let header = Header(
                    try? UnverifiedHeader.readJWE(
                        token.utf8.span, limits: limits, critical: line.all("crit"))),
                let row = KeyManagementAlgorithm(name: header.algorithm)
            else { throw error }
            say(set.keys, set.skipped, header, .decrypting(row))
            throw error
        }
    }

    private func say(
        _ keys: [JWK], _ skipped: [SkippedKey], _ header: Header, _ query: KeyQuery
    ) {
        // The skipped entries, which are reported already, leave gaps in the numbers.
        let gaps = Set(skipped.map(\.index))
        let places = (0..<(keys.count + gaps.count)).filter { !gaps.contains($0) }
        for (index, key) in zip(places, keys).prefix(Invocation.maxReasons) {
            output.note("key \(index + 1)\(key.facts): \(reason(key, header, query))")
        }
        let rest = keys.count - Invocation.maxReasons
        if rest > 0 { output.note("\(rest) more keys") }
    }

    private func reason(_ key: JWK, _ header: Header, _ query: KeyQuery) -> String {
        let match = key.match(query)
        guard match == .matches else {
            return ShellWords.translated(match.error(query, key.names).message)
        }
        guard let wanted = header.keyID, !key.isNamed(wanted) else { return "it is eligible" }
        let shown = printable(wanted, atMost: 80)
        return key.keyID == nil
            ? "it has no kid; the token's is '\(shown)'" : "the token's kid is '\(shown)'"
    }
}

extension JWK {
    /// What a key says of itself, bounded and fit to be shown.
    fileprivate var facts: String {
        let kid = keyID.map { ", kid '\(printable($0, atMost: 80))'" } ?? ", no kid"
        let use = use.map { ", use \(printable($0.name, atMost: 32))" } ?? ""
        let alg = algorithm.map { ", alg \(printable($0.name, atMost: 32))" } ?? ""
        return "\(kid)\(use)\(alg)"
    }
}

/// What a header says of the key.
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
