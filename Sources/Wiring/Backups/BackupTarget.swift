internal import Administration
internal import Glibc
internal import Possession

/// The destination of a backup: a file, or a folder in which the backup gets a name by its time, such as
/// `holdfast-20261123T203340Z.backup`.
struct BackupTarget {
    let path: String
    /// The folder, if the operator named one; else `nil`.
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
        // Each second has one name. If it is taken, use one of the next seconds, up to `mostDifference`.
        let names = (0..<Int64(Self.mostDifference)).lazy.map {
            path + "/" + Self.name(at: time.adding(.seconds($0)))
        }
        self.path = names.first { !Folder.isTaken($0) } ?? path + "/" + Self.name(at: time)
        folder = path
    }

    private static func name(at time: Timestamp) -> String {
        // `2026-11-23T20:33:40.123Z` without characters that file systems or shells treat specially.
        let digits = time.rfc3339.utf8.prefix(19).filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
        return start + String(decoding: digits, as: UTF8.self) + "Z" + end
    }

    /// Whether the file name is that of a backup made after `time`.
    static func isName(_ name: String, after time: Timestamp) -> Bool {
        isOurs(name, end: end) && Self.name(at: time).utf8.lexicographicallyPrecedes(name.utf8)
    }

    /// The largest difference in seconds between the time in a name and the time in the file. A name has whole seconds,
    /// and is chosen when the backup begins.
    private static let mostDifference = 60

    /// Whether the file name is that of a backup with a different time: the file was renamed or replaced. A name in
    /// another form has no time.
    static func isName(_ name: String, farFrom time: Timestamp) -> Bool {
        guard isOurs(name, end: end), isTime(name.utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count)) else {
            return false
        }
        // Compare names instead of times: names of one length sort by their times.
        let earliest = Self.name(at: time.adding(.seconds(-mostDifference)))
        let latest = Self.name(at: time.adding(.seconds(mostDifference)))
        return name.utf8.lexicographicallyPrecedes(earliest.utf8) || latest.utf8.lexicographicallyPrecedes(name.utf8)
    }

    /// Whether the text has the form `20261123T203340Z`.
    private static func isTime(_ text: Substring.UTF8View) -> Bool {
        zip(text, "00000000T000000Z".utf8).allSatisfy { byte, form in
            form == UInt8(ascii: "0") ? (48...57).contains(byte) : byte == form
        }
    }

    var isInFolder: Bool { folder != nil }
    var parent: String { Folder.parent(of: path) }
    /// The path of the file until it is complete.
    var partPath: String { path + Self.partEnd }

    /// Removes incomplete files of backups that were killed.
    func removeLeftovers() {
        unlink(partPath)
        guard let folder else { return }
        for name in Folder.names(in: folder) where Self.isOurs(name, end: Self.end + Self.partEnd) {
            unlink(folder + "/" + name)
        }
    }

    /// Removes the oldest backups of the folder until `count` are left. Returns their names. The new backup always
    /// stays, even if a wrong clock has given it an early name.
    func removeOldest(keeping count: Int) -> [String] {
        guard let folder else { return [] }
        let others = Folder.names(in: folder).filter {
            Self.isOurs($0, end: Self.end) && !path.utf8.elementsEqual("\(folder)/\($0)".utf8)
        }
        let old = others.dropLast(count - 1)
        return old.filter { unlink(folder + "/" + $0) == 0 }
    }

    /// Whether the name has the form that `init` makes.
    private static func isOurs(_ name: String, end: String) -> Bool {
        let (bytes, middle) = (Array(name.utf8), "20261123T203340Z".utf8.count)
        guard bytes.count == start.utf8.count + middle + end.utf8.count else { return false }
        return bytes.starts(with: start.utf8) && bytes.suffix(end.utf8.count).elementsEqual(end.utf8)
    }
}
