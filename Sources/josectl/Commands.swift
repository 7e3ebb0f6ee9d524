// The list of all commands, in the order of the help.

extension Command {
    /// A new command needs one file and one entry here.
    static let all: [Command] = [
        .keysNew, .keysCertify, .keysImport, .keysExport, .keysPublic, .keysThumbprint, .keysLint,
        .chainVerify,
        .sign, .verify, .encrypt, .decrypt, .seal, .open, .explain, .inspect,
        .batch, .selftest, .completion, .manual,
    ]
}
