// The keys of services behind HTTPS. Requests are compared byte for byte with constants. The
// digests were computed with Python's hashlib, the signature of the KMS request with botocore
// 1.44.8.

import CloudKeys
import Foundation
import JOSE
import JOSERemote
import Synchronization
import Testing

/// Records requests, and responds to each.
private final class Mock: Sendable {
    struct Answer: Sendable {
        var status = 200
        let body: String
    }
    private let requests = Mutex<[String]>([])
    private let answer: @Sendable (String) throws -> Answer

    init(_ answer: @escaping @Sendable (String) throws -> Answer) { self.answer = answer }

    /// Everything that was sent: URL, headers in order, and body.
    var all: [String] { requests.withLock { $0 } }

    func exchange(_ request: HTTPSRequest) throws -> (status: Int, body: [UInt8]) {
        let headers = request.headers.map { "\($0.name): \($0.value)" }
        let lines = [request.url] + headers + ["", request.body ?? "no body"]
        requests.withLock { $0.append(lines.joined(separator: "\n")) }
        let answer = try answer(request.body ?? "")
        return (answer.status, Array(answer.body.utf8))
    }
}

/// A timeout that a slow machine does not reach.
private let ample = Duration.seconds(120)

extension JWK {
    /// The public key, whose private operations an external key does.
    fileprivate func with(_ external: some ExternalKey) throws -> JWK {
        try publicKey.withExternalKey(external, options: ExternalKeyOptions(timeout: ample))
    }
}

/// SHA-256 of the token's signing input, whose header is `{"alg":"RS256","kid":"r-1"}`.
private let digest = "fLGrDOreaBux614fRCU+e3l7+ofWMeiFyYFMitFxeEc="

@Suite("Keys in Vault, OpenBao and AWS KMS")
struct CloudKeysTests {
    private let rsa: JWK
    private let date = Date(timeIntervalSince1970: 1_440_938_160)  // 2015-08-30 12:36 UTC

    init() throws {
        rsa = try .generate(.rsa, keyID: "r-1", use: .signature)
    }

    private func vault(
        _ mock: Mock, _ capabilities: ExternalKeyCapabilities, name: String = "tokens",
        version: Int = 2
    ) throws -> VaultTransitKey {
        try VaultTransitKey(
            url: "https://vault.example:8200/v1/transit", name: name, version: version,
            capabilities: capabilities, token: { "hvs.token" }, exchange: { try mock.exchange($0) })
    }

