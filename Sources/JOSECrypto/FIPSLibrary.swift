// The FIPS provider of libcrypto: loading it, and choosing it for the process.

internal import CJOSECrypto

package enum CryptoModule: Sendable, Hashable {
    /// The default provider, or the FIPS provider after `FIPSLibrary.useForProcess()`.
    case process
    case fips

    var native: jose_module {
        switch self {
        case .process: .JOSE_MODULE_PROCESS
        case .fips: .JOSE_MODULE_FIPS
        }
    }
}

package enum FIPSFailure: Error, Sendable {
    /// The module's file cannot be read.
    case noModule
    /// The module's path is not absolute, or has a character that is not allowed.
    case path
    /// An integrity check or self-test failed, the file is no FIPS module, or the module stopped.
    case notStarted
    /// A provider was loaded before, with another module or other settings.
    case other
    /// The process uses the default provider already.
    case late
    /// `HostProcess.libraryFailure` has the reason.
    case unusable
    /// Memory or libcrypto failed, a setting is not allowed, or no provider is loaded.
    case failure

    init?(_ failure: jose_fips_failure) {
        switch failure {
        case .JOSE_FIPS_OK: return nil
        case .JOSE_FIPS_NO_MODULE: self = .noModule
        case .JOSE_FIPS_PATH: self = .path
        case .JOSE_FIPS_NOT_STARTED: self = .notStarted
        case .JOSE_FIPS_OTHER: self = .other
        case .JOSE_FIPS_LATE: self = .late
        case .JOSE_FIPS_UNUSABLE: self = .unusable
        case .JOSE_FIPS_INTERNAL: self = .failure
        }
    }
}

/// The FIPS provider of libcrypto. A process has at most one.
package enum FIPSLibrary {
    /// Loads the provider with these settings only, and runs its self-tests. `module` is the
    /// absolute path of the module's file; nil for `fips` in libcrypto's folder of modules.
    package static func load(
        module: String?, settings: [(name: String, value: String)]
    ) throws(FIPSFailure) {
        guard let module = module ?? defaultModule else { throw .failure }
        // Each string ends with a zero byte; `offsets` has the starts of names and values.
        var bytes = ContiguousArray(module.utf8CString)
        var offsets: [Int] = []
        for setting in settings {
            offsets.append(bytes.count)
            bytes += setting.name.utf8CString
            offsets.append(bytes.count)
            bytes += setting.value.utf8CString
        }
        // Safe: the strings outlive the call, which keeps nothing of them.
        let failure = unsafe bytes.withUnsafeBufferPointer { text in
            guard let base = text.baseAddress else { return jose_fips_failure.JOSE_FIPS_INTERNAL }
            let table = unsafe stride(from: 0, to: offsets.count, by: 2).map { index in
                unsafe jose_fips_setting(
                    name: base + offsets[index], value: base + offsets[index + 1])
            }
            return unsafe table.withUnsafeBufferPointer { table in
                unsafe jose_fips_load(base, table.baseAddress, table.count)
            }
        }
        if let failure = FIPSFailure(failure) { throw failure }
    }

    /// Makes the process use the loaded provider until the process ends.
    package static func useForProcess() throws(FIPSFailure) {
        if let failure = FIPSFailure(jose_fips_use()) { throw failure }
    }

    package static var isUsedByProcess: Bool { jose_fips_is_used() }

    package struct Description: Sendable {
        package let name: String
        package let version: String
        package let build: String
        package let isRunning: Bool
    }

    /// What the loaded provider reports about itself; nil if none is loaded or nothing is reported.
    package static var description: Description? {
        var found = jose_fips_description()
        // Safe: C writes the structure.
        guard unsafe jose_fips_describe(&found) else { return nil }
        return Description(
            name: text(&found.name), version: text(&found.version), build: text(&found.build),
            isRunning: found.is_running)
    }

    /// Reads a regular file of at most `maxBytes`; nil if that fails.
    package static func read(_ path: String, maxBytes: Int) -> [UInt8]? {
        guard !path.utf8.contains(0) else { return nil }
        var count = maxBytes
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, initialized in
            // Safe: C writes at most `count` bytes.
            let status = unsafe jose_fips_read(path, buffer.baseAddress, &count)
            initialized = status == .JOSE_OK ? count : 0
            count = status == .JOSE_OK ? count : -1
        }
        return count < 0 ? nil : bytes
    }

    /// The path of `fipsmodule.cnf` in libcrypto's configuration folder.
    package static var defaultConfiguration: String? {
        unsafe path { unsafe jose_fips_default_configuration($0, $1) }
    }

    private static var defaultModule: String? {
        unsafe path { unsafe jose_fips_default_module($0, $1) }
    }

    private static func path(
        _ write: (UnsafeMutablePointer<CChar>?, Int) -> Bool
    ) -> String? {
        var text = [CChar](repeating: 0, count: 4096)
        let isWritten = unsafe text.withUnsafeMutableBufferPointer {
            unsafe write($0.baseAddress, $0.count)
        }
        return isWritten
            ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self) : nil
    }

    private static func text<Characters>(_ characters: inout Characters) -> String {
        // Safe: C ends the string within the array.
        unsafe withUnsafeBytes(of: &characters) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

extension NativeKey {
    /// Imports the key into the loaded FIPS provider. Throws `unusableKey` if the provider rejects
    /// a number, `unsupported` if it has no such keys or none is loaded.
    package func inFIPSProvider() throws(CryptoError) -> NativeKey {
        var key: OpaquePointer?
        try check(unsafe jose_key_to_fips(&key, handle.pointer))
        return try unsafe NativeKey.owned(key, kind)
    }

    package var isFIPS: Bool { unsafe jose_key_is_fips(handle.pointer) }
}
