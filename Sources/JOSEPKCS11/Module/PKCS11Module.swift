// A module: the driver of tokens, loaded at run time.

internal import CJOSEPKCS11
public import JOSE
import JOSEBytes

/// A PKCS#11 module, such as `/usr/lib/softhsm/libsofthsm2.so`: code of its maker that runs in this process.
///
/// It is loaded once and stays, initialised, until the process ends: others in the process may use it too. After `fork`
/// the parent's module is `unavailable` in the child, which loads its own. The conformance is unchecked because of the C
/// pointer, which is set once and documented as safe to use from any thread.
@safe
public final class PKCS11Module: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Loads a module and initialises it, unless somebody did; blocks meanwhile.
    ///
    /// - Parameter path: A path, with a `/` in it: no folders are searched.
    /// - Throws: `misuse` for a path without one, a file that is not there or is no module; `unavailable` for a module
    ///   that cannot start now.
    public init(path: String) throws(JOSEError) {
        guard path.holds(UInt8(ascii: "/")), !path.holds(0) else {
            throw .misuse("a PKCS#11 module is named by a path with a slash in it")
        }
        var made: OpaquePointer?
        // Safe: C keeps nothing of the text.
        let status = unsafe path.withCString { unsafe jose_p11_load(&made, $0) }
        do throws(TokenFault) {
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

    // Safe: set last in init, and nobody else holds it.
    deinit { unsafe jose_p11_free(pointer) }

    /// Whether this is the process that loaded it.
    var isHere: Bool { unsafe jose_p11_is_here(pointer) }
}
