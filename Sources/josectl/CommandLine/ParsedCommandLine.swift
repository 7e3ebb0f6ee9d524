// The option parser: GNU style and strict. Errors name the wrong option, argument or value.

import JOSEBytes

/// `--name value`, `--name=value`, `--flag`. `--` ends the options. `-` is an argument.
struct ParsedCommandLine {
    private var values: [String: [String]] = [:]
    private(set) var arguments: [String] = []
    private let known: [Option]

    init(_ words: ArraySlice<String>, for command: Command) throws {
        var words = words
        known = command.allOptions
        while let word = words.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                arguments.append(word)
                continue
            }
            guard word != "--" else {
                arguments += words
                break
            }
            try parseOption(word == "-h" ? "--help" : word, &words)
        }
        guard arguments.count <= command.maxArguments || has("help") else {
            throw UsageError(
                "too many arguments: \(UsageError.shown(arguments[command.maxArguments]))")
        }
    }

    private mutating func parseOption(
        _ word: String, _ words: inout ArraySlice<String>
    ) throws {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let option = known.first(where: { $0.flags.contains(String(parts[0])) }) else {
            throw UsageError.unknownOption(String(parts[0]))
        }
        guard values[option.name] == nil || option.repeats else {
            throw UsageError("--\(option.name) may be given only once")
        }
        guard option.value != nil else {
            guard parts.count == 1 else { throw UsageError("--\(option.name) takes no value") }
            values[option.name] = []
            return
        }
        if option.isValueOptional, parts.count == 1 {
            if words.first?.hasSuffix(".cnf") == true {
                throw UsageError("--\(option.name) takes its file after '=': \(option.spelling)")
            }
            values[option.name] = []
            return
        }
        guard let value = parts.count == 2 ? String(parts[1]) : words.popFirst() else {
            throw UsageError("\(option.spelling): the value is missing")
        }
        if case .closed(let allowed) = option.values, !allowed.contains(value) {
            throw UsageError(
                "--\(option.name) must be \(Option.listed(allowed)), not \(UsageError.shown(value))"
            )
        }
        values[option.name, default: []].append(value)
    }

    func takes(_ name: String) -> Bool { known.contains { $0.name == name } }

    func has(_ name: String) -> Bool { values[name] != nil }

    func all(_ name: String) -> [String] { values[name] ?? [] }

    subscript(_ name: String) -> String? { values[name]?.first }

    func required(_ name: String) throws -> String {
        guard let value = self[name] else { throw UsageError("--\(name) is required") }
        return value
    }

    func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text = self[name] else { return nil }
        guard let value = Int(text), range ~= value else {
            throw UsageError(
                "--\(name) must be a number from \(range.lowerBound) to \(range.upperBound), "
                    + "not \(UsageError.shown(text))")
        }
        return value
    }

    func list(_ name: String) -> [String]? {
        self[name].map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
