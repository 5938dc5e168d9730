/// The beginning of a backup, unencrypted before its chunks: 64 bytes.
///
///     "holdfast backup" (15), form (1), id of the master key (8), salt (32)
package struct BackupHeader: Sendable, Equatable {
    static let form = 1
    package static let saltBytes = 32
    private static let mark = Array("holdfast backup".utf8)
    private static let idBytes = 8
    package static let size = mark.count + 1 + idBytes + saltBytes

    /// Why bytes are not a header.
    enum Defect: Error, Equatable { case foreign, newer(Int) }

    let keyID: [UInt8]
    let salt: [UInt8]

    package init(keyID: [UInt8], salt: [UInt8]) {
        precondition(keyID.count == Self.idBytes && salt.count == Self.saltBytes, "sizes of a header")
        self.keyID = keyID
        self.salt = salt
    }

    /// Reads the first bytes of a file.
    init(_ bytes: [UInt8]) throws(Defect) {
        let marked = Self.mark.count + 1
        guard bytes.count >= marked, bytes.prefix(Self.mark.count).elementsEqual(Self.mark) else { throw .foreign }
        let form = Int(bytes[Self.mark.count])
        guard form <= Self.form else { throw .newer(form) }
        guard form == Self.form, bytes.count == Self.size else { throw .foreign }
        keyID = Array(bytes[marked..<marked + Self.idBytes])
        salt = Array(bytes[(marked + Self.idBytes)...])
    }

    var bytes: [UInt8] { Self.mark + [UInt8(Self.form)] + keyID + salt }
}
