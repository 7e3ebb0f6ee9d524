// A PKCS#11 module: the driver of tokens, loaded at run time.

internal import CJOSEPKCS11
public import JOSE
import JOSEBytes
import Synchronization

/// A PKCS#11 module, such as `/usr/lib/softhsm/libsofthsm2.so`. Its code runs in this process.
///
/// A module is loaded once and stays initialised until the process ends, because other code of the
/// process may use it too. After `fork` it is `unavailable` in the child, which must `exec` before
/// it uses the library. `@unchecked Sendable`: the C pointer is set once, and cjosepkcs11.h allows
/// use from any thread.
@safe
public final class PKCS11Module: @unchecked Sendable {
    let pointer: OpaquePointer
    /// The locks of `makeKey`, by the token's identity: a token may be open more than once.
    private let keyGenerationLocks = Lock<[[[UInt8]]: KeyGenerationLock]>([:])

    /// Loads and initialises a module, unless this process already did. Blocks until that is done.
    ///
    /// - Parameter path: A path that contains a `/`; no folders are searched.
    /// - Throws: `misuse` for a path without `/` or with a zero byte, a missing file or one that is
    ///   not a module; `unavailable` if the module cannot start now.
    public init(path: String) throws(JOSEError) {
        guard path.contains(byte: UInt8(ascii: "/")), !path.contains(byte: 0) else {
            throw .misuse("the path of a PKCS#11 module needs a slash, and no zero byte")
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

    /// Loads a module as `init(path:)` does, on a separate thread, with a timeout. A module that
    /// hangs keeps its thread, and modules that are loaded later wait for it.
    ///
    /// - Parameters:
    ///   - path: A path that contains a `/`; no folders are searched.
    ///   - timeout: The maximum time to wait.
    /// - Throws: As `init(path:)`; `unavailable` after the timeout or a cancellation of the task.
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

    // Safe: set last in init, and not shared.
    deinit { unsafe jose_p11_free(pointer) }

    func keyGenerationLock(in identity: [[UInt8]]) -> KeyGenerationLock {
        keyGenerationLocks.withLock { keyGenerationLocks in
            if let lock = keyGenerationLocks[identity] { return lock }
            let lock = KeyGenerationLock()
            keyGenerationLocks[identity] = lock
            return lock
        }
    }

    var isSameProcess: Bool { unsafe jose_p11_is_same_process(pointer) }
}

private final class Loading: Sendable {
    let wait = Completion()
    private let result = Lock<Result<PKCS11Module, JOSEError>?>(nil)

    func run(_ path: String) {
        let made = Result { () throws(JOSEError) in try PKCS11Module(path: path) }
        result.withLock { $0 = made }
        wait.end()
    }

    /// Call it only after `wait` ended without an error.
    func module() throws(JOSEError) -> PKCS11Module {
        guard let result = result.withLock({ $0 }) else { throw .internalFailure }
        return try result.get()
    }
}
