internal import Engine
internal import Possession
package import Records

extension Sealing {
    /// Shows what a real cipher would: another text, bound to its place, and a fault for anything that was changed.
    package static let fake = Sealing(
        seal: { bytes, context in bytes.map { $0 ^ 0x5A } + tag(bytes, context) },
        open: { (sealed, context) throws(StorageFault) in
            guard sealed.count >= 8 else { throw .corrupt(what: "tag") }
            let bytes = sealed.dropLast(8).map { $0 ^ 0x5A }
            guard Array(sealed.suffix(8)) == tag(bytes, context) else { throw .corrupt(what: "tag") }
            return bytes
        },
        blindIndex: { target in tag(Array(target.canonical.utf8), [1]) },
        deviceIndex: { id in id.bytes.prefix(6) + tag(Array(id.text.utf8), [2]) },
        credentialIndex: { tag(Array($0.name.utf8) + [0] + $0.value.utf8, [4]) + tag(Array($0.value.utf8), [5]) },
        limitKey: { key in tag(key.subject, [2] + key.counter.rawValue.utf8) + tag(key.subject, [3]) })

    /// The same.
    /// - Parameter call: called before each value is sealed.
    package static func fakeThatCalls(_ call: @escaping @Sendable () -> Void) -> Sealing {
        Sealing(
            seal: { (bytes, context) throws(StorageFault) in
                call()
                return try fake.seal(bytes, context)
            },
            open: fake.open, blindIndex: { fake.blindIndex($0) }, deviceIndex: fake.deviceIndex,
            credentialIndex: fake.credentialIndex, limitKey: fake.limitKey)
    }

    /// FNV-1a, 64 bits.
    private static func tag(_ bytes: [UInt8], _ context: [UInt8]) -> [UInt8] {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in context + [0] + bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return withUnsafeBytes(of: hash.bigEndian) { Array($0) }
    }
}
