internal import Administration
internal import Backups
internal import Possession
internal import Tokens

/// The backup that a restore reads: a named file, or the newest backup of a folder. The time inside each backup counts,
/// because the master key authenticates it; anyone who can write to the folder can change a file's name.
///
/// The folder is refused if its newest backup may be hidden: by an unreadable file whose name is newer, or by a file
/// whose name and content have different times, one of them newer.
struct BackupChoice {
    let reader: BackupReader
    /// Notes for the operator: the chosen file of the folder, and files that could not be used.
    let notes: [String]

    private static let end = ".backup"
    private static let mostNotes = 5

    /// - Parameters:
    ///   - path: the path of a backup or a folder.
    ///   - mode: the mode that a backup of the folder must have.
    init(_ path: String, _ keys: BackupKeys, mode: String) throws(StartFault) {
        guard Folder.exists(path) else {
            do throws(BackupFault) { reader = try BackupReader(path, keys) } catch { throw StartFault(error) }
            let (name, madeAt) = (Folder.name(of: path), reader.manifest.madeAt)
            notes =
                BackupTarget.isName(name, farFrom: madeAt)
                ? ["\(path) was made at \(madeAt.rfc3339), which is not the time in its name"] : []
            return
        }
        let names = Folder.names(in: path).filter { $0.utf8.suffix(Self.end.utf8.count).elementsEqual(Self.end.utf8) }
        guard !names.isEmpty else { throw .failed("there is no backup in \(path)") }
        var newest: (name: String, reader: BackupReader)?
        var passedOver: [String] = []
        var unreadable: [String] = []
        var renamed: [(name: String, madeAt: Timestamp)] = []
        for name in names {
            let reader: BackupReader
            do throws(BackupFault) { reader = try BackupReader(path + "/" + name, keys) } catch {
                passedOver.append(error.description)
                unreadable.append(name)
                continue
            }
            guard reader.manifest.mode.utf8.elementsEqual(mode.utf8) else {
                passedOver.append("\(path)/\(name) is of \(reader.manifest.mode) mode, not of \(mode)")
                continue
            }
            let madeAt = reader.manifest.madeAt
            guard !BackupTarget.isName(name, farFrom: madeAt) else {
                passedOver.append("\(path)/\(name) was made at \(madeAt.rfc3339), which is not the time in its name")
                renamed.append((name, madeAt))
                continue
            }
            if newest.map({ $0.reader.manifest.madeAt <= reader.manifest.madeAt }) ?? true { newest = (name, reader) }
        }
        guard let newest else {
            throw .data("no backup in \(path) can be used; the last by name: \(passedOver.last ?? "")")
        }
        // Do not silently use an older backup: that would undo erasures and revocations, and a drill would not notice
        // the damage.
        if let newer = unreadable.last(where: { BackupTarget.isName($0, after: newest.reader.manifest.madeAt) }) {
            throw .data(
                "\(path)/\(newer) is newer than \(newest.name) and cannot be used; name a file to restore an older one")
        }
        if let newer = renamed.last(where: {
            $0.madeAt > newest.reader.manifest.madeAt
                || BackupTarget.isName($0.name, after: newest.reader.manifest.madeAt)
        }) {
            throw .data(
                "\(path)/\(newer.name) was made at \(newer.madeAt.rfc3339), which is not the time in its name, and one of the "
                    + "two is newer than \(newest.name): find out who has renamed it, and name the file to restore")
        }
        reader = newest.reader
        notes =
            ["the newest in \(path) is \(newest.name)"] + passedOver.suffix(Self.mostNotes).map { "passed over: \($0)" }
            + (passedOver.count > Self.mostNotes ? ["and \(passedOver.count - Self.mostNotes) more"] : [])
    }
}
