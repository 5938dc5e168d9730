internal import CBuiltInFiles
internal import Text

/// A file of the repository that is built into the program (`Sources/CBuiltInFiles`), so that the program starts without a
/// checkout.
package struct BuiltInFile: Sendable {
    /// Without its folder, such as `holdfast.js`.
    package let name: String
    package let bytes: [UInt8]
    /// The same in gzip, where there is such a copy.
    package let compressed: [UInt8]?

    /// The files of a folder, such as `sdk` or `config/gateways`, without the files of its folders.
    package static func all(in folder: String) -> [BuiltInFile] {
        files { $0.isSame(as: folder) }.map(\.file)
    }

    /// The files of a folder and of its folders, with their paths, such as `docs/operate/backup.md`.
    package static func all(below folder: String) -> [(path: String, file: BuiltInFile)] {
        files { $0.isSame(as: folder) || $0.starts(with: (folder + "/").utf8) }
    }

    private static func files(in isWanted: (ArraySlice<UInt8>) -> Bool) -> [(path: String, file: BuiltInFile)] {
        var found: [(path: String, file: BuiltInFile)] = []
        var index: Int32 = 0
        while let file = cbuiltinfiles_at(index)?.pointee {
            index += 1
            let path = Array(String(cString: file.path).utf8)
            guard let slash = path.lastIndex(of: UInt8(ascii: "/")), isWanted(path[..<slash]) else { continue }
            let content = BuiltInFile(
                name: String(decoding: path[slash...].dropFirst(), as: UTF8.self),
                bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count)),
                compressed: file.compressed.map {
                    Array(UnsafeBufferPointer(start: $0, count: file.compressed_count))
                })
            found.append((String(decoding: path, as: UTF8.self), content))
        }
        return found
    }
}

/// Names a built-in file or folder where a setting names one of the disk: `builtin:config/texts.json`.
package struct BuiltInPath: Sendable {
    private static let prefix = "builtin:"
    /// The commit that the program was built from, by `make build`; empty else.
    package static let commit = prefix + "build/commit"
    package static let migrations = prefix + "migrations"
    package static let presets = prefix + "config/gateways"
    package static let sandbox = prefix + "config/sandbox.json"
    package static let sandboxUsers = prefix + "config/sandbox-users.json"
    /// Texts of the pages that links open, by language.
    package static let linkPages = prefix + "texts/link-pages.json"
    /// Examples of the API descriptions.
    package static let recordedAnswers = prefix + "description/recorded-answers.json"

    /// Without the prefix.
    private let path: String

    /// `nil`: the path is one of the disk.
    package init?(_ path: String) {
        guard path.utf8.starts(with: Self.prefix.utf8) else { return nil }
        self.path = String(path.utf8.dropFirst(Self.prefix.utf8.count)) ?? ""
    }

    /// The files of the folder.
    package var files: [BuiltInFile] { BuiltInFile.all(in: path) }

    /// The content of the file; `nil`: there is no such file.
    package var content: [UInt8]? {
        let bytes = Array(path.utf8)
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let name = bytes[slash...].dropFirst()
        return BuiltInFile.all(in: String(decoding: bytes[..<slash], as: UTF8.self))
            .first { name.isSame(as: $0.name) }?.bytes
    }
}
