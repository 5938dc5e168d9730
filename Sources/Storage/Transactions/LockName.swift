package import Possession

/// The name of something that one transaction at a time may check and change, where a row cannot be locked: "there is
/// no such row yet", or the number of rows.
///
/// Different names may have the same value. Their transactions then wait for each other, which changes nothing else.
package struct LockName: Sendable {
    /// The same on each server: FNV-1a of the kind and the parts.
    package let value: Int64

    package init(_ kind: StaticString, _ parts: [UInt8]...) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        kind.withUTF8Buffer { $0.forEach(add) }
        for part in parts {
            withUnsafeBytes(of: UInt64(part.count).bigEndian) { $0.forEach(add) }
            part.forEach(add)
        }
        value = Int64(bitPattern: hash)
    }

    /// A name of one API client.
    package init(_ kind: StaticString, of client: ClientID) {
        self.init(kind, Array(client.text.utf8))
    }
}
