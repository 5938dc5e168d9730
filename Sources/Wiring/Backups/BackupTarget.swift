internal import Administration
internal import Glibc
internal import Possession

/// Where a backup goes: a file, or a folder in which it gets a name by its time, such as
/// `holdfast-20261123T203340Z.backup`.
struct BackupTarget {
    let path: String
    /// Set when the operator named a folder.
    private let folder: String?

    private static let start = "holdfast-"
    private static let end = ".backup"
    private static let partEnd = ".part"

    init(_ path: String, at time: Timestamp) {
        guard Folder.exists(path) else {
            self.path = path
            folder = nil
            return
        }
        // A second has one name. The next one is near enough: `mostDifference`.
        let names = (0..<Int64(Self.mostDifference)).lazy.map {
            path + "/" + Self.name(at: time.adding(.seconds($0)))
        }
        self.path = names.first { !Folder.isTaken($0) } ?? path + "/" + Self.name(at: time)
        folder = path
    }

    private static func name(at time: Timestamp) -> String {
        // `2026-11-23T20:33:40.123Z` without what file systems or shells dislike.
        let digits = time.rfc3339.utf8.prefix(19).filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
        return start + String(decoding: digits, as: UTF8.self) + "Z" + end
    }

    /// Whether a file has the name of a backup that was made after `time`.
    static func isName(_ name: String, after time: Timestamp) -> Bool {
        isOurs(name, end: end) && Self.name(at: time).utf8.lexicographicallyPrecedes(name.utf8)
    }

    /// The most that the time in a name and the time in the file may differ, in seconds: a name has whole seconds, and was
    /// given when the backup was begun.
    private static let mostDifference = 60

    /// Whether a file has the name of a backup of another time: it was renamed, or another one was put in its place. A name
    /// that is not ours says no time.
    static func isName(_ name: String, farFrom time: Timestamp) -> Bool {
        guard isOurs(name, end: end), isTime(name.utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count)) else {
            return false
        }
        // The bounds are names themselves: those of one length are in the order of their times.
        let earliest = Self.name(at: time.adding(.seconds(-mostDifference)))
        let latest = Self.name(at: time.adding(.seconds(mostDifference)))
        return name.utf8.lexicographicallyPrecedes(earliest.utf8) || latest.utf8.lexicographicallyPrecedes(name.utf8)
    }

    /// Whether it is written as `20261123T203340Z`.
    private static func isTime(_ text: Substring.UTF8View) -> Bool {
        zip(text, "00000000T000000Z".utf8).allSatisfy { byte, form in
            form == UInt8(ascii: "0") ? (48...57).contains(byte) : byte == form
        }
    }

    var isInFolder: Bool { folder != nil }
    var parent: String { Folder.parent(of: path) }
    /// Its name until it is whole.
    var partPath: String { path + Self.partEnd }

    /// Removes what backups have left that were killed.
    func removeLeftovers() {
        unlink(partPath)
        guard let folder else { return }
        for name in Folder.names(in: folder) where Self.isOurs(name, end: Self.end + Self.partEnd) {
            unlink(folder + "/" + name)
        }
    }

    /// Removes the oldest backups of the folder until so many are left; returns their names. The one that was just made
    /// stays, also where a wrong clock has given it an early name.
    func removeOldest(keeping count: Int) -> [String] {
        guard let folder else { return [] }
        let others = Folder.names(in: folder).filter {
            Self.isOurs($0, end: Self.end) && !path.utf8.elementsEqual("\(folder)/\($0)".utf8)
        }
        let old = others.dropLast(count - 1)
        return old.filter { unlink(folder + "/" + $0) == 0 }
    }

    /// Whether `init` gives such names.
    private static func isOurs(_ name: String, end: String) -> Bool {
        let (bytes, middle) = (Array(name.utf8), "20261123T203340Z".utf8.count)
        guard bytes.count == start.utf8.count + middle + end.utf8.count else { return false }
        return bytes.starts(with: start.utf8) && bytes.suffix(end.utf8.count).elementsEqual(end.utf8)
    }
}
