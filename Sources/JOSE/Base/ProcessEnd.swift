// What must be set up before the process ends.

internal import JOSECrypto

/// Keeps libcrypto's data alive while the process exits, since other threads may still use it.
///
/// Call it before anything else initialises libcrypto, such as libcurl.
package func keepCryptographyAtExit() { HostProcess.keepAtExit() }
