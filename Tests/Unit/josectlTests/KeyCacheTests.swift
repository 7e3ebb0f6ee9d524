// batch caches a key, or its defect, between lines, and never a failure of the machine.

import JOSE
import Testing

@testable import josectl

@Suite("Key cache of batch") struct KeyCacheTests {
    private func verdict(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "kept"
        } catch let error as JOSEError {
            return error.code.name
        } catch {
            return "\(error)"
        }
    }

    /// Requests one key store three times. The first request ends with this result.
    private func asked(_ first: JOSEError?) throws -> (verdicts: [String], made: Int) {
        let cache = KeyCache(limits: .standard, acceleration: .automatic)
        let now = NumericDate.now
        let root = try JWK.generate(.curve(.p256)).selfSignedAuthority(
            subject: CertificateSubject(commonName: "root"), from: now,
            until: now.advanced(by: .seconds(3_600)))
        let certificate = try #require(root.certificateChain?.first)
        var made = 0
        let verdicts = (0..<3).map { _ in
            verdict {
                _ = try cache.trust(Array("anchors".utf8)) { () throws(JOSEError) in
                    made += 1
                    if made == 1, let first { throw first }
                    return try TrustStore(anchors: [certificate])
                }
            }
        }
        return (verdicts, made)
    }

    @Test("a machine failure is reported once, and the next line tries again") func failure()
        throws
    {
        let response = try asked(.internalFailure)
        #expect(response.verdicts == ["internal", "kept", "kept"])
        #expect(response.made == 2)
    }

    @Test("a key's defect is determined once")
    func rejection() throws {
        for error in [
            JOSEError.malformed(.certificate, "x"), .limitExceeded(.certificate, "x"),
            .keyUnusable("x"), .unsupported(.certificate, "x"),
        ] {
            let response = try asked(error)
            #expect(response.verdicts == [String](repeating: error.code.name, count: 3))
            #expect(response.made == 1)
        }
        let response = try asked(nil)
        #expect(response.verdicts == ["kept", "kept", "kept"] && response.made == 1)
    }
}
