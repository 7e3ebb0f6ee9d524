// The shell recipes of the keys article, run as printed. The test only plays the CA between the
// lines.

import Foundation
import Testing

@Suite("Recipes of the keys article") struct PublishRecipeTests {
    @Test("publish your keys with certificates, and trust a provider's keys by its root")
    func recipes() throws {
        let tool = try Tool.withAuthority()
        let publish = try Tool.consoleExamples(of: Tool.keysArticle, part: "publish-shell")
        #expect(publish.count >= 5)
        for command in publish {
            // The CA issues the certificate.
            if command.contains("--chain") {
                try tool.openssl(
                    "x509 -req -in sig-1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 20 "
                        + "-copy_extensions copy -out issued.pem")
                let issued = try tool.read("issued.pem") + tool.read("ca.pem")
                try tool.write(issued, to: "issued.pem")
            }
            let response = try tool.runAll([command])
            #expect(response.code == 0, "\(command): \(response.text)\(response.error)")
        }
        let published = try tool.keys("published.jwks")
        #expect(published.count == 2)
        #expect((published[0]["x5c"] as? [String])?.count == 2 && published[0]["d"] == nil)

        try tool.write(tool.read("ca.pem"), to: "root.pem")
        try tool.write(tool.read("published.jwks"), to: "theirs.jwks")
        let trust = try Tool.consoleExamples(of: Tool.keysArticle, part: "trust-shell")
        #expect(!trust.isEmpty)
        for command in trust {
            let response = try tool.runAll([command])
            #expect(
                response.code == 0 && response.text.contains("valid"),
                "\(command): \(response.text)\(response.error)")
        }
        // Another root is rejected by name.
        try tool.openssl("req -newkey rsa:2048 -nodes -keyout o.key -out o.csr -subj /CN=other")
        try tool.openssl(
            "x509 -req -in o.csr -signkey o.key -days 3 -extfile extensions -out root.pem")
        for command in trust {
            let response = try tool.runAll([command])
            #expect(
                response.code == 1 && response.text.contains("untrusted-key"), "\(response.text)")
        }
    }
}
