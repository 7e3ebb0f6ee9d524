// The example of docs/fips.md.

import JOSE

/// The first statement of a program.
enum FIPSPage {
    static func start() throws {
        try FIPSProvider.load().useForProcess()
    }
}
