// The three ways in which a command can fail, each with its exit code.

import JOSE
import JOSEBytes

/// What the tool ends with.
enum ExitCode: Int32 {
    /// Done; where something was checked, it was accepted.
    case accepted = 0
    /// Rejected, or a check failed.
    case rejected = 1
    /// The command line makes no sense.
    case usage = 2
    /// A file, a stream or a source of keys could not be read or written: nothing was judged.
    case system = 3
}

/// A command line that makes no sense; ends with exit code 2.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// Something was rejected or could not be judged; ends with `exitCode`, or as one answer of `batch`.
///
/// The engine's errors become rejections; the tool adds its own, which may name a member, a file or an option.
struct Rejection: Error {
    let code: JOSEError.Code
    let step: String
    var message: String
    let claim: String?
    /// The setting that decides about the error, if there is one.
    var setting: JOSEError.Setting?
    /// Whether `explain` reads the token that it is about.
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
        message = ShellWords.translated(error.message)
        claim = error.claim
        setting = error.setting
    }

    /// With the name of the file before what the engine says.
    init(_ error: JOSEError, of path: String) {
        self.init(
            error.code, step: error.step.name,
            message: "\(printable(path)): \(ShellWords.translated(error.message))")
    }

    /// Where it is explained: a URL once the project has one.
    var page: String {
        let url = ErrorPage.address(code, claim: claim)
        guard url.utf8.starts(with: "https://example.org/".utf8) else { return url }
        return "the page Errors, section \(ErrorPage.anchor(code, claim: claim))"
    }

    /// What the tool ends with: an outage is no rejection, so that a script does not take it for one.
    var exitCode: ExitCode {
        switch code {
        case .misuse: .usage
        case .unavailable: .system
        default: .rejected
        }
    }

    /// Does something with a file and puts its name before what the engine says of it.
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

    /// Any error that a job can end in; nil for those that concern the process.
    init?(any error: any Error) {
        switch error {
        case let rejection as Rejection: self = rejection
        case let error as JOSEError: self.init(error)
        case let failure as JSONError: self.init(JOSEError(failure, at: .payload))
        default: return nil
        }
    }
}
