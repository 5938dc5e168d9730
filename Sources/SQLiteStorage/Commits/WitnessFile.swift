/// The file `holdfast.commits`: notes each commit once it is durable and before anybody is told of it.
///
/// It is not synced with each commit, so after a loss of power it may be behind the database. It is never ahead of what was
/// durable. After a crash of the process alone it is exact.
final class WitnessFile {
    enum Reading: Equatable {
        case missing
        /// No slot is whole.
        case damaged
        case found(Witness)
    }

    private let path: String
    private var file: OpenFile

    /// Opens the file, or makes it.
    init(path: String) throws(SystemFiles.Refusal) {
        self.path = path
        file = try WitnessFile.open(path)
    }

    private static func open(_ path: String) throws(SystemFiles.Refusal) -> OpenFile {
        let file = try OpenFile(path, .writing)
        // All of it, so that no later write needs room on the disk.
        if file.size < WitnessForm.fileBytes {
            try file.write([UInt8](repeating: 0, count: WitnessForm.fileBytes - file.size), at: file.size)
        }
        return file
    }

    static func read(_ path: String) -> Reading {
        guard SystemFiles.exists(path) else { return .missing }
        guard let file = try? OpenFile(path, .reading), let bytes = try? file.read(WitnessForm.fileBytes, at: 0) else {
            return .damaged
        }
        return WitnessForm.witness(bytes).map { .found($0) } ?? .damaged
    }

    func write(_ witness: Witness) throws(SystemFiles.Refusal) {
        try file.write(WitnessForm.bytes(witness), at: WitnessForm.offset(witness.sequence))
    }

    func sync() throws(SystemFiles.Refusal) { try file.sync() }

    /// Whether another file, or none, has its name. The next start would read that one.
    var isReplaced: Bool { file.identity != FileIdentity(of: path) }

    /// Opens what has its name now, or makes it.
    func reopen() throws(SystemFiles.Refusal) { file = try WitnessFile.open(path) }
}
