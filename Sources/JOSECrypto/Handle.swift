// The one owner of a C object, and the one sanctioned unchecked conformance of this module.

/// Owns one C object and releases it exactly once.
///
/// The objects are immutable and documented as safe to use from several threads at once, which
/// is what the unchecked conformance states.
@safe
struct Handle: ~Copyable, @unchecked Sendable {
    /// The object; lent to C calls, never handed out of the module.
    let pointer: OpaquePointer
    private let release: @convention(c) (OpaquePointer?) -> Void

    init(_ pointer: OpaquePointer, release: @escaping @convention(c) (OpaquePointer?) -> Void) {
        unsafe self.release = release
        unsafe self.pointer = pointer
    }

    // Safe: the owner cannot be copied, so this runs once and after the last use.
    deinit { unsafe release(pointer) }
}
