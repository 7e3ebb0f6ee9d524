// The errors of a command, each with its exit code.

import JOSE
import JOSEBytes

enum ExitCode: Int32 {
    /// Success. If something was checked, it was accepted.
    case accepted = 0
    case rejected = 1
    case usage = 2
    /// Nothing was checked, because a file, a stream or a service is unavailable.
    case system = 3
}

/// Wrong usage of the command line. The exit code is 2.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// The error for an input that was rejected or could not be checked: a library error, or one of the
/// tool. `batch` writes it as a response; for other commands it decides the exit code.
struct Rejection: Error {
    let code: JOSEError.Code
    let step: String
    var message: String
    let claim: String?
    /// The library setting that causes the error, if there is one.
    var setting: JOSEError.Setting?
    /// Whether `josectl explain` can read the token.
    var isExplainable = true

    init(_ code: JOSEError.Code, step: String, message: String) {
        self.code = code
        self.step = step
        self.message = message
        claim = nil
    }

    init(_ error: JOSEError) {
        code = error.code
        step = error.step.name
        message = CommandLineWording.translate(error.message)
        claim = error.claim
        setting = error.setting
    }

    init(_ error: JOSEError, of path: String) {
        self.init(
            error.code, step: error.step.name,
            message: "\(printable(path)): \(CommandLineWording.translate(error.message))")
    }

    /// The section that explains the error, as a path in the repository.
    var page: String { ErrorPage.path(code, claim: claim) }

    /// Scripts must not take `unavailable` for a rejection: nothing was checked.
    var exitCode: ExitCode {
        switch code {
        case .misuse: .usage
        case .unavailable: .system
        default: .rejected
        }
    }

    static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as JOSEError {
            throw Rejection(error, of: path)
        }
    }

    static func misuse(_ message: String) -> Rejection {
        Rejection(.misuse, step: "call", message: message)
    }

    static func unsupported(_ message: String) -> Rejection {
        Rejection(.unsupported, step: "call", message: message)
    }

    /// Returns nil for an error of another type, such as `SystemError` or `UsageError`.
    init?(any error: any Error) {
        switch error {
        case let rejection as Rejection: self = rejection
        case let error as JOSEError: self.init(error)
        case let failure as JSONError: self.init(JOSEError(failure, at: .payload))
        default: return nil
        }
    }
}
