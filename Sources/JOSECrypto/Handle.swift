// The owner of a C object, with the only unchecked conformance for them.

/// Owns one C object and releases it exactly once.
///
/// The objects are immutable, and their documentation allows concurrent use, which the unchecked
/// conformance states.
@safe
struct Handle: ~Copyable, @unchecked Sendable {
    /// The object, for C calls only; it never leaves the module.
    let pointer: OpaquePointer
    private let release: @convention(c) (OpaquePointer?) -> Void

    init(_ pointer: OpaquePointer, release: @escaping @convention(c) (OpaquePointer?) -> Void) {
        unsafe self.release = release
        unsafe self.pointer = pointer
    }

    // Safe: the owner cannot be copied, so this runs once and after the last use.
    deinit { unsafe release(pointer) }
}
