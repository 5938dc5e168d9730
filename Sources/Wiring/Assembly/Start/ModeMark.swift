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
        try SmallFile.write(Array(mode.rawValue.utf8), to: path(in: directory))
    }
}
