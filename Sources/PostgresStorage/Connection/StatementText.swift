internal import Storage

extension Statement {
    /// The text as PostgreSQL takes it: `?1` is `$1`, and `INDEXED BY` is SQLite's.
    /// - Parameter isLocking: the rows of a query stay locked. Other transactions may still refer to them.
    func postgresText(isLocking: Bool = false) -> String {
        var words: [UInt8] = []
        let bytes = Array((postgres ?? text).description.utf8)
        let hint = Array("INDEXED BY ".utf8)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "?") {
                words.append(UInt8(ascii: "$"))
                index += 1
            } else if bytes[index...].starts(with: hint) {
                index += hint.count
                while index < bytes.count, bytes[index] > UInt8(ascii: " ") { index += 1 }
            } else {
                words.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: words, as: UTF8.self) + (isLocking ? "\nFOR NO KEY UPDATE" : "")
    }
}
