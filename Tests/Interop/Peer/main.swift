// Our relying party and our provider as a process, for foreign implementations that take the other side.
// One JSON request a line in, one JSON answer a line out; in no product.

import Foundation
import JOSE
import JOSEOpenID

try await serve()

func serve() async throws {
    var desk = try Desk()
    while let line = readLine() {
        var answer: [String: Any]
        do {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            answer = try await desk.answer(Request(members: object ?? [:]))
        } catch let error as JOSEError {
            answer = [
                "code": error.code.name, "claim": error.claim ?? "", "message": error.message,
            ]
        } catch {
            answer = ["code": "peer", "claim": "", "message": "\(error)"]
        }
        answer["ok"] = answer["code"] == nil
        let data = try JSONSerialization.data(
            withJSONObject: answer, options: [.withoutEscapingSlashes])
        print(String(decoding: data, as: UTF8.self))
        fflush(nil)
    }
}
