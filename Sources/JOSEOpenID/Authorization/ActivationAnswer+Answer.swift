// The first answer of an in-app authentication, from the side that gives it.

public import JOSE

extension ActivationAnswer {
    /// The answer to give to the app, status 200 with an error too: its member `status` says which it is.
    ///
    /// - Throws: `misuse` for addresses that are not `https`, for an error without a code, and where it cannot be written.
    public func answer() throws(JOSEError) -> HTTPAnswer {
        let body: [UInt8]
        switch self {
        case .started(let started):
            guard WebAddress(started.completeURL) != nil,
                started.statusURL.map({ WebAddress($0) != nil }) ?? true
            else { throw .misuse("the addresses of an activation are https addresses") }
            body = try ClaimsEncoder.object { (members) throws(JOSEError) in
                members.string("status", "OK")
                if let code = started.activationCode { members.string("activationCode", code) }
                if let address = started.statusURL { members.string("statusUrl", address) }
                members.string("completeUrl", started.completeURL)
            }
        case .failed(let code, let message):
            guard !code.isEmpty else { throw .misuse("an activation's error has a code") }
            var error: JSONObject = ["code": .string(code)]
            error["message"] = message.map(JSONValue.string)
            body = try ClaimsEncoder.encode(
                JSONValue.object(["status": "ERROR", "error": .object(error)]))
        }
        return try .notStored(String(decoding: body, as: UTF8.self), type: "application/json")
    }
}
