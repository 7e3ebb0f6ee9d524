// Keeps libcrypto usable while the process exits.

internal import JOSECrypto

/// Keeps libcrypto's data alive while the process exits, since other threads may still use it.
///
/// Call this before anything else, such as libcurl, initialises libcrypto.
package func keepCryptographyAtExit() { HostProcess.keepAtExit() }
