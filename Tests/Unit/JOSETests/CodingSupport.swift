// Shared helpers of the coder's tests.

import Foundation
import JOSE
import JOSEBytes
import Testing

func decode<T: Decodable>(_ type: T.Type, _ json: String) throws(JOSEError) -> T {
    try ClaimsDecoder.decode(type, from: Array(json.utf8), maxDepth: 32)
}

func encode<T: Encodable>(_ value: T) throws(JOSEError) -> String {
    String(decoding: try ClaimsEncoder.encode(value), as: UTF8.self)
}

/// Expects `type` to reject `json` with this code and claim.
func expectRejection<T: Decodable>(
    _ type: T.Type, _ json: String, _ claim: String?, code: JOSEError.Code = .claimRejected,
    at place: SourceLocation = #_sourceLocation
) {
    do {
        _ = try decode(type, json)
        Issue.record("\(json) was read as \(type)", sourceLocation: place)
    } catch {
        #expect(error.code == code, "\(json): \(error)", sourceLocation: place)
        #expect(error.claim == claim, "\(json): \(error)", sourceLocation: place)
    }
}

/// Expects that encoding the value is a programming error for this member.
func expectUnwritable<T: Encodable>(
    _ value: T, _ claim: String? = nil, at place: SourceLocation = #_sourceLocation
) {
    do {
        let text = try encode(value)
        Issue.record("written: \(text)", sourceLocation: place)
    } catch {
        #expect(error.code == .misuse, "\(error)", sourceLocation: place)
        #expect(error.claim == claim, "\(error)", sourceLocation: place)
    }
}

/// Expects that our coder and Foundation's read each other's JSON, and ours its own.
func expectAgreement<T: Codable & Equatable>(
    _ value: T, at place: SourceLocation = #_sourceLocation
) throws {
    let ours = try ClaimsEncoder.encode(value)
    let text = String(decoding: ours, as: UTF8.self)
    let read = try JSONDecoder().decode(T.self, from: Data(ours))
    #expect(read == value, "Foundation reads \(text)", sourceLocation: place)
    let theirs = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    #expect(try decode(T.self, theirs) == value, "we read \(theirs)", sourceLocation: place)
    #expect(try decode(T.self, text) == value, "we read \(text)", sourceLocation: place)
}

/// The claims for which the budgets are measured: 20 members.
struct TwentyClaims: Codable, Equatable {
    struct Address: Codable, Equatable {
        var locality = "Berlin"
        var country = "DE"
    }

    var iss = "https://idp.example.org/tenant-4711"
    var sub = "248289761001"
    var aud = ["client-1.apps.example", "client-2"]
    var exp = 1_516_239_622
    var iat = 1_516_239_022
    var nbf = 1_516_239_022
    var auth_time = 1_516_239_000
    var jti = "8c6f7a90-1f2d-4c7e"
    var nonce = "n-0S6_WzA2Mj"
    var acr = "urn:mace:silver"
    var amr = ["pwd", "otp", "mfa"]
    var azp = "client-1"
    var sid = "08a5019c-17e1"
    var name = "Jane Doe"
    var given_name = "Jane"
    var family_name = "Doe"
    var email = "jane.doe@example.com"
    var email_verified = true
    var address = Address()
    var updated_at = 1_516_000_000
}

/// The processor time of this thread, which other programs do not affect.
func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
