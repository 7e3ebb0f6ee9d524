// The replay store: what a use costs by how many issuers there are.

import JOSE
import JOSEOpenID

extension Bounded {
    /// Each use is by an issuer that was never seen, next to uses by one. A size is the number
    /// of claims before.
    static func replayFamilies() throws -> [Family] {
        [
            Family(
                name: "replay: issuers that come once", sizes: [2_048, 8_192, 32_768],
                hostile: { try claims($0) { "https://client-\($0).example" } },
                valid: { try claims($0) { _ in "https://client.example" } })
        ]
    }

    private static func claims(_ count: Int, by issuer: @escaping (Int) -> String) throws -> Sample
    {
        let store = MemoryReplayStore(capacity: 1 << 24, quota: 1 << 24)
        let now = try NumericDate(seconds: 500)
        let expires = try NumericDate(seconds: 1_000)
        var number = 0
        func markUsed() {
            number += 1
            let use = ReplayEntry(
                purpose: "bounded", issuer: issuer(number), audience: "a", tokenID: "\(number)",
                expires: expires)
            do throws(ReplayStoreError) { try store.markUsedNow(use, at: now) } catch {}
        }
        for _ in 0..<count { markUsed() }
        return Sample(bytes: count, run: markUsed)
    }
}
