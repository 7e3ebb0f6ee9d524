// The machine that numbers are measured on.

import Foundation

enum Machine {
    static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "aarch64"
        #else
            "other"
        #endif
    }

    /// The processor as Linux names it, with family and model, since virtual machines give many
    /// generations one name.
    static var processor: String {
        let fields = firstProcessor()
        let name = fields["model name"] ?? architecture
        guard let family = fields["cpu family"], let model = fields["model"] else { return name }
        return "\(name) (family \(family), model \(model))"
    }

    static var kind: ProcessorKind? {
        let fields = firstProcessor()
        guard let vendor = fields["vendor_id"],
            let family = fields["cpu family"].flatMap({ Int($0) }),
            let model = fields["model"].flatMap({ Int($0) })
        else { return nil }
        return ProcessorKind(vendor: vendor, family: family, model: model)
    }

    /// Whether AVX2 is missing. Instructions are counted with the AVX2 byte kernels.
    static var lacksAVX2: Bool {
        guard architecture == "x86_64" else { return false }
        return firstProcessor()["flags"]?.split(separator: " ").contains("avx2") != true
    }

    /// The fields of the first processor in /proc/cpuinfo.
    private static func firstProcessor() -> [String: String] {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        var fields: [String: String] = [:]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            // An empty line ends its fields.
            guard let colon = line.firstIndex(of: ":") else { break }
            let name = line[..<colon].trimmingCharacters(in: .whitespaces)
            fields[name] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return fields
    }

    /// The version of the compiler in PATH, such as `swift-6.3.1-RELEASE`.
    static var toolchain: String {
        guard let swift = findProgram("swift"),
            let output = try? runProgram(swift, ["--version"]).output,
            let version = output.firstMatch(of: /swift-[0-9A-Za-z.-]+/)
        else { return "unknown" }
        return String(version.output)
    }
}

/// The processor as Linux names it, with family and model.
@_spi(Bench) public func processorName() -> String { Machine.processor }

/// A kind of x86-64 processor.
@_spi(Bench) public struct ProcessorKind {
    /// Such as `AuthenticAMD`.
    public let vendor: String
    /// The family, with the extended one added.
    public let family: Int
    /// The model within the family.
    public let model: Int
}

/// The kind of this processor, or nil if Linux does not name it.
@_spi(Bench) public func processorKind() -> ProcessorKind? { Machine.kind }

/// The version of the running libcrypto, such as "3.0.19".
@_spi(Bench) public func libcryptoVersion() -> String { Probe.libcrypto }
