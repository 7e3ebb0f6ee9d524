// Our relying party and our provider as a process, for foreign implementations on the other side.
// One JSON request per line, one JSON response per line. It is in no product.

import Foundation
import JOSE
import JOSEOpenID

try await serve()

func serve() async throws {
    var desk = try Desk()
    while let line = readLine() {
        var response: [String: Any]
        do {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            response = try await desk.response(Request(members: object ?? [:]))
        } catch let error as JOSEError {
            response = [
                "code": error.code.name, "claim": error.claim ?? "", "message": error.message,
            ]
        } catch {
            response = ["code": "peer", "claim": "", "message": "\(error)"]
        }
        response["ok"] = response["code"] == nil
        let data = try JSONSerialization.data(
            withJSONObject: response, options: [.withoutEscapingSlashes])
        print(String(decoding: data, as: UTF8.self))
        fflush(nil)
    }
}
