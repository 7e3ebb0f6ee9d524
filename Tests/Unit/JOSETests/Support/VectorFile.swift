// The files of Vectors/, located relative to this source file and loaded once.

import Foundation
import Testing

struct VectorFile: Sendable, CustomTestStringConvertible {
    let name: String
    let keys: [String: VectorValue]
    let profile: VectorValue?
    let vectors: [VectorCase]
    let negative: [VectorCase]

    var testDescription: String { name }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../Vectors").standardizedFileURL

    static func read(_ name: String) -> VectorValue {
        do {
            let data = try Data(contentsOf: folder.appending(path: name))
            return try JSONDecoder().decode(VectorValue.self, from: data)
        } catch {
            preconditionFailure("Vectors/\(name) cannot be read: \(error)")
        }
    }

    /// Every file listed in `counts.json`, by name.
    static let all: [VectorFile] = (read("counts.json")["files"]?.object ?? [:]).keys.sorted()
        .map(VectorFile.init(named:))

    static func named(_ name: String) throws -> VectorFile {
        try need(all.first { $0.name == name })
    }

    private init(named name: String) {
        let document = VectorFile.read(name)
        let keys = document["keys"]?.object ?? [:]
        self.name = name
        self.keys = keys
        profile = document["profile"]
        vectors = (document["vectors"]?.array ?? []).map { VectorCase($0, file: name, keys) }
        negative = (document["negative"]?.array ?? []).map { VectorCase($0, file: name, keys) }
    }
}

/// One vector or one hostile input.
struct VectorCase: Sendable, CustomTestStringConvertible {
    let id: String
    let kind: String
    let expect: String
    let reproducible: String?
    let base: String?
    let catalogue: Int?
    let file: String
    let input: VectorValue
    let output: VectorValue
    private let keys: [String: VectorValue]

    var testDescription: String { id }

    init(_ value: VectorValue, file: String, _ keys: [String: VectorValue]) {
        id = value["id"]?.string ?? ""
        kind = value["kind"]?.string ?? ""
        expect = value["expect"]?.string ?? ""
        reproducible = value["reproducible"]?.string
        base = value["base"]?.string
        catalogue = value["catalogue"]?.int
        input = value["input"] ?? .null
        output = value["output"] ?? .null
        self.file = file
        self.keys = keys
    }

    /// A string member of the input.
    subscript(name: String) -> String? { input[name]?.string }

    /// The JWK in a member of the input.
    func key(_ member: String = "key") -> VectorValue? { self[member].flatMap { keys[$0] } }

    /// The bytes of a `_b64u` member.
    func bytes(_ name: String) throws -> [UInt8] { try Independent.base64URL(need(self[name])) }

    func outputBytes(_ name: String) throws -> [UInt8] {
        try Independent.base64URL(need(output[name]?.string))
    }
}
