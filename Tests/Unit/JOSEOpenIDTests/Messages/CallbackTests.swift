// Valid and hostile responses at the redirect URI.

import JOSE
import JOSEOpenID
import Testing

@Suite("Callback")
struct CallbackTests {
    let session: AuthorizationSession

    private func read(_ query: String) throws(JOSEError) -> AuthorizationResponse {
        try session.response(query, in: .query)
    }

    init() async throws {
        let env = try TestEnvironment(.openID)
        session = try await env.start().session
    }

    @Test("a code, an error, empty parameters and unknown parameters are read") func good() throws {
        let state = "state=\(session.state)"
        #expect(try read("code=abc&\(state)") == .code("abc"))
        #expect(try read("\(state)&code=a%2Bb+c&x=y&error=") == .code("a+b c"))
        #expect(
            try read("error=access_denied&error_description=no%20way&\(state)")
                == .error(AuthorizationError(.accessDenied, description: "no way")))
        #expect(
            try session.response(
                "code=a&\(state)&iss=https%3A%2F%2Fidp.example%2Fv2", in: .query,
                requiresIssuer: true)
                == .code("a"))
    }

    @Test(
        "the errors of itsme's authorization endpoint",
        arguments: [
            OAuthErrorCode.interactionRequired, .invalidRequestObject, .requestURINotSupported,
            .registrationNotSupported, .notImplemented, .unsupportedResponseType, .invalidRequest,
        ])
    func errors(_ code: OAuthErrorCode) throws {
        let response = try read("error=\(code)&state=\(session.state)")
        #expect(response == .error(AuthorizationError(code)))
    }

    @Test("a missing, wrong, longer, shorter or repeated state is rejected") func state() async {
        let state = session.state
        for bad in [
            "code=a", "code=a&state=", "code=a&state=\(state)x", "code=a&state=\(state.dropLast())",
            "code=a&state=\(state.lowercased())", "code=a&state=%20\(state)", "error=x&state=other",
            "error=x&code=a", "error=x&code=a&state=",
            "code=a&State=\(state)",
        ] { await expectRejection("claim-rejected state", bad) { _ = try read(bad) } }
        await expectRejection("malformed") { _ = try read("code=a&state=\(state)&state=\(state)") }
    }

    @Test("malformed responses are rejected") func malformed() async {
        let state = "state=\(session.state)"
        for bad in [
            "\(state)", "code=a&error=b&\(state)", "code=a&code=b&\(state)", "code=%&\(state)",
            "code=%4&\(state)", "code=%zz&\(state)", "code=%ff&\(state)", "code=%00&\(state)",
            "code=%0a&\(state)",
            "code=é&\(state)", "code=a b&\(state)", "=x&code=a&\(state)", "code=%C3%A9&\(state)",
            "error=a%22b&\(state)", "error=%5C&\(state)", "error=%C3%A9&\(state)",
            "c%6fde=a&code=b&\(state)", "code=a&\(state)\n", "\u{feff}code=a&\(state)",
        ] { await expectRejection("malformed", bad) { _ = try read(bad) } }
    }

    @Test("responses over a limit are rejected") func limits() async throws {
        let state = "state=\(session.state)"
        let long = String(repeating: "a", count: 70_000)
        await expectRejection("limit-exceeded") { _ = try read("code=\(long)&\(state)") }
        let many = (0..<100).map { "p\($0)=x" }.joined(separator: "&")
        await expectRejection("limit-exceeded") { _ = try read("code=a&\(state)&\(many)") }
        let most = AuthorizationResponse.maxCodeBytes
        let error = await expectRejection("limit-exceeded") {
            _ = try read("code=\(String(repeating: "a", count: most + 1))&\(state)")
        }
        #expect(error?.message.contains("AuthorizationResponse.maxCodeBytes") == true)
        let code = String(repeating: "a", count: most)
        #expect(try read("code=\(code)&\(state)") == .code(code))
    }

    @Test("a response by another response mode is rejected") func responseMode() async {
        await expectRejection("malformed") {
            _ = try session.response("code=a&state=\(session.state)", in: .form)
        }
    }

    @Test("a state bound to a session matches only that session, and no changed state matches")
    func bound() async throws {
        let binding = try StateBinding(key: [UInt8](repeating: 7, count: 32))
        let env = try TestEnvironment(.openID)
        let started = try await env.party.start(
            env.request, state: .bound(binding, session: "session-1"))
        let state = started.session.state
        try binding.verify(state, session: "session-1")
        #expect(try binding.makeState(session: "a") != binding.makeState(session: "a"))
        await expectRejection("claim-rejected state") {
            try binding.verify(state, session: "session-2")
        }
        let other = try StateBinding(key: [UInt8](repeating: 8, count: 32))
        await expectRejection("claim-rejected state") {
            try other.verify(state, session: "session-1")
        }
        for index in state.indices where state[index] != "." {
            var bad = state
            bad.replaceSubrange(index...index, with: state[index] == "A" ? "B" : "A")
            await expectRejection("claim-rejected state") {
                try binding.verify(bad, session: "session-1")
            }
        }
        for bad in ["", ".", "a.b", state + ".", state + "." + state, String(state.dropLast())] {
            await expectRejection("claim-rejected state", bad) {
                try binding.verify(bad, session: "session-1")
            }
        }
        // A code with a part of one session's name as prefix matches no other session.
        for (made, taken) in [
            ("mine\nvictim", "victim"), ("mine.\nvictim", "victim"), ("\nv", "v"),
        ] {
            let parts = try binding.makeState(session: made).split(separator: ".")
            let moved = parts[0] + made.dropLast(taken.count + 1) + "." + parts[1]
            let split = parts[0] + "\n" + made.dropLast(taken.count + 1) + "." + parts[1]
            for bad in [moved, split] {
                await expectRejection("claim-rejected state", String(bad)) {
                    try binding.verify(String(bad), session: taken)
                }
            }
        }
        await expectRejection("misuse") { _ = try StateBinding(key: [1, 2, 3]) }
        // Also after Signicat's method.
        let signicat = try TestEnvironment(.signicatMobileID)
        let prefixed = try await signicat.party.start(
            signicat.request, state: .bound(binding, session: "s")
        ).session.state
        #expect(prefixed.hasPrefix("inapp:"))
        try binding.verify(prefixed, session: "s")
    }
}
