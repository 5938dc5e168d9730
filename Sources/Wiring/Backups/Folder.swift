internal import Administration
internal import Glibc

/// Operations on folders for backups and restores.
enum Folder {
    /// Whether the path is a folder.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether anything exists at the path.
    static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The folder of a file.
    static func parent(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return end == path.utf8.startIndex ? "/" : String(path[..<end])
    }

    /// The name of a file in its folder.
    static func name(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: end)...])
    }

    /// The size in bytes; 0: there is no such file.
    static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The names in a folder in ascending order, without `.` and `..`. Empty if the folder cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Makes the names in a folder survive a power failure.
    static func sync(_ path: String) throws(StartFault) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw fault(path, "cannot be opened") }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw fault(path, "cannot be synchronised") }
    }

    /// Renames a file, possibly to another folder of the same file system, so that the new name survives a power
    /// failure.
    /// - Parameter replaces: whether an existing file is replaced. If `false`, it makes the move fail.
    static func move(_ path: String, to target: String, replaces: Bool) throws(StartFault) {
        // Unlike a rename, a link never replaces a file.
        if replaces {
            guard rename(path, target) == 0 else { throw fault(target, "cannot be written") }
        } else if link(path, target) == 0 {
            unlink(path)
        } else {
            // Some file systems do not support links.
            let cause = errno
            guard cause != EEXIST, !FirstStart.exists(target) else {
                throw .failed("\(target) is there already; give another name, or --replace")
            }
            guard rename(path, target) == 0 else { throw fault(target, "cannot be written") }
        }
        try sync(parent(of: target))
    }

    /// Refuses work for which the disk has no room, before it begins.
    /// - Parameter needs: folders, each with the bytes that it needs. Needs on the same file system are added up.
    static func requireRoom(_ needs: [(folder: String, bytes: Int)]) throws(StartFault) {
        var byDevice: [UInt64: (folder: String, bytes: Int)] = [:]
        for need in needs {
            var status = stat()
            guard stat(need.folder, &status) == 0 else { throw fault(need.folder, "cannot be looked at") }
            let sum = byDevice[UInt64(status.st_dev), default: (need.folder, 0)]
            byDevice[UInt64(status.st_dev)] = (sum.folder, sum.bytes + need.bytes)
        }
        for (folder, bytes) in byDevice.values {
            var room = statvfs()
            guard statvfs(folder, &room) == 0 else { throw fault(folder, "cannot be looked at") }
            let left = Int(clamping: UInt64(room.f_bavail).multipliedReportingOverflow(by: UInt64(room.f_frsize)).0)
            guard left >= bytes else {
                throw .failed(
                    "the disk of \(folder) has no room: \(bytes >> 20) MiB are needed, \(left >> 20) MiB are free")
            }
        }
    }

    static func fault(_ path: String, _ what: String) -> StartFault {
        .failed("\(path) \(what): \(String(cString: strerror(errno)))")
    }
}
