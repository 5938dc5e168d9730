import Glibc
internal import Secrets

/// A secret file is unsuitable or cannot be used; the text contains the path and the cause, never the content.
package struct KeyFileFault: Error, Sendable, Equatable {
    package let reason: String
}

enum KeyFile {
    /// Reads the whole file.
    ///
    /// - Throws: `KeyFileFault` unless it is a regular file of a size in `sizes`, owned by the running user, with mode
    ///   0600 (TOK-13).
    static func read(_ path: String, sizes: ClosedRange<Int>) throws(KeyFileFault) -> [UInt8] {
        do throws(SecretFile.Defect) {
            return try SecretFile.read(path, SecretFile.Rule(sizes: sizes, modes: [0o600]))
        } catch { throw KeyFileFault(reason: "key file \(path) \(text(error, sizes))") }
    }

    private static func text(_ defect: SecretFile.Defect, _ sizes: ClosedRange<Int>) -> String {
        switch defect {
        case .cannotBeOpened(let cause): return "cannot be opened: \(cause)"
        case .cannotBeExamined(let cause): return "cannot be examined: \(cause)"
        case .cannotBeRead(let cause): return "cannot be read: \(cause)"
        case .isNoFile: return "is not a file"
        case .mode: return "must have mode 0600"
        case .ofRoot:
            return "belongs to root: then it must have mode 0440 and a group of the user the server runs as"
        case .otherOwner: return "must belong to the user the server runs as"
        case .size:
            let range = sizes.count == 1 ? "\(sizes.lowerBound)" : "\(sizes.lowerBound) to \(sizes.upperBound)"
            return "must be \(range) bytes long"
        }
    }

    static func fault(_ what: String, _ path: String) -> KeyFileFault {
        KeyFileFault(reason: "key file \(path) \(what): \(String(cString: strerror(errno)))")
    }
}
