package import Engine
package import Possession
internal import Secrets

/// The keys from which all other keys of an installation are derived (DAT-03). The keyset is stored sealed under the
/// master key, so that the master key can be replaced without any other change.
///
/// All keys except the sealing keys are derived from the root, which never changes. The sealing keys are derived from
/// the sources, one for each generation, so that a new generation can replace an old one.
package struct Keyset: Sendable {
    package struct Generation: Sendable {
        /// The first byte of a value sealed with this generation; not 0.
        package let number: UInt8
        /// Since when this generation seals.
        package let since: Timestamp
        let source: MasterKey
    }

    private static let version: UInt8 = 1
    private static let headSize = 2 + MasterKey.size
    private static let generationSize = 9 + MasterKey.size
    /// Generations at one time. There are more than two only while some rows cannot be opened.
    package static let mostGenerations = 16

    package let root: MasterKey
    /// Oldest first; the last one seals.
    package private(set) var generations: [Generation]

    /// Keyset of a new installation: nothing in it is derived from the master key.
    package static func random(at now: Timestamp, _ randomBytes: RandomBytes) throws(TokenFault) -> Keyset {
        Keyset(
            root: try MasterKey.random(randomBytes),
            generations: [Generation(number: 1, since: now, source: try MasterKey.random(randomBytes))])
    }

    /// Keyset of an installation from a build without keysets, whose keys are all derived from the master key.
    package static func inherited(from master: MasterKey, at now: Timestamp) -> Keyset {
        Keyset(root: master, generations: [Generation(number: 1, since: now, source: master)])
    }

    private init(root: MasterKey, generations: [Generation]) {
        self.root = root
        self.generations = generations
    }

    /// The generation that seals.
    package var current: Generation { generations[generations.count - 1] }

    /// The keyset with a new generation, which seals from now on.
    ///
    /// - Throws: `TokenFault` when there are too many, or the generator refuses.
    package func rotated(at now: Timestamp, _ randomBytes: RandomBytes) throws(TokenFault) -> Keyset {
        let (keyset, number) = try adding(at: now, randomBytes)
        return try keyset.sealing(with: number)
    }

    /// The keyset with a new generation that does not seal yet, and the number of that generation.
    ///
    /// - Throws: `TokenFault` when there are too many, or the generator refuses.
    func adding(
        at now: Timestamp, _ randomBytes: RandomBytes
    ) throws(TokenFault) -> (keyset: Keyset, number: UInt8) {
        guard generations.count < Self.mostGenerations else {
            throw TokenFault("\(generations.count) sealing keys are in use, as rows cannot be opened")
        }
        var number = current.number
        repeat { number = number == .max ? 1 : number + 1 } while generations.contains { $0.number == number }
        let next = Generation(number: number, since: now, source: try MasterKey.random(randomBytes))
        return (Keyset(root: root, generations: generations.dropLast() + [next, current]), number)
    }

    /// The keyset with another of its generations as the one that seals.
    ///
    /// - Throws: `TokenFault` when it has no such generation.
    func sealing(with number: UInt8) throws(TokenFault) -> Keyset {
        guard let next = generations.first(where: { $0.number == number }) else {
            throw TokenFault("the sealing key \(number) was removed")
        }
        return Keyset(root: root, generations: generations.filter { $0.number != number } + [next])
    }

    /// The keyset with the current generation and the named others.
    package func keeping(_ numbers: Set<UInt8>) -> Keyset {
        Keyset(
            root: root, generations: generations.dropLast().filter { numbers.contains($0.number) } + [current])
    }

    /// The keys of a sealer: those of `.seal` or `.signingKeySeal`.
    package func sealingKeys(_ label: MasterKey.Label) throws(TokenFault) -> SealingKeys {
        var keys: [UInt8: SecretBytes] = [:]
        for generation in generations { keys[generation.number] = try generation.source.subkey(label) }
        return SealingKeys(current: current.number, keys: keys)
    }
}

/// The stored form: version (1 byte), root (32), count (1), then for each generation number (1), since (8,
/// milliseconds, most significant first) and source (32). All of it is sealed under a key derived from the master key,
/// and bound to the row of that master key.
extension Keyset {
    /// - Throws: `TokenFault` when it cannot be sealed.
    package func sealed(under master: MasterKey, _ randomBytes: @escaping RandomBytes) throws(TokenFault) -> [UInt8] {
        var bytes = encoded
        defer { bytes.wipe() }
        return try Self.sealer(master, randomBytes).seal(bytes, context: try Self.context(master))
    }

    /// - Throws: `TokenFault` unless it was sealed under this master key, and is a keyset that this build can read.
    package init(_ sealed: [UInt8], under master: MasterKey) throws(TokenFault) {
        let sealer = try Self.sealer(master) { (_) throws(EntropyFault) in throw EntropyFault() }
        var bytes = try sealer.open(sealed, context: try Self.context(master))
        defer { bytes.wipe() }
        try self.init(encoded: bytes)
    }

    private static func sealer(
        _ master: MasterKey, _ randomBytes: @escaping RandomBytes
    ) throws(TokenFault) -> Sealer {
        // A fixed day is enough: a keyset is sealed only a few times in the life of a key.
        try Sealer(
            key: try master.subkey(.keyset), now: { Timestamp(milliseconds: 0) }, randomBytes: randomBytes)
    }

    private static func context(_ master: MasterKey) throws(TokenFault) -> [UInt8] {
        Array("keysets.keyset_sealed".utf8) + [0] + (try master.keyID())
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        // Allocated once, so that no copy of a key stays behind when the array grows.
        bytes.reserveCapacity(Self.headSize + generations.count * Self.generationSize)
        bytes.append(Self.version)
        root.secret.withBytes { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(clamping: generations.count))
        for generation in generations {
            bytes.append(generation.number)
            let since = UInt64(bitPattern: generation.since.milliseconds)
            for shift: UInt64 in [56, 48, 40, 32, 24, 16, 8, 0] {
                bytes.append(UInt8(truncatingIfNeeded: since >> shift))
            }
            generation.source.secret.withBytes { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    init(encoded bytes: [UInt8]) throws(TokenFault) {
        guard bytes.count >= Self.headSize, bytes[0] == Self.version else {
            throw TokenFault("a keyset of a version that this build does not read")
        }
        let count = Int(bytes[Self.headSize - 1])
        guard 1...Self.mostGenerations ~= count, bytes.count == Self.headSize + count * Self.generationSize,
            let root = MasterKey(Array(bytes[1...MasterKey.size]))
        else { throw TokenFault("a keyset of another size") }
        var generations: [Generation] = []
        for start in stride(from: Self.headSize, to: bytes.count, by: Self.generationSize) {
            let number = bytes[start]
            let since = bytes[start + 1..<start + 9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard number != 0, !generations.contains(where: { $0.number == number }),
                let source = MasterKey(Array(bytes[start + 9..<start + Self.generationSize]))
            else { throw TokenFault("a keyset with a generation that cannot be") }
            generations.append(
                Generation(
                    number: number, since: Timestamp(milliseconds: Int64(bitPattern: since)), source: source))
        }
        self.init(root: root, generations: generations)
    }
}

extension MasterKey {
    fileprivate static func random(_ randomBytes: RandomBytes) throws(TokenFault) -> MasterKey {
        var bytes: [UInt8]
        do { bytes = try randomBytes(size) } catch { throw TokenFault("no random bytes for a key") }
        defer { bytes.wipe() }
        guard let key = MasterKey(bytes) else { throw TokenFault("a key has 32 bytes") }
        return key
    }
}
