internal import Administration
internal import Glibc

/// Records in the data directory which mode made it, because known sandbox secrets and test users must never get into
/// live mode.
enum ModeMark {
    static func path(in directory: String) -> String { directory + "/mode" }

    /// Whether there is a mark. Changes nothing.
    /// - Throws: `.configuration`: the mark is of the other mode.
    @discardableResult
    static func compare(_ mode: Configuration.Mode, in directory: String) throws(StartFault) -> Bool {
        guard let found = SmallFile.read(path(in: directory)) else { return false }
        guard found == Array(mode.rawValue.utf8) else {
            throw .configuration(
                "data directory \(directory) belongs to the other mode; \(mode.rawValue) needs its own")
        }
        return true
    }

    static func check(_ mode: Configuration.Mode, in directory: String) throws(StartFault) {
        if try compare(mode, in: directory) { return }
        let path = path(in: directory)
        // Write it under another name first, so that a crash leaves a complete mark or none.
        let draft = path + ".new"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .failed("\(path) cannot be written: \(String(cString: strerror(errno)))") }
        let bytes = Array(mode.rawValue.utf8)
        let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0 && rename(draft, path) == 0
        close(file)
        guard isWritten else {
            unlink(draft)
            throw .failed("\(path) cannot be written")
        }
        try? Folder.sync(directory)
    }
}
