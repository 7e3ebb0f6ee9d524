// Server text is compared by bytes: no letter matches another, and the cost is linear in its
// length.

import JOSE
import Testing

@testable import JOSERedis

@Suite("Redis store: untrusted server text")
struct ForeignReplyTests {
    @Test("an error code is at most the first 24 letters A to Z")
    func codes() {
        for (reply, code) in [
            ("OOM command not allowed", "full"), ("READONLY You can't write", "read-only"),
            ("NOAUTH", "denied"), ("MOVED 1 h:1", "cluster"), ("MISCONF no", "server: MISCONF"),
            ("", "server: "), (" OOM", "server: "), ("oom", "server: "), ("OOM1", "full"),
            ("OOMX", "server: OOMX"), ("OOM\u{301} x", "full"), ("OO\u{301}M", "server: OO"),
            ("O\u{301}OM", "server: O"), ("\u{212a}", "server: "), ("\u{c5}OM", "server: "),
            ("\u{ff2f}OM", "server: "), ("\u{301}OOM", "server: "), ("OOM\u{0}", "full"),
            (String(repeating: "A", count: 25), "server: " + String(repeating: "A", count: 24)),
        ] {
            let failure = RedisError.server(reply)
            #expect(failure.description.utf8.elementsEqual(code.utf8), "\(reply.unicodeScalars)")
        }
    }

    @Test("combining marks in an error, a name or a value of INFO cost linear time")
    func marks() {
        let marks = String(
            repeating: "\u{301}\u{327}", count: 60_000)
        let info = { (text: String) in
            ServerInfo(
                Array(
                    """
                    run_id:\(String(repeating: "0", count: 40))\r\nrole:\(text)\r\nredis_mode:\
                    \(text)\r
                    maxmemory_policy:\(text)\r\n\(text):1\r\nr\(text):1\r\n
                    """.utf8))
        }
        let clock = ContinuousClock()
        var best = Duration.seconds(60)
        for _ in 0..<3 {
            let time = clock.measure {
                for beginning in ["", "O", "OOM", "READONLY"] {
                    _ = RedisError.server(beginning + marks)
                    _ = RedisError.server(beginning + marks + "Z")
                }
                for beginning in ["m", "master", "noeviction", "c"] {
                    _ = info(beginning + marks)?.failure
                }
            }
            best = min(best, time)
        }
        // Each of them took seconds.
        #expect(best < .seconds(2))
    }

    @Test("a value of INFO is compared by its bytes") func values() throws {
        let run = String(repeating: "0", count: 40)
        func failure(_ role: String, _ mode: String, _ policy: String) -> RedisError? {
            ServerInfo(
                Array(
                    "run_id:\(run)\r\nrole:\(role)\r\nredis_mode:\(mode)\r\nmaxmemory_policy:\(policy)"
                        .utf8))?.failure
        }
        #expect(failure("master", "standalone", "noeviction") == nil)
        #expect(failure("master", "cluster", "noeviction") == .cluster)
        for role in ["", "Master", "master ", "master\u{0}", "slave", "m\u{e1}ster"] {
            #expect(failure(role, "standalone", "noeviction") == .notPrimary, "\(role)")
        }
        for policy in ["", "noeviction ", "NOEVICTION", "allkeys-lru", "noevictio\u{144}"] {
            #expect(failure("master", "standalone", policy) == .evicts, "\(policy)")
        }
    }
}
