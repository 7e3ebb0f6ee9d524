// Untrusted text with many combining marks takes as long as other text of its size: readers compare
// bytes, while Swift's String would reorder the marks. "work-bounds" in a title: see
// docs/security/work-bounds.md.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Texts of combining marks")
struct MarkTests {
    /// As many marks as fit a form of 64 KB, those with the lower combining class last. To compare
    /// or hash such a text, Swift's String moves each past all others.
    private static let count = 10_000
    private static let marks = encoded("\u{301}", "\u{316}")
    /// Of the same length, with marks that are already in order.
    private static let ordered = encoded("\u{316}", "\u{301}")

    private static func encoded(_ first: String, _ second: String) -> String {
        func escapes(_ text: String) -> String {
            text.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
        }
        return String(repeating: escapes(first), count: count / 2)
            + String(repeating: escapes(second), count: count / 2)
    }

    /// The thread's CPU time, so that other programs do not count.
    private func seconds(_ body: () async -> Void) async -> Double {
        func clock() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        while true {
            let (thread, begun) = (pthread_self(), clock())
            await body()
            // A task that moved to another thread was not measured.
            if pthread_self() == thread { return clock() - begun }
        }
    }

    /// Both take equally long. If each mark is moved past thousands, the second takes hundreds of
    /// times as long.
    private func expectAlike(_ what: String, _ body: (String) async -> Void) async {
        var (plain, marked) = (Double.infinity, Double.infinity)
        for _ in 0..<3 {
            plain = min(plain, await seconds { await body("a" + Self.ordered) })
            marked = min(marked, await seconds { await body("a" + Self.marks) })
        }
        #expect(marked < 4 * plain + 0.02, "\(what): \(marked) s beside \(plain) s")
    }

    @Test("work-bounds: a parameter name, in every form and query")
    func names() async throws {
        let env = try TestEnvironment(.openID)
        await expectAlike("form") { name in
            _ = try? OpenIDParameters(decoding: "\(name)=1")
        }
        await expectAlike("token") { name in
            _ = try? env.provider.unverifiedClientID(tokenRequest: "\(name)=1&client_id=c")
        }
        await expectAlike("answer") { name in
            let login = try? await Login(env)
            guard let session = login?.started.session else { return }
            _ = try? await env.party.authorizationResponse(query: "\(name)=1", for: session)
        }
    }

    @Test("RFC 6749 A.1: a client_id with more than 30 combining marks is rejected")
    func clients() async throws {
        let provider = try TestEnvironment(.openID).provider
        func marks(_ count: Int) -> String { "a" + String(repeating: "\u{301}", count: count) }
        func encoded(_ count: Int) -> String {
            "a" + String(repeating: "%CC%81", count: count)
        }
        func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
        func assertion(_ count: Int) -> String {
            let claims = base64("{\"iss\":\"\(marks(count))\"}").prefix { $0 != "=" }
                .replacing("+", with: "-").replacing("/", with: "_")
            return "client_assertion=e30.\(claims).AA"
        }
        let named = marks(30)
        for (body, header) in [
            ("client_id=\(encoded(30))", nil), ("", "Basic " + base64(named + ":s")),
            (assertion(30), nil),
        ] as [(String, String?)] {
            #expect(
                try provider.unverifiedClientID(tokenRequest: body, authorization: header)
                    .utf8.elementsEqual(named.utf8))
        }
        for count in [31, 5_000] {
            let rejected = "claim-rejected client_id"
            await expectRejection("malformed") {
                _ = try OpenIDParameters(decoding: "client_id=\(encoded(count))")
            }
            await expectRejection("malformed") {
                _ = try provider.unverifiedClientID(tokenRequest: "client_id=\(encoded(count))")
            }
            await expectRejection(count == 31 ? rejected : "claim-rejected client_secret") {
                _ = try provider.unverifiedClientID(
                    tokenRequest: "", authorization: "Basic " + base64(marks(count) + ":s"))
            }
            await expectRejection("claim-rejected iss") {
                _ = try provider.unverifiedClientID(tokenRequest: assertion(count))
            }
            // Unknown parameters cause no rejection.
            let all = try OpenIDParameters(decoding: "ticket=\(encoded(count))&a=1").all
            #expect(all == [OpenIDParameter("a", "1")])
        }
    }

    @Test("work-bounds: values matched against the library's lists")
    func values() async throws {
        let env = try TestEnvironment(.openID)
        let good = try await query(env.start().url)
        for name in ["response_mode", "prompt", "response_type", "state", "acr_values"] {
            let rest = good.split(separator: "&").filter { !$0.hasPrefix(name + "=") }
                .joined(separator: "&")
            await expectAlike(name) { value in
                _ = try? await env.client.browse("\(rest)&\(name)=\(value)")
            }
        }
        // One request is pending, since an empty table is not searched.
        _ = try await PushedLogin(env)
        await expectAlike("request_uri") { value in
            _ = try? await env.client.browse(
                "client_id=client-1&request_uri=" + "urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A"
                    + value)
        }
    }

    @Test("work-bounds: names and values of JSON")
    func json() async throws {
        let env = try TestEnvironment(.itsme2)
        var asked = env.request
        asked.delivery = RequestObjectDelivery.none
        let good = try await query(env.party.start(asked, at: .testNow).url)
        for (open, close) in [
            ("{\"id_token\":{\"", "\":null}}"), ("{\"", "\":null}"),
            ("{\"id_token\":{\"acr\":{\"value\":\"", "\"}}}"),
            ("{\"id_token\":{\"acr\":{\"values\":[\"", "\"]}}}"),
        ] {
            func escaped(_ text: String) -> String {
                text.utf8.map { "%" + String(format: "%02X", $0) }.joined()
            }
            await expectAlike(open) { name in
                _ = try? await env.client.browse(
                    good + "&claims=" + escaped(open) + name + escaped(close))
            }
        }
    }

    @Test("work-bounds: a provider's transaction data")
    func levels() async throws {
        let env = try TestEnvironment(.itsme2)
        let login = try await Login(env)
        func token(_ text: String) async throws -> VerifiedIDToken {
            var claims = login.goodClaims
            let level = try need(text.removingPercentEncoding)
            claims["http://itsme.services/v2/claim/transaction_info"] = .object([
                "securityLevel": .string(level)
            ])
            return try await login.open(login.forged(claims))
        }
        let (plain, marked) = await (try token(Self.ordered), try token(Self.marks))
        var cost = (Double.infinity, Double.infinity)
        for _ in 0..<3 {
            cost.0 = min(cost.0, await seconds { _ = try? plain.transaction?.security })
            cost.1 = min(cost.1, await seconds { _ = try? marked.transaction?.security })
        }
        #expect(cost.1 < 4 * cost.0 + 0.02, "\(cost)")
    }
}
