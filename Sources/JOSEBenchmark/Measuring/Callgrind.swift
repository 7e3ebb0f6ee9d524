// Reads callgrind's profiles: the instructions of the program's own object.

import Foundation

/// How often a scenario runs under callgrind, which is about fifty times slower.
let profiledIterations = 4

/// Functions of the program that do not count: the allocation counters around malloc.
private let probeFunctions: Set<Substring> = [
    "malloc", "calloc", "realloc", "free", "memalign", "aligned_alloc", "posix_memalign",
    "crypto_malloc", "crypto_realloc", "crypto_free", "probe_collect_start",
    "probe_collect_stop",
]

/// Reads one profile: its label, and the instructions of one iteration in `program` itself,
/// including libc's copying, filling and comparing on its behalf. Other code of libc, libcrypto
/// and the Swift runtime does not count.
func readProfile(_ text: String, program: String) -> (label: String, instructions: Int)? {
    var label: String?
    var objects: [Substring: Substring] = [:]
    var functions: [Substring: Substring] = [:]
    var isOurs = false
    var isProbe = false
    var calledFunction: Substring = ""
    var isCall = false
    var total = 0
    for line in text.split(separator: "\n") {
        if let first = line.utf8.first, startsCost.contains(first) {
            defer { isCall = false }
            guard isOurs, !isProbe, !isCall || isCopy(calledFunction),
                let cost = line.split(separator: " ").last
            else { continue }
            total &+= Int(cost) ?? 0
        } else if line.hasPrefix("ob=") {
            isOurs = named(line.dropFirst(3), &objects).hasSuffix(program)
        } else if line.hasPrefix("cob=") {
            _ = named(line.dropFirst(4), &objects)
        } else if line.hasPrefix("fn=") {
            isProbe = probeFunctions.contains(named(line.dropFirst(3), &functions))
        } else if line.hasPrefix("cfn=") {
            calledFunction = named(line.dropFirst(4), &functions)
        } else if line.hasPrefix("calls=") {
            isCall = true
        } else if line.hasPrefix("desc: Trigger: Client Request: ") {
            label = String(line.dropFirst(31))
        }
    }
    return label.map { ($0, total / profiledIterations) }
}

/// Digits, and the signs of relative positions.
private let startsCost: Set<UInt8> = Set("0123456789+-*".utf8)

/// memcpy, memmove, memset and memcmp, including variants for a processor.
private func isCopy(_ function: Substring) -> Bool {
    let name = function.drop { $0 == "_" }
    return name.hasPrefix("mem") && !name.hasPrefix("memalign")
}

/// callgrind writes a name once, as "(7) name", and then only "(7)".
private func named(_ text: Substring, _ names: inout [Substring: Substring]) -> Substring {
    guard text.hasPrefix("("), let end = text.firstIndex(of: ")") else { return text }
    let key = text[...end]
    let name = text[text.index(after: end)...].drop { $0 == " " }
    if !name.isEmpty { names[key] = name }
    return names[key] ?? ""
}

/// All profiles of a folder, by scenario.
func readProfiles(_ folder: String, program: String) throws -> [String: Int] {
    var found: [String: Int] = [:]
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
        guard file.hasPrefix("callgrind.out") else { continue }
        let text = try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
        if let (label, instructions) = readProfile(text, program: program) {
            found[label] = instructions
        }
    }
    return found
}
