// Keeps libcrypto usable while the process exits.

internal import JOSECrypto

/// Keeps libcrypto's data while the process exits: other threads may still use it. Call this before
/// libcurl or anything else initialises libcrypto.
package func keepCryptographyAtExit() { HostProcess.keepAtExit() }
