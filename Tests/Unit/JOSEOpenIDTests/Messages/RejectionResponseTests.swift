// The OAuth error of each rejection code (RFC 6750 3.1, RFC 6749 5.2).

import JOSE
import JOSEOpenID
import Testing

@Suite("Rejections and their responses")
struct RejectionResponseTests {
    struct Row: Sendable {
        let error: JOSEError
        let bearer: String?
        let client: String
        let grant: String

        init(_ error: JOSEError, _ bearer: String?, _ client: String, _ grant: String) {
            self.error = error
            self.bearer = bearer
            self.client = client
            self.grant = grant
        }

        /// Defects of the other side's message.
        init(theirs error: JOSEError) {
            self.init(error, "invalid_token", "invalid_client", "invalid_grant")
        }

        /// The same OAuth code everywhere.
        init(ours error: JOSEError, _ code: String) { self.init(error, code, code, code) }
    }

    static let rows: [Row] = [
        Row(theirs: .malformed(.token, "x")), Row(theirs: .limitExceeded(.token, "x")),
        Row(theirs: .limitExceeded(.claims, "x")), Row(theirs: .unsupported(.header, "x")),
        Row(theirs: .algorithmNotAllowed), Row(theirs: .keyUnusable("x")),
        Row(theirs: .keyNotFound("x")), Row(theirs: .untrustedKey("x")),
        Row(theirs: .signatureInvalid), Row(theirs: .decryptionFailed),
        Row(theirs: .claimRejected("exp", "x")), Row(theirs: .claimRejected("own", "x")),
        Row(theirs: .replayed),
        Row(.malformed(.message, "x"), "invalid_request", "invalid_request", "invalid_grant"),
        Row(.limitExceeded(.message, "x"), "invalid_request", "invalid_request", "invalid_grant"),
        Row(
            .unsupported(.message, "x"), "invalid_request", "unsupported_grant_type",
            "invalid_grant"),
        Row(.claimRejected("access_token", "x"), nil, "invalid_client", "invalid_grant"),
        Row(.claimRejected("scope", "x"), "insufficient_scope", "invalid_scope", "invalid_scope"),
        Row(ours: .unavailable(.keySet, "x"), "temporarily_unavailable"),
        Row(ours: .unavailable(.claims, "x"), "temporarily_unavailable"),
        Row(ours: .unavailable(.message, "x"), "temporarily_unavailable"),
        Row(ours: .misuse("x"), "server_error"), Row(ours: .internalFailure, "server_error"),
    ]

    private func status(_ code: String?) -> Int {
        switch code {
        case nil, "invalid_token": 401
        case "insufficient_scope": 403
        case "temporarily_unavailable": 503
        case "server_error": 500
        default: 400
        }
    }

    @Test("each error code has one response", arguments: rows) func responses(_ row: Row) throws {
        let bearer = BearerError(rejectingToken: row.error)
        #expect(bearer.code?.name == row.bearer, "\(row.error)")
        #expect(bearer.status == status(row.bearer))
        #expect(try bearer.response().status == status(row.bearer))
        let resource = try ResourceError(rejecting: row.error)
        #expect(resource.code?.name == row.bearer)
        #expect(resource.status == bearer.status)
        let client = TokenError(rejecting: row.error)
        #expect(client.code.name == row.client, "\(row.error)")
        let isClient = row.client == "invalid_client"
        #expect(client.status(authorization: "Basic x") == (isClient ? 401 : status(row.client)))
        #expect(client.status(authorization: nil) == (isClient ? 400 : status(row.client)))
        let grant = TokenError(rejectingGrant: row.error)
        #expect(grant.code.name == row.grant, "\(row.error)")
        // Only the class of the cause is sent.
        #expect(bearer.description == nil && client.description == nil && grant.description == nil)
    }

    @Test("every code is in the table, and an outage never blames the token")
    func whole() {
        #expect(Set(Self.rows.map(\.error.code)) == Set(JOSEError.Code.all))
        for step in JOSEError.Step.all {
            let outage = JOSEError.unavailable(step, "x")
            #expect(BearerError(rejectingToken: outage).code == .temporarilyUnavailable)
            #expect(BearerError(rejecting: outage).code == .temporarilyUnavailable)
            #expect(TokenError(rejecting: outage).code == .temporarilyUnavailable)
            #expect(TokenError(rejectingGrant: outage).code == .temporarilyUnavailable)
        }
    }
}
