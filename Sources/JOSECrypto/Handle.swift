// The owner of a C object.

/// Owns one C object and releases it exactly once. `@unchecked Sendable`: `cjosecrypto.h` allows
/// concurrent use, except for batches, whose Swift owners cannot be copied.
@safe
struct Handle: ~Copyable, @unchecked Sendable {
    /// For C calls only: the pointer never leaves the module.
    let pointer: OpaquePointer
    private let release: @convention(c) (OpaquePointer?) -> Void

    init(_ pointer: OpaquePointer, release: @escaping @convention(c) (OpaquePointer?) -> Void) {
        unsafe self.release = release
        unsafe self.pointer = pointer
    }

    // Safe: the owner cannot be copied, so this runs once and after the last use.
    deinit { unsafe release(pointer) }
}
