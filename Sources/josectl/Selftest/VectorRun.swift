// Runs a folder of published vectors: every case is accepted, rejected, or counted as not run.

import JOSE
import JOSEBytes

/// What became of the cases.
struct VectorRun {
    private(set) var accepted = 0
    private(set) var rejected = 0
    /// Numbers of cases by the reason why they were not run.
    private(set) var notRun: [String: Int] = [:]
    /// What is not as it must be, one line each.
    private(set) var failures: [String] = []

    private let desk = BatchHandler(limits: .standard)
    /// The code of each hostile case, where the folder pins them.
    private var verdicts: JSONDocument?

    /// Runs all files of a folder.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - told: Is told before each case which it is, and of how many.
    /// - Throws: `SystemError` where the folder cannot be read, a rejection where it holds no vectors.
    init(folder: String, _ told: (Int, Int) -> Void = { _, _ in }) async throws {
        var files: [VectorFile] = []
        for name in try Files.names(in: folder, endingWith: ".json") {
            if let file = try VectorFile(folder + "/" + name, name: name) { files.append(file) }
            guard name == "verdicts.json" else { continue }
            let bytes = try Files.read(folder + "/" + name, atMost: 16_777_216, what: "the file")
            verdicts = try JSONDocument(bytes, maxDepth: 8)
        }
        guard !files.isEmpty else {
            throw Rejection.misuse("there are no vector files in \(printable(folder))")
        }
        let cases = files.flatMap(\.cases)
        for (index, entry) in cases.enumerated() {
            told(index + 1, cases.count)
            try await run(entry)
        }
    }

    private mutating func run(_ entry: VectorCase) async throws {
        let line: [UInt8]
        do {
            line = try entry.request()
        } catch let reason as NotRun {
            notRun[reason.reason, default: 0] += 1
            return
        }
        let response = try await JSONDocument(desk.response(line), maxDepth: 128)
        let code = VectorRun.code(response)
        if entry.isReject || entry.isNever {
            judgeRejection(entry, code)
        } else if let code {
            failures.append("\(entry.id): rejected with \(code)")
        } else if let difference = entry.difference(response) {
            failures.append("\(entry.id): another \(difference)")
        } else {
            accepted += 1
        }
    }

    private mutating func judgeRejection(_ entry: VectorCase, _ code: String?) {
        let wanted = verdict(entry.id)
        guard let code else {
            // A document of another party whose fault is tolerated.
            if wanted == "accepted" {
                accepted += 1
            } else {
                failures.append("\(entry.id): accepted")
            }
            return
        }
        // A line that holds the exact text of a set is rejected whole where that has a member twice.
        if let wanted, wanted != code, !(entry.hasExactSet && code == "malformed") {
            failures.append("\(entry.id): rejected with \(code) and not \(wanted)")
        } else {
            rejected += 1
        }
    }

    private func verdict(_ id: String) -> String? {
        guard let verdicts, let table = verdicts.member("verdicts"),
            let node = verdicts.member(named: id, of: table)
        else { return nil }
        return verdicts.string(at: node)
    }

    /// The code of a rejection with the claim's name; nil for an answer that is ok.
    private static func code(_ response: JSONDocument) -> String? {
        guard let error = response.member("error"),
            let code = response.member("code", of: error).flatMap({ response.string(at: $0) })
        else { return nil }
        let claim = response.member("claim", of: error).flatMap { response.string(at: $0) }
        return claim.map { code + " " + $0 } ?? code
    }
}

extension VectorCase {
    /// The first member of the answer that is not the published one.
    fileprivate func difference(_ response: JSONDocument) -> String? {
        func text(_ name: StaticString) -> String? {
            response.member(name).flatMap { response.string(at: $0) }
        }
        if let payload = input("payload_text") ?? input("plaintext_text"), text("payload") != nil,
            text("payload") != Base64URL.encodeToString(payload.utf8.span)
        {
            return "payload"
        }
        if kind == "thumbprint", let wanted = output("thumbprint_b64u"),
            text("thumbprint") != wanted
        {
            return "thumbprint"
        }
        if kind == "thumbprint-uri", let wanted = output("uri"), text("uri") != wanted {
            return "uri"
        }
        return nil
    }
}
