/// Why a backup cannot be written or read. The text is for the operator; it contains the file's name and nothing of its
/// content.
package enum BackupFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The system refused a step.
    case file(path: String, reason: String)
    /// The file is not a backup.
    case foreign(path: String)
    /// A later version of the program has written it.
    case newer(path: String, form: Int)
    /// It is encrypted under another master key; the IDs of both.
    case otherKey(path: String, wanted: String, given: String)
    /// A part was changed or is missing. The number counts chunks of 64 KiB from 1.
    case damaged(path: String, chunk: Int, of: Int)
    /// It opens, but its description contradicts its content.
    case contradiction(path: String, reason: String)
    /// OpenSSL refused a step.
    case cipher(path: String, reason: String)

    package var description: String {
        switch self {
        case .file(let path, let reason): "\(path) \(reason)"
        case .foreign(let path): "\(path) is not a backup of Holdfast"
        case .newer(let path, let form):
            "\(path) is a backup of form \(form), this version knows \(BackupHeader.form): use the newer version"
        case .otherKey(let path, let wanted, let given):
            "\(path) is encrypted under master key \(wanted), and not under \(given): give the one of the time when it was made with --master-key"
        case .damaged(let path, let chunk, let chunks):
            "\(path) is damaged at chunk \(chunk) of \(chunks), or its end is missing: take another backup"
        case .contradiction(let path, let reason): "\(path) contradicts itself: \(reason)"
        case .cipher(let path, let reason): "\(path): \(reason)"
        }
    }

    /// Whether the fault lies in this file, so that another backup may be good.
    package var isOfTheFile: Bool {
        switch self {
        case .foreign, .newer, .otherKey, .damaged, .contradiction: true
        case .file, .cipher: false
        }
    }
}
