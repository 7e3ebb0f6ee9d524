// The end of the process.

internal import JOSECrypto

/// Threads of a process may be at work when it ends: libcrypto is to take nothing from them then. Called before something
/// else has libcrypto started, such as libcurl.
package func keepCryptographyAtExit() { HostProcess.keepAtExit() }
