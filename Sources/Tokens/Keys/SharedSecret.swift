internal import Secrets

/// A secret that this server shares with another system: text in a separate file.
package enum SharedSecret {
    /// Length in visible ASCII characters; `openssl rand -hex 32` makes 64.
    static let length = 32...1024

    /// Length of a secret that another system generated.
    static let foreignLength = 1...4096

    /// Reads a secret that another system generated, such as a gateway's password. It may contain blanks.
    ///
    /// - Throws: as `load`.
    package static func foreign(_ path: String) throws(KeyFileFault) -> String {
        let secret = try read(path, foreignLength, "printable ASCII characters in one line") {
            $0 >= 0x20 && $0 < 0x7F
        }
        return secret.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads a secret: the file's text, without a line break at its end. It must be text: with arbitrary bytes, it
    /// would be unclear whether the last one is a line break.
    ///
    /// - Throws: `KeyFileFault` as for a master key, and for any other content.
    package static func load(_ path: String) throws(KeyFileFault) -> SecretBytes {
        try read(path, length, "visible ASCII characters") { $0 > 0x20 && $0 < 0x7F }
    }

    private static func read(
        _ path: String, _ length: ClosedRange<Int>, _ what: String, _ isTaken: (UInt8) -> Bool
    ) throws(KeyFileFault) -> SecretBytes {
        // Includes a line break of two bytes.
        var bytes = try KeyFile.read(path, sizes: length.lowerBound...length.upperBound + 2)
        defer { bytes.wipe() }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard length.contains(bytes.count), bytes.allSatisfy(isTaken) else {
            throw KeyFileFault(
                reason: "key file \(path) must hold \(length.lowerBound) to \(length.upperBound) \(what)")
        }
        return SecretBytes(bytes)
    }
}
