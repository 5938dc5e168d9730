internal import Glibc
internal import Possession

/// The file `last-backup` in the data directory: the start time and size of the last backup. `/metrics` shows them.
///
///     1790000000000 1048576
enum BackupNote {
    struct Backup: Equatable {
        let madeAt: Timestamp
        /// The size of the encrypted file.
        let bytes: Int
    }

    private static func path(in directory: String) -> String { directory + "/last-backup" }

    /// `nil`: no backup was made, or the note cannot be read.
    static func read(in directory: String) -> Backup? {
        guard let content = SmallFile.read(path(in: directory)) else { return nil }
        let words = content.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") })
        guard words.count == 2, let at = Int64(String(decoding: words[0], as: UTF8.self)),
            let bytes = Int(String(decoding: words[1], as: UTF8.self)), at >= 0, bytes >= 0
        else { return nil }
        return Backup(madeAt: Timestamp(milliseconds: at), bytes: bytes)
    }

    /// Returns `false` if the note could not be written. The backup is valid without it.
    static func write(_ backup: Backup, in directory: String) -> Bool {
        let line = Array("\(backup.madeAt.milliseconds) \(backup.bytes)\n".utf8)
        return (try? SmallFile.write(line, to: path(in: directory))) != nil
    }
}