    /// The signature of a token that a local key makes of the same input. RS256 is deterministic.
    private func signature(_ payload: [UInt8]) throws -> [UInt8] {
        let token = try JWSSigner(key: rsa, algorithm: .rs256).sign(payload)
        return Array(
            try #require(Data(base64Encoded: standard(String(token.split(separator: ".")[2])))))
    }

    /// Base64 with padding, of base64url.
    private func standard(_ text: String) -> String {
        text.replacing("-", with: "+").replacing("_", with: "/")
            + String(repeating: "=", count: -text.utf8.count & 3)
    }

    @Test("Vault signs RS256: the request, byte for byte, and the token")
    func vaultSigns() async throws {
        let payload = Array("payload".utf8)
        let signed = Data(try signature(payload)).base64EncodedString()
        let mock = Mock { _ in .init(body: #"{"data":{"signature":"vault:v2:\#(signed)"}}"#) }
        let key = try rsa.with(
            try vault(mock, ExternalKeyCapabilities(signatures: [.rs256])))
        let token = try await JWSSigner(key: key, algorithm: .rs256).sign(
            payload, timeout: ample)
        #expect(try JWSSigner(key: rsa, algorithm: .rs256).sign(payload) == token)
        #expect(
            mock.all == [
                """
                https://vault.example:8200/v1/transit/sign/tokens/sha2-256
                Content-Type: application/json
                X-Vault-Token: hvs.token

                {"input":"\(digest)","key_version":2,"prehashed":true,\
                "signature_algorithm":"pkcs1v15"}
                """
            ])
    }

    @Test(
        "another version, a broken response and a rejection give no signature",
        arguments: [
            (200, #"{"data":{"signature":"vault:v3:AAAA"}}"#, JOSEError.Code.internal),
            (200, #"{"data":{"signature":"vault:v2:AAAA"}}"#, .internal),
            (200, "{}", .internal), (400, "{}", .internal), (403, "{}", .unavailable),
            (429, "{}", .unavailable), (503, "{}", .unavailable),
        ])
    func vaultFails(_ status: Int, _ body: String, _ code: JOSEError.Code) async throws {
        let mock = Mock { _ in .init(status: status, body: body) }
        let key = try rsa.with(
            try vault(mock, ExternalKeyCapabilities(signatures: [.rs256])))
        let signer = try JWSSigner(key: key, algorithm: .rs256)
        let error = await #expect(throws: JOSEError.self) {
            _ = try await signer.sign([1], timeout: ample)
        }
        #expect(error?.code == code)
        #expect(mock.all.count >= 1)
    }

    /// RFC 7516, A.1, prints the content key.
    @Test("KMS unwraps a content key: the example of RFC 7516, A.1")
    func kmsDecrypts() async throws {
        let file = URL(filePath: #filePath).appending(path: "../../../../../Vectors/rfc7516.json")
        let vectors = try JSONSerialization.jsonObject(
            with: Data(contentsOf: file.standardizedFileURL))
        let all = try #require(vectors as? [String: Any])
        let example = try #require((all["vectors"] as? [[String: Any]])?.first)
        let input = try #require(example["input"] as? [String: Any])
        let output = try #require(example["output"] as? [String: String])
        let token = try #require(output["compact"])
        let contentKey = standard(try #require(input["cek_b64u"] as? String))
        let keys = try #require(all["keys"] as? [String: Any])
        let recipient = try JWK(
            json: String(
                decoding: JSONSerialization.data(
                    withJSONObject: try #require(keys["a1-rsa"])), as: UTF8.self))
        let mock = Mock { _ in .init(body: #"{"Plaintext":"\#(contentKey)"}"#) }
        let key = try recipient.with(
            try kms(mock, ExternalKeyCapabilities(keyManagement: [.rsaOAEP])))
        let message = try await JWEDecrypter(
            key: key, algorithms: [.rsaOAEP], content: [.a256GCM]
        ).decrypt(token, timeout: ample)
        #expect(
            String(decoding: message.unauthenticatedPlaintext, as: UTF8.self)
                == input["plaintext_text"] as? String)
        let wrapped = standard(try #require(output["encrypted_key_b64u"]))
        #expect(
            mock.all[0].hasSuffix(
                """
                {"CiphertextBlob":"\(wrapped)","EncryptionAlgorithm":"RSAES_OAEP_SHA_1",\
                "KeyId":"1234abcd-12ab-34cd-56ef-1234567890ab"}
                """))
    }

    /// A wrong content key of the right size: the error has no reason.
    @Test("a wrong content key of Vault or KMS is decryptionFailed")
    func decrypts() async throws {
        let recipient = try JWK.generate(.rsa, use: .encryption)
        let text = Array("a message".utf8)
        let token = try JWEEncrypter(
            key: recipient.publicKey, algorithm: .rsaOAEP256, content: .a256GCM
        ).encrypt(text)
        let wrong = Data(repeating: 7, count: 32).base64EncodedString()
        let wrapped = standard(String(token.split(separator: ".")[1]))
        let mock = Mock { _ in
            .init(body: #"{"data":{"plaintext":"\#(wrong)"},"Plaintext":"\#(wrong)"}"#)
        }
        let capabilities = ExternalKeyCapabilities(keyManagement: [.rsaOAEP256])
        for external: any ExternalKey in try [vault(mock, capabilities), kms(mock, capabilities)] {
            let key = try recipient.with(external)
            let decrypter = try JWEDecrypter(
                key: key, algorithms: [.rsaOAEP256], content: [.a256GCM])
            let error = await #expect(throws: JOSEError.self) {
                _ = try await decrypter.decrypt(token, timeout: ample)
            }
            #expect(error?.code == .decryptionFailed)
        }
        #expect(
            mock.all[0] == """
                https://vault.example:8200/v1/transit/decrypt/tokens
                Content-Type: application/json
                X-Vault-Token: hvs.token

                {"ciphertext":"vault:v2:\(wrapped)"}
                """)
        #expect(
            mock.all[1].hasSuffix(
                """
                {"CiphertextBlob":"\(wrapped)","EncryptionAlgorithm":"RSAES_OAEP_SHA_256",\
                "KeyId":"1234abcd-12ab-34cd-56ef-1234567890ab"}
                """))
    }

    private func kms(
        _ mock: Mock, _ capabilities: ExternalKeyCapabilities, region: String = "eu-central-1"
    ) throws -> AWSKMSKey {
        try AWSKMSKey(
            region: region, keyID: "1234abcd-12ab-34cd-56ef-1234567890ab",
            capabilities: capabilities,
            credentials: { AWSCredentials(accessKeyID: "AKIDEXAMPLE", secret: "secret") },
            now: { [date] in date }, exchange: { try mock.exchange($0) })
    }

    @Test("a setting that would reach another host, key or version is rejected")
    func settings() throws {
        let mock = Mock { _ in .init(body: "{}") }
        let capabilities = ExternalKeyCapabilities(signatures: [.rs256])
        for region in ["", "x.evil.example/", "eu-central-1.", "EU", "a@b", "a/", "a?", "\u{e9}"] {
            #expect(throws: InvalidSetting.self, "\(region)") {
                try kms(mock, capabilities, region: region)
            }
        }
        for name in ["", "../", "a/b", "..", "a?b", "a#", "a%2fb", "a b", "\u{212a}"] {
            #expect(throws: InvalidSetting.self, "\(name)") {
                try vault(mock, capabilities, name: name)
            }
        }
        for version in [0, -1] {
            #expect(throws: InvalidSetting.self) {
                try vault(mock, capabilities, version: version)
            }
        }
        _ = try kms(mock, capabilities, region: "us-gov-west-1")
        _ = try vault(mock, capabilities, name: "A-z_9", version: 1)
        #expect(mock.all.isEmpty)
    }

    @Test("KMS signs RS256: headers and body, byte for byte")
    func kmsSigns() async throws {
        let payload = Array("payload".utf8)
        let signed = Data(try signature(payload)).base64EncodedString()
        let mock = Mock { _ in .init(body: #"{"Signature":"\#(signed)"}"#) }
        let key = try rsa.with(
            try kms(mock, ExternalKeyCapabilities(signatures: [.rs256])))
        let token = try await JWSSigner(key: key, algorithm: .rs256).sign(
            payload, timeout: ample)
        #expect(try JWSSigner(key: rsa, algorithm: .rs256).sign(payload) == token)
        #expect(
            mock.all == [
                """
                https://kms.eu-central-1.amazonaws.com/
                Content-Type: application/x-amz-json-1.1
                Host: kms.eu-central-1.amazonaws.com
                X-Amz-Target: TrentService.Sign
                X-Amz-Date: 20150830T123600Z
                Authorization: AWS4-HMAC-SHA256 \
                Credential=AKIDEXAMPLE/20150830/eu-central-1/kms/aws4_request, \
                SignedHeaders=content-type;host;x-amz-date;x-amz-target, \
                Signature=112b258fdad97c2535a22a87aa68f0fd5a6b05a4da4d3ad99c57d8ebac2041db

                {"KeyId":"1234abcd-12ab-34cd-56ef-1234567890ab","Message":"\(digest)",\
                "MessageType":"DIGEST","SigningAlgorithm":"RSASSA_PKCS1_V1_5_SHA_256"}
                """
            ])
    }

    @Test(
        "KMS: what its errors mean",
        arguments: [
            ("ThrottlingException", JOSEError.Code.unavailable),
            ("AccessDeniedException", .unavailable), ("KMSInternalException", .unavailable),
            ("com.amazonaws.kms#ValidationException", .internal),
        ])
    func kmsFails(_ name: String, _ code: JOSEError.Code) async throws {
        let mock = Mock { _ in .init(status: 400, body: #"{"__type":"\#(name)"}"#) }
        let key = try rsa.with(
            try kms(mock, ExternalKeyCapabilities(signatures: [.rs256])))
        let signer = try JWSSigner(key: key, algorithm: .rs256)
        let error = await #expect(throws: JOSEError.self) {
            _ = try await signer.sign([1], timeout: ample)
        }
        #expect(error?.code == code)
    }

    /// The example of "Create a signed AWS API request" in the AWS General Reference: ListUsers of
    /// IAM at 2015-08-30 12:36 UTC.
    @Test("Signature Version 4: the example of the AWS General Reference")
    func signatureVersion4() {
        let headers = AWSSignature(region: "us-east-1", service: "iam", at: date).headers(
            AWSCredentials(
                accessKeyID: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            method: "GET", path: "/", query: "Action=ListUsers&Version=2010-05-08", body: "",
            [
                ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"),
                ("Host", "iam.amazonaws.com"),
            ])
        #expect(
            headers.last?.value == "AWS4-HMAC-SHA256 "
                + "Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
                + "SignedHeaders=content-type;host;x-amz-date, "
                + "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7")
    }
}
