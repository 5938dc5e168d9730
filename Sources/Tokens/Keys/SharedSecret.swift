/// A secret that this server shares with another one: text in a file of its own.
package enum SharedSecret {
    /// Of visible ASCII characters; `openssl rand -hex 32` makes 64.
    static let length = 32...1024

    /// Reads a secret: the file's text, without the line break at its end if there is one. Text, because of bytes
    /// nobody could say whether the last one is a line break.
    ///
    /// - Throws: `KeyFileFault` as a master key has it, and for any other content.
    package static func load(_ path: String) throws(KeyFileFault) -> SecretBytes {
        // With a line break of two bytes.
        var bytes = try KeyFile.read(path, sizes: length.lowerBound...length.upperBound + 2)
        defer { bytes.wipe() }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard length.contains(bytes.count), bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw KeyFileFault(
                reason:
                    "key file \(path) must hold \(length.lowerBound) to \(length.upperBound) visible ASCII characters")
        }
        return SecretBytes(bytes)
    }
}
