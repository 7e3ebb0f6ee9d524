// A module: the driver of tokens, loaded at run time.

internal import CJOSEPKCS11
public import JOSE
import JOSEBytes
import Synchronization

/// A PKCS#11 module, such as `/usr/lib/softhsm/libsofthsm2.so`: code of its maker that runs in this process.
///
/// It is loaded once and stays, initialised, until the process ends: others in the process may use it too. After `fork`
/// the parent's module is `unavailable` in the child, which loads its own. The conformance is unchecked because of the C
/// pointer, which is set once and documented as safe to use from any thread.
@safe
public final class PKCS11Module: @unchecked Sendable {
    let pointer: OpaquePointer
    /// The turns of makers of keys, by what a token says of itself: several values may be open on
    /// one.
    private let turns = Lock<[[[UInt8]]: KeyGenerationLock]>([:])

    /// Loads a module and initialises it, unless somebody did; blocks meanwhile, as long as the module does.
    ///
    /// - Parameter path: A path, with a `/` in it: no folders are searched.
    /// - Throws: `misuse` for a path without one, a file that is not there or is no module; `unavailable` for a module
    ///   that cannot start now.
    public init(path: String) throws(JOSEError) {
        guard path.contains(byte: UInt8(ascii: "/")), !path.contains(byte: 0) else {
            throw .misuse("a PKCS#11 module is named by a path with a slash in it")
        }
        keepCryptographyAtExit()
        var made: OpaquePointer?
        // Safe: C keeps nothing of the text.
        let status = unsafe path.withCString { unsafe jose_p11_load(&made, $0) }
        do throws(PKCS11Error) {
            try check(status)
        } catch {
            if case .noModule = error {
                throw .misuse("there is no PKCS#11 module at the path")
            }
            throw .unavailable(.key, "the PKCS#11 module does not start")
        }
        guard let made = unsafe made else { throw .internalFailure }
        unsafe pointer = made
    }

    /// Loads a module as `init(path:)` does, on a thread of its own: nobody waits for longer, whatever the module does.
    ///
    /// A module that hangs keeps its thread, and others that are loaded afterwards wait behind it.
    ///
    /// - Parameters:
    ///   - path: A path, with a `/` in it: no folders are searched.
    ///   - timeout: How long to wait.
    /// - Throws: As `init(path:)`; `unavailable` where it does not start in time, or the task was cancelled.
    public static func load(
        path: String, timeout: Duration = .seconds(30)
    ) async throws(JOSEError) -> PKCS11Module {
        let loading = Loading()
        guard WorkerPool.process.start({ loading.run(path) }) else {
            throw .unavailable(.key, "there is no thread for the PKCS#11 module")
        }
        do throws(ExternalKeyWaitError) {
            try await ExternalKeyClock().wait(for: loading.wait, before: .end(of: timeout))
        } catch {
            guard error != .cancelled else { throw .unavailable(.key, "the task was cancelled") }
            throw .unavailable(.key, "the PKCS#11 module does not start in time")
        }
        return try loading.module()
    }

    // Safe: set last in init, and nobody else holds it.
    deinit { unsafe jose_p11_free(pointer) }

    /// The turn of makers of keys in a token.
    func makingTurn(in identity: [[UInt8]]) -> KeyGenerationLock {
        turns.withLock { turns in
            if let turn = turns[identity] { return turn }
            let turn = KeyGenerationLock()
            turns[identity] = turn
            return turn
        }
    }

    /// Whether this is the process that loaded it.
    var isHere: Bool { unsafe jose_p11_is_here(pointer) }
}

/// A module on its way.
private final class Loading: Sendable {
    let wait = Completion()
    private let result = Lock<Result<PKCS11Module, JOSEError>?>(nil)

    func run(_ path: String) {
        let made = Result { () throws(JOSEError) in try PKCS11Module(path: path) }
        result.withLock { $0 = made }
        wait.end()
    }

    /// What came of it; there where the wait ended without an outage.
    func module() throws(JOSEError) -> PKCS11Module {
        guard let result = result.withLock({ $0 }) else { throw .internalFailure }
        return try result.get()
    }
}
