// The errors of a command, each with its exit code.

import JOSE
import JOSEBytes

enum ExitCode: Int32 {
    /// Success; if something was checked, it was accepted.
    case accepted = 0
    /// Rejected, or a check failed.
    case rejected = 1
    /// Wrong usage.
    case usage = 2
    /// Nothing was checked, because a file, a stream or a service is unavailable.
    case system = 3
}

/// Wrong usage of the command line; exit code 2.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// The error for an input that was rejected or could not be checked. The tool ends with `exitCode`,
/// or `batch` writes it as a response.
///
/// Errors of the library become rejections. The tool adds rejections of its own, which may name
/// members, files and options.
struct Rejection: Error {
    let code: JOSEError.Code
    let step: String
    var message: String
    let claim: String?
    /// The setting of the library that leads to the error, if there is one.
    var setting: JOSEError.Setting?
    /// Whether `explain` can read the token.
    var isExplained = true

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

    /// Puts the name of the file before the message.
    init(_ error: JOSEError, of path: String) {
        self.init(
            error.code, step: error.step.name,
            message: "\(printable(path)): \(CommandLineWording.translate(error.message))")
    }

    /// The section that explains the error, as a path in the repository.
    var page: String { ErrorPage.path(code, claim: claim) }

    /// `unavailable` has its own exit code, so that scripts do not take it for a rejection.
    var exitCode: ExitCode {
        switch code {
        case .misuse: .usage
        case .unavailable: .system
        default: .rejected
        }
    }

    /// Runs `body` and puts the name of the file before the message of its error.
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

    /// Converts an error of an operation; nil for errors that concern the process.
    init?(any error: any Error) {
        switch error {
        case let rejection as Rejection: self = rejection
        case let error as JOSEError: self.init(error)
        case let failure as JSONError: self.init(JOSEError(failure, at: .payload))
        default: return nil
        }
    }
}
