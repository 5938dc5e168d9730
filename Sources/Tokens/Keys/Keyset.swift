package import Possession
internal import Secrets

/// The keys that all others of an installation come from (DAT-03). It is stored sealed under the master key, so that the
/// master key can be replaced without a change to anything else.
///
/// Every key but those that seal comes from the root, which stays. Those that seal come from the sources, one for each
/// generation, so that a new one can take over.
package struct Keyset: Sendable {
    package struct Generation: Sendable {
        /// Byte that stands first in a sealed value; not 0.
        package let number: UInt8
        /// Since when it seals.
        package let since: Timestamp
        let source: MasterKey
    }

    private static let version: UInt8 = 1
    private static let headSize = 2 + MasterKey.size
    private static let generationSize = 9 + MasterKey.size
    /// Generations at one time. More than two are there only while rows cannot be opened.
    package static let mostGenerations = 16

    package let root: MasterKey
    /// Oldest first; the last one seals.
    package private(set) var generations: [Generation]

    /// Keyset of a new installation: nothing in it comes from the master key.
    ///
    /// - Throws: `TokenFault` when the generator refuses.
    package static func random(at now: Timestamp, _ randomBytes: RandomBytes) throws(TokenFault) -> Keyset {
        Keyset(
            root: try MasterKey.random(randomBytes),
            generations: [Generation(number: 1, since: now, source: try MasterKey.random(randomBytes))])
    }

    /// Keyset of an installation that comes from a build without keysets, whose keys all come from the master key.
    package static func inherited(from master: MasterKey, at now: Timestamp) -> Keyset {
        Keyset(root: master, generations: [Generation(number: 1, since: now, source: master)])
    }

    private init(root: MasterKey, generations: [Generation]) {
        self.root = root
        self.generations = generations
    }

    /// The one that seals.
    package var current: Generation { generations[generations.count - 1] }

    /// With a new generation, which seals from now on.
    ///
    /// - Throws: `TokenFault` when there are too many, or the generator refuses.
    package func rotated(at now: Timestamp, _ randomBytes: RandomBytes) throws(TokenFault) -> Keyset {
        guard generations.count < Self.mostGenerations else {
            throw TokenFault("\(generations.count) sealing keys are in use, as rows cannot be opened")
        }
        var number = current.number
        repeat { number = number == .max ? 1 : number + 1 } while generations.contains { $0.number == number }
        let next = Generation(number: number, since: now, source: try MasterKey.random(randomBytes))
        return Keyset(root: root, generations: generations + [next])
    }

    /// With the current generation, and of the others those that are named.
    package func keeping(_ numbers: Set<UInt8>) -> Keyset {
        Keyset(
            root: root, generations: generations.dropLast().filter { numbers.contains($0.number) } + [current])
    }

    /// Keys that a sealer seals with: those of `.seal` or `.signingKeySeal`.
    package func sealingKeys(_ label: MasterKey.Label) throws(TokenFault) -> SealingKeys {
        var keys: [UInt8: SecretBytes] = [:]
        for generation in generations { keys[generation.number] = try generation.source.subkey(label) }
        return SealingKeys(current: current.number, keys: keys)
    }
}

/// As it is stored: version (1 byte), root (32), count (1), then for each generation number (1), since (8, milliseconds,
/// most significant first) and source (32). All of it sealed under a key from the master key, for the row of its name.
extension Keyset {
    /// - Throws: `TokenFault` when it cannot be sealed.
    package func sealed(under master: MasterKey, _ randomBytes: @escaping RandomBytes) throws(TokenFault) -> [UInt8] {
        var bytes = encoded
        defer { bytes.wipe() }
        return try Self.sealer(master, randomBytes).seal(bytes, context: try Self.context(master))
    }

    /// - Throws: `TokenFault` unless it was sealed under this master key, and is a keyset that this build reads.
    package init(_ sealed: [UInt8], under master: MasterKey) throws(TokenFault) {
        let sealer = try Self.sealer(master) { (_) throws(EntropyFault) in throw EntropyFault() }
        var bytes = try sealer.open(sealed, context: try Self.context(master))
        defer { bytes.wipe() }
        try self.init(encoded: bytes)
    }

    private static func sealer(
        _ master: MasterKey, _ randomBytes: @escaping RandomBytes
    ) throws(TokenFault) -> Sealer {
        // A day makes no difference to a value that is sealed a few times in the life of a key.
        try Sealer(
            key: try master.subkey(.keyset), now: { Timestamp(milliseconds: 0) }, randomBytes: randomBytes)
    }

    private static func context(_ master: MasterKey) throws(TokenFault) -> [UInt8] {
        Array("keysets.keyset_sealed".utf8) + [0] + (try master.keyID())
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        // In one piece, so that no copy of a key stays where the array was before it grew.
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
