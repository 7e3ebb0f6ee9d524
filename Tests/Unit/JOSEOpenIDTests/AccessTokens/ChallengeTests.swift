// A client reads the challenges of a resource server. Any of several may have the error.

import JOSE
import JOSEOpenID
import Testing

@Suite("Resource server challenges")
struct ChallengeTests {
    @Test("RFC 9449 7.1 and 9: the error of our responses is read for any accepted schemes")
    func roundTrip() async throws {
        let nonces = try DPoPNonces()
        for (isBound, takesProofs) in [(false, true), (true, true), (false, false)] {
            let handler = try ResourceHandler(
                nonces: nonces, takesProofs: takesProofs, requiresBinding: isBound)
            for (token, scopes) in [
                (try await handler.token(), ["admin"]), (try handler.forged(["exp": 1]), []),
                (try await handler.token(), []),
            ] {
                let error = try await #require(throws: JOSEError.self) {
                    try await handler.server.verify(
                        handler.request(token), scopes: scopes, at: .testNow)
                }
                let response = try handler.server.error(rejecting: error, at: .testNow)
                let read = try BearerError(header: response.header)
                #expect(read.code == response.code, "\(response.header)")
            }
        }
    }

    @Test("RFC 9449 7.1, 7.2 and 9: the printed challenges of figures 15 to 19 and 24 are read")
    func printed() throws {
        let twice = "Multiple methods used to include access token"
        for (figure, header, code, description) in [
            (15, #"DPoP algs="ES256 PS256""#, nil, nil),
            (
                16,
                #"DPoP error="invalid_token", error_description="Invalid DPoP key binding", algs="ES256""#,
                "invalid_token", "Invalid DPoP key binding"
            ),
            (17, #"Bearer, DPoP algs="ES256 PS256""#, nil, nil),
            (
                18,
                #"Bearer error="invalid_token", error_description="Invalid token", DPoP algs="ES256 PS256""#,
                "invalid_token", "Invalid token"
            ),
            (
                19,
                "Bearer error=\"invalid_request\", error_description=\"\(twice)\", "
                    + #"DPoP algs="ES256 PS256", error="invalid_request", "#
                    + "error_description=\"\(twice)\"", "invalid_request", twice
            ),
            (
                24,
                #"DPoP error="use_dpop_nonce", error_description="Resource server requires nonce in DPoP proof""#,
                "use_dpop_nonce", "Resource server requires nonce in DPoP proof"
            ),
        ] as [(Int, String, String?, String?)] {
            let read = try BearerError(header: header)
            #expect(read.code?.name == code, "figure \(figure)")
            #expect(read.description == description, "figure \(figure)")
        }
        _ = try DPoPNonce(header: "eyJ7S_zG.eyJH0-Z.HX4w-7v")
    }

    @Test("RFC 9110 11.6.1: one header may hold several challenges")
    func several() throws {
        for (header, code) in [
            (#"Bearer realm="a", DPoP error="use_dpop_nonce", algs="ES256""#, "use_dpop_nonce"),
            (#"DPoP algs="ES256", Bearer error="invalid_token""#, "invalid_token"),
            (#"Bearer, DPoP error="invalid_token""#, "invalid_token"),
            (#"Basic realm="x, DPoP error=", Bearer error=invalid_token"#, "invalid_token"),
            (
                #"DPoP error="invalid_token", algs="ES256", Bearer error="invalid_token""#,
                "invalid_token"
            ),
            (#"Bearer realm="DPoP error=x""#, nil),
            (#"Digest error="none_of_ours", Bearer realm="a""#, nil),
            (#"error="invalid_token""#, "invalid_token"), ("Bearer, DPoP", nil),
            // RFC 9110 11.2: parameter names are case-insensitive.
            (#"BEARER Error="invalid_token""#, "invalid_token"),
            // RFC 9110 11.2: white space around the equals sign is accepted.
            (#"Bearer error = "invalid_token""#, "invalid_token"),
            ("Bearer realm=\t\"a\" , error \t= invalid_token", "invalid_token"),
            (#"Bearer error="invalid_token", DPoP"#, "invalid_token"),
            (#"Bearer error="invalid_token", Digest error="stale""#, "invalid_token"),
            (#"dpop error="use_dpop_nonce", algs="ES256""#, "use_dpop_nonce"),
            (#"dPoP error="use_dpop_nonce""#, "use_dpop_nonce"),
        ] as [(String, String?)] {
            #expect(try BearerError(header: header).code?.name == code, "\(header)")
        }
    }
}
