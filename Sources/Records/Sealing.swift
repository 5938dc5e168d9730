package import Engine
package import Possession

/// Protects personal data at rest, by closures: this module does not have the keys (DAT-02, DAT-03).
///
/// It is one object, so that a copy counts one reference instead of one for each closure. All threads share the count,
/// which makes counting slow.
package final class Sealing: Sendable {
    package typealias Transform = @Sendable (_ bytes: [UInt8], _ context: [UInt8]) throws(StorageFault) -> [UInt8]

    /// Encrypts. The context (table, column, row) is authenticated, so that a ciphertext can be opened only in its own
    /// place.
    package let seal: Transform
    /// Decrypts. A changed or moved ciphertext is `.corrupt`.
    package let open: Transform
    private let index: @Sendable (Target) -> [UInt8]
    /// A keyed digest of a device ID, for look-up. The ID's time precedes it, in 6 bytes, so that rows are sorted by
    /// time.
    package let deviceIndex: @Sendable (DeviceID) -> [UInt8]
    /// 16 bytes: a keyed digest of a name and a value, for look-up.
    package let credentialIndex: @Sendable (Identification.Entry) -> [UInt8]
    /// 16 bytes: a keyed digest of a limit and its subject, for look-up.
    package let limitKey: @Sendable (LimitKey) -> [UInt8]

    package init(
        seal: @escaping Transform, open: @escaping Transform,
        blindIndex: @escaping @Sendable (Target) -> [UInt8],
        deviceIndex: @escaping @Sendable (DeviceID) -> [UInt8],
        credentialIndex: @escaping @Sendable (Identification.Entry) -> [UInt8],
        limitKey: @escaping @Sendable (LimitKey) -> [UInt8]
    ) {
        self.seal = seal
        self.open = open
        index = blindIndex
        self.deviceIndex = deviceIndex
        self.credentialIndex = credentialIndex
        self.limitKey = limitKey
    }

    /// A keyed digest of a number or an address, for look-up.
    package func blindIndex(_ target: Target) -> [UInt8] { index(target) }

    package func blindIndex(_ number: PhoneNumber) -> [UInt8] { index(.number(number)) }
}

/// The place to which a ciphertext belongs.
package struct SealingContext {
    /// `table.column`, a zero byte, then the row's key.
    package let bytes: [UInt8]

    package init(_ column: StaticString, row: some Identifier, _ more: String...) {
        var bytes = column.withUTF8Buffer { [UInt8]($0) }
        bytes.append(0)
        withUnsafeBytes(of: row.bits.bigEndian) { bytes += $0 }
        for part in more {
            bytes += part.utf8
            bytes.append(0)
        }
        self.bytes = bytes
    }

    /// For a value that the phones' cryptography has sealed itself, with an ID of 16 bytes.
    package init(_ kind: SealedKeys, of id: [UInt8]) { bytes = kind.context(of: id) }

    /// For the secret of the temporary keys that end in a period.
    package init(ofPeriod period: Int64) { bytes = TemporarySecret.context(ofPeriod: period) }

    /// - Parameter row: the digest that is the row's key.
    package init(_ column: StaticString, row: [UInt8], _ more: String...) {
        var bytes = column.withUTF8Buffer { [UInt8]($0) } + [0] + row
        for part in more {
            bytes += part.utf8
            bytes.append(0)
        }
        self.bytes = bytes
    }
}

extension Sealing {
    package func seal(_ number: PhoneNumber, in context: SealingContext) throws(StorageFault) -> [UInt8] {
        try seal(Array(number.e164.utf8), context.bytes)
    }

    package func openNumber(
        _ sealed: [UInt8], in context: SealingContext, _ column: StaticString
    ) throws(StorageFault) -> PhoneNumber {
        let bytes = try open(sealed, context.bytes)
        guard let number = PhoneNumber(e164: String(decoding: bytes, as: UTF8.self)) else { throw .corrupt(column) }
        return number
    }
}
