/// One numbered file of the `migrations` folder.
struct MigrationFile: Equatable {
    /// From 1, without gaps.
    let number: Int
    /// `0001_sessions.sql`.
    let name: String
    let text: String

    private static let maxBytes = 1 << 20

    /// The files of a folder in their order. Other names than `*.sql` may stand beside them.
    /// - Throws: `.migrations` when the folder cannot be read or its numbers are not 1, 2, 3 ...
    static func all(in folder: String) throws(OpeningFault) -> [MigrationFile] {
        let names: [String]
        do { names = try SystemFiles.names(in: folder) } catch {
            throw .migrations(path: folder, reason: "\(error)")
        }
        var files: [MigrationFile] = []
        for name in names.filter({ $0.hasSuffix(".sql") }).sorted() {
            guard let number = number(of: name) else {
                throw .migrations(path: folder, reason: "\(name) is not named NNNN_what.sql")
            }
            guard number == files.count + 1 else {
                let what = number <= files.count ? "number \(number) twice" : "number \(files.count + 1) is missing"
                throw .migrations(path: folder, reason: what)
            }
            files.append(MigrationFile(number: number, name: name, text: try text(of: name, in: folder)))
        }
        guard !files.isEmpty else { throw .migrations(path: folder, reason: "no NNNN_what.sql file") }
        return files
    }

    /// `NNNN_what.sql`, the `what` of lower-case letters, digits and `_`.
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

    private static func text(of name: String, in folder: String) throws(OpeningFault) -> String {
        let bytes: [UInt8]
        do { bytes = try SystemFiles.content(of: folder + "/" + name, limit: maxBytes) } catch {
            throw .migrations(path: folder, reason: "\(name): \(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .migrations(path: folder, reason: "\(name) is not UTF-8")
        }
        return text
    }
}
