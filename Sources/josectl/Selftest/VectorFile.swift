// A file of published vectors (Vectors/README.md tells its form), as cases with a request for batch each.

import JOSE
import JOSEBytes

/// One file.
struct VectorFile {
    let name: String
    let document: JSONDocument

    /// Nil where the file is JSON of another kind.
    init?(_ path: String, name: String) throws {
        let bytes = try Files.read(path, atMost: 67_108_864, what: "the vector file")
        do {
            document = try JSONDocument(bytes, maxDepth: 64)
        } catch {
            throw Rejection(
                .malformed, step: "call", message: "\(printable(path)) is not strict JSON")
        }
        self.name = name
        guard let format = document.member("format"),
            document.equals(at: format, "jose-vectors/1")
        else { return nil }
    }

    /// All cases: those to accept, then those to reject.
    var cases: [VectorCase] {
        var cases: [VectorCase] = []
        for list in ["vectors", "negative"] {
            guard let node = document.member(named: list) else { continue }
            document.forEachElement(of: node) {
                cases.append(VectorCase(file: self, node: $0, isHostile: list == "negative"))
            }
        }
        return cases
    }

    /// The JSON text of a key of the file's table; without its private members on request.
    func key(_ name: String, onlyPublic: Bool) -> [UInt8]? {
        guard let keys = document.member("keys"),
            let node = document.member(named: name, of: keys)
        else { return nil }
        // A shared secret has no public part: who verifies with it holds the whole.
        let isSecret = document.member("kty", of: node).map { document.equals(at: $0, "oct") }
        guard onlyPublic, isSecret != true else { return document.json(at: node) }
        var writer = JSONWriter()
        writer.beginObject()
        document.forEachMember(of: node) { (name, value) in
            let member = JWKMember.find(document.nodes[name], in: document.bytes.span)
            guard member?.isSecret != true else { return }
            writer.name(document.string(at: name) ?? "")
            writer.raw(document.json(at: value).span)
        }
        writer.endObject()
        return writer.bytes
    }

    /// The key that the file's profile decrypts with.
    var profileKey: String? {
        document.member("profile").flatMap { document.member("decryption_key", of: $0) }
            .flatMap { document.string(at: $0) }
    }

    /// A member of the file's profile as JSON text; nil where the file has no profile.
    func profile(_ name: StaticString) -> [UInt8]? {
        guard let profile = document.member("profile"),
            let node = document.member(name, of: profile)
        else { return nil }
        return document.json(at: node)
    }
}

/// Why a case cannot be run.
struct NotRun: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// One case of a file.
struct VectorCase {
    let file: VectorFile
    let node: Int
    let isHostile: Bool

    var id: String { text("id") ?? "" }
    var kind: String { text("kind") ?? "" }
    var isReject: Bool { isHostile || text("expect") == "reject" }

    /// A string of the case itself.
    func text(_ name: StaticString) -> String? { string(name, of: node) }

    /// A member of `input` or, where that has none, of `output`, as JSON text.
    func value(_ name: StaticString) -> [UInt8]? {
        for part in ["input", "output"] {
            if let object = file.document.member(named: part, of: node),
                let value = file.document.member(name, of: object)
            {
                return file.document.json(at: value)
            }
        }
        return nil
    }

    /// A string of `input`.
    func input(_ name: StaticString) -> String? {
        file.document.member("input", of: node).flatMap { string(name, of: $0) }
    }

    /// A string of `output`.
    func output(_ name: StaticString) -> String? {
        file.document.member("output", of: node).flatMap { string(name, of: $0) }
    }

    /// The texts of a list of `input`.
    func texts(_ name: StaticString) -> [String] {
        guard let input = file.document.member("input", of: node),
            let list = file.document.member(name, of: input)
        else { return [] }
        var texts: [String] = []
        file.document.forEachElement(of: list) {
            file.document.string(at: $0).map { texts.append($0) }
        }
        return texts
    }

    private func string(_ name: StaticString, of object: Int) -> String? {
        file.document.member(name, of: object).flatMap { file.document.string(at: $0) }
    }
}
