internal import BuiltInFiles
package import Storage

extension MigrationFile {
    private static let maxBytes = 1 << 20

    /// The files of a folder in order; `BuiltInPath` names the folder inside the program. Files with other names than
    /// `*.sql` are ignored.
    /// - Throws: `.migrations` when the folder cannot be read or its numbers are not 1, 2, 3 ...
    package static func all(in folder: String) throws(OpeningFault) -> [MigrationFile] {
        var files: [MigrationFile] = []
        for (name, bytes) in try contents(of: folder) {
            guard let number = number(of: name) else {
                throw .migrations(path: folder, reason: "\(name) is not named NNNN_what.sql")
            }
            guard number == files.count + 1 else {
                let what = number <= files.count ? "number \(number) twice" : "number \(files.count + 1) is missing"
                throw .migrations(path: folder, reason: what)
            }
            files.append(MigrationFile(number: number, name: name, text: try text(bytes, of: name, in: folder)))
        }
        guard !files.isEmpty else { throw .migrations(path: folder, reason: "no NNNN_what.sql file") }
        return files
    }

    /// `NNNN_what.sql`, where `what` has lower-case letters, digits and `_`.
    private static func number(of name: String) -> Int? {
        let bytes = Array(name.utf8.dropLast(4))
        guard bytes.count > 5, bytes[4] == UInt8(ascii: "_") else { return nil }
        var number = 0
        for byte in bytes[..<4] {
            guard byte >= 48 && byte <= 57 else { return nil }
            number = number * 10 + Int(byte - 48)
        }
        let isPlain = bytes[5...].allSatisfy { ($0 >= 97 && $0 <= 122) || ($0 >= 48 && $0 <= 57) || $0 == 95 }
        return number > 0 && isPlain ? number : nil
    }

    /// The `*.sql` files of a folder, on the disk or in the program, sorted by name.
    private static func contents(of folder: String) throws(OpeningFault) -> [(name: String, bytes: [UInt8])] {
        if let builtIn = BuiltInPath(folder) { return builtIn.files.map { ($0.name, $0.bytes) } }
        let names: [String]
        do { names = try SystemFiles.names(in: folder) } catch {
            throw .migrations(path: folder, reason: "\(error)")
        }
        var contents: [(name: String, bytes: [UInt8])] = []
        for name in names.filter({ $0.hasSuffix(".sql") }).sorted() {
            do {
                contents.append((name, try SystemFiles.content(of: folder + "/" + name, limit: maxBytes)))
            } catch { throw .migrations(path: folder, reason: "\(name): \(error)") }
        }
        return contents
    }

    private static func text(
        _ bytes: [UInt8], of name: String, in folder: String
    ) throws(OpeningFault) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .migrations(path: folder, reason: "\(name) is not UTF-8")
        }
        return text
    }
}
