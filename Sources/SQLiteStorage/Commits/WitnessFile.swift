/// The file `holdfast.commits`: records each commit once it is durable and before its caller gets the result.
///
/// It is not synced with each commit, so after a power loss it may be behind the database. It is never ahead of the
/// durable state. If only the process crashes, it is exact.
final class WitnessFile {
    enum Reading: Equatable {
        case missing
        /// Neither slot is intact.
        case damaged
        case found(Witness)
    }

    private let path: String
    private var file: OpenFile

    /// Opens the file, or creates it.
    init(path: String) throws(SystemFiles.Refusal) {
        self.path = path
        file = try WitnessFile.open(path)
    }

    private static func open(_ path: String) throws(SystemFiles.Refusal) -> OpenFile {
        let file = try OpenFile(path, .writing)
        // Writes the full size, so that no later write needs space on the disk.
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

    /// Whether its path now names another file, or none. The next start would read that one.
    var isReplaced: Bool { file.identity != FileIdentity(of: path) }

    /// Opens the file that has its path now, or creates it.
    func reopen() throws(SystemFiles.Refusal) { file = try WitnessFile.open(path) }
}
