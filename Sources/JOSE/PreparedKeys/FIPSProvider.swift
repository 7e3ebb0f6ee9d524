// The FIPS provider of OpenSSL, for single keys or for the whole process.

import JOSECrypto

/// The FIPS provider of OpenSSL, loaded and self-tested.
///
/// OpenSSL's FIPS provider is a separate module with approved algorithms only. Use it
///
/// - for the whole process: `useForProcess()`, before anything else of this library
/// - for single keys: `KeyAcceleration.fips(_:)` with `JWK.withAcceleration(_:)`
///
/// No operation falls back to another provider: an algorithm that cannot be used throws
/// `unsupported`. `docs/fips.md` lists what is approved, and what stays outside of the provider.
///
/// This library is not validated. Loading a provider does not show whether its build is validated.
/// A process has at most one FIPS provider, so all values are equal.
public struct FIPSProvider: Sendable, Hashable {
    private init() {}

    /// Loads the provider and runs its self-tests, in a library context of its own.
    ///
    /// The module's settings are those of the section `fips_sect` in the configuration file, as
    /// `openssl fipsinstall` writes it. No other section, configuration or environment variable is
    /// used. If the section has a line `module = PATH`, that file is loaded; otherwise `fips.so` in
    /// the folder of modules of the installed OpenSSL.
    ///
    /// The first call runs the self-tests, which take tenths of a second. A later call with the
    /// same settings returns the loaded provider.
    ///
    /// - Parameter path: The configuration file; nil for `fipsmodule.cnf` in the configuration
    ///   folder of the installed OpenSSL (`openssl version -d`).
    /// - Throws: `misuse` if the file cannot be read or is not such a configuration, if the path of
    ///   the module has a character that is not allowed, or if another module or other settings
    ///   were loaded before; `unsupported` if the module's file is missing; `internal` if its
    ///   integrity check or a self-test fails.
    public static func load(configuration path: String? = nil) throws(JOSEError) -> FIPSProvider {
        guard let path = path ?? FIPSLibrary.defaultConfiguration,
            let text = FIPSLibrary.read(path, maxBytes: FIPSConfiguration.maxBytes)
        else {
            throw .misuse(
                """
                the FIPS module's configuration (by default fipsmodule.cnf in the folder that \
                `openssl version -d` prints) cannot be read, or has more than {} bytes; \
                `openssl fipsinstall` writes it
                """,
                .number(FIPSConfiguration.maxBytes))
        }
        let configuration = try FIPSConfiguration(text.span)
        do throws(FIPSFailure) {
            try FIPSLibrary.load(module: configuration.module, settings: configuration.settings)
        } catch {
            throw JOSEError(error)
        }
        return FIPSProvider()
    }

    /// Uses this provider for every key, random number, digest and certificate of the process.
    ///
    /// Call it once at the start, before any other use of this library. The choice lasts until the
    /// process ends. It also applies to keys with another `KeyAcceleration`.
    ///
    /// - Throws: `misuse` if the process used the default provider already; `internal` if a
    ///   self-test failed since the provider was loaded.
    public func useForProcess() throws(JOSEError) {
        do throws(FIPSFailure) {
            try FIPSLibrary.useForProcess()
        } catch {
            throw JOSEError(error)
        }
    }

    /// The provider of the process; nil if that is the default one.
    public static var ofProcess: FIPSProvider? {
        FIPSLibrary.isUsedByProcess ? FIPSProvider() : nil
    }

    /// The name of the provider, such as `OpenSSL FIPS Provider`.
    public var name: String { FIPSLibrary.description?.name ?? "" }
    /// The version of the provider, which may differ from that of OpenSSL.
    public var version: String { FIPSLibrary.description?.version ?? "" }
    /// The build of the provider. A FIPS certificate names one build.
    public var build: String { FIPSLibrary.description?.build ?? "" }
    /// Whether the provider is running. After a failed self-test it stops, and every operation that
    /// needs it throws `internal`.
    public var isRunning: Bool { FIPSLibrary.description?.isRunning ?? false }
}

extension FIPSProvider {
    /// Throws `unsupported` if the process uses the FIPS provider, and the provider lacks an
    /// algorithm. With the default provider, missing algorithms are rejected at their first use.
    static func check<Algorithm>(
        _ algorithms: [Algorithm], _ name: (Algorithm) -> StaticString,
        _ isAvailable: (Algorithm) -> Bool
    ) throws(JOSEError) {
        guard FIPSLibrary.isUsedByProcess else { return }
        guard let first = algorithms.first(where: { !isAvailable($0) }) else { return }
        throw .unsupported(
            .algorithm,
            """
            {} cannot be used with the FIPS provider (josectl selftest --fips lists what is \
            rejected)
            """,
            .name(name(first)))
    }
}

extension JOSEError {
    fileprivate init(_ failure: FIPSFailure) {
        switch failure {
        case .noModule:
            self = .unsupported(
                .algorithm,
                """
                the FIPS provider is not installed: cannot read the module's file, which a line \
                `module = PATH` of its configuration names (by default fips.so in the folder that \
                `openssl version -m` prints)
                """)
        case .path:
            self = .misuse(
                """
                the path of OpenSSL's folder of modules has a character other than letters, \
                digits and -_.:/+@,~: name the module's file in the FIPS configuration, by a line \
                `module = PATH` without such a character
                """)
        case .notStarted:
            self = JOSEError(
                .internal, .algorithm,
                """
                the FIPS provider did not start: its integrity check or a self-test failed, or \
                the file is another module (run `openssl fipsinstall` again)
                """)
        case .other:
            self = .misuse(
                "a FIPS provider is loaded already, with another module or other settings")
        case .late:
            self = .misuse(
                """
                the process uses the default provider already: call `useForProcess()` before \
                anything else of this library
                """)
        case .unusable, .failure: self = .internalFailure
        }
    }
}
