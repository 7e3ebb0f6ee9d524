// Inputs of real providers and clients: each is read, reported or rejected as
// Vectors/openid-field.json says.

import Foundation
import JOSE
import JOSEOpenID
import Testing

@Suite("Inputs seen in the field")
struct FieldCaseTests {
    @Test(
        "each input is read, or rejected by a message that names the defect",
        arguments: FieldCase.all)
    func line(_ input: FieldCase) async throws {
        let line = try await input.line()
        let expected = try Regex(input.expect)
        #expect(try expected.firstMatch(in: line) != nil, "\(line) is not \(input.expect)")
    }

    @Test("every kind of input has accepted and rejected cases")
    func kinds() {
        for kind in ["metadata", "token", "token-error", "callback", "logout", "authorization"] {
            let cases = FieldCase.all.filter { $0.kind == kind }
            #expect(cases.contains { $0.expect.hasPrefix("^ok") }, "\(kind)")
            #expect(cases.contains { $0.expect.hasPrefix("^ERR") }, "\(kind)")
        }
        #expect(Set(FieldCase.all.map(\.id)).count == FieldCase.all.count)
        #expect(FieldCase.all.count == 187)
    }
}
