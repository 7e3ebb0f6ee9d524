// Signature Version 4 of AWS: a request's headers and body, authenticated by HMAC-SHA-256.

import CServiceCrypto
import Foundation
import JOSERemote

/// An access key; temporary ones have a session token.
package struct AWSCredentials: Sendable {
    let accessKeyID: String
    let secret: String
    let sessionToken: String?

    package init(accessKeyID: String, secret: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secret = secret
        self.sessionToken = sessionToken
    }
}

/// The signature of one request.
package struct AWSSignature {
    private let region: String
    private let service: String
    private let time: String

    package init(region: String, service: String, at date: Date) {
        self.region = region
        self.service = service
        time = date.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    }

    /// Returns the headers with time, session token and signature. All of them are signed.
    package func headers(
        _ credentials: AWSCredentials, method: String, path: String, query: String = "",
        body: String, _ headers: [HTTPSRequest.Header]
    ) -> [HTTPSRequest.Header] {
        var headers = headers + [("X-Amz-Date", time)]
        if let token = credentials.sessionToken {
            headers.append(("X-Amz-Security-Token", token))
        }
        let signed = headers.map { (name: $0.name.lowercased(), value: $0.value) }
            .sorted { $0.name < $1.name }
        let names = signed.map(\.name).joined(separator: ";")
        let request =
            ([method, path, query] + signed.map { "\($0.name):\($0.value)" }
            + ["", names, hex(sha256(body))]).joined(separator: "\n")
        let day = String(time.prefix(8))
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(hex(sha256(request)))"
        var key = Array("AWS4\(credentials.secret)".utf8)
        for part in [day, region, service, "aws4_request"] { key = hmac(key, part) }
        let value =
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope), "
            + "SignedHeaders=\(names), Signature=\(hex(hmac(key, text)))"
        return headers + [("Authorization", value)]
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    private func sha256(_ text: String) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(Array(text.utf8), text.utf8.count, &digest)
        return digest
    }

    private func hmac(_ key: [UInt8], _ text: String) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        HMAC(
            EVP_sha256(), key, Int32(key.count), Array(text.utf8), text.utf8.count, &code, nil)
        return code
    }
}
