import Locks
import Engine
import Possession
import Testing

@testable import Tokens

@Suite struct KeysetTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private let random = SystemRandom().randomBytes
    private let master: MasterKey

    init() throws {
        master = try #require(MasterKey([UInt8](repeating: 1, count: 32)))
    }

    /// Bytes that count up, so that a record can be compared byte by byte.
    private static func counting() -> RandomBytes {
        let next = SystemCounter()
        return { (count) throws(EntropyFault) in (0..<count).map { _ in next.next() } }
    }

    @Test func `has one form for all time`() throws {
        let keyset = try Keyset.random(at: Self.now, Self.counting()).rotated(
            at: Timestamp(milliseconds: 1_800_000_000_001), Self.counting())
        let time: [UInt8] = [0, 0, 0x01, 0xA3, 0x18, 0x5C, 0x50]
        let root = (0..<32).map { UInt8($0) }
        let first: [UInt8] = [1] + time + [0] + (32..<64).map { UInt8($0) }
        let second: [UInt8] = [2] + time + [1] + (0..<32).map { UInt8($0) }
        #expect(keyset.encoded == [1] + root + [2] + first + second)
        #expect(try Keyset(encoded: keyset.encoded).encoded == keyset.encoded)
    }

    @Test func `refuses every other form`() throws {
        let good = try Keyset.random(at: Self.now, random).rotated(at: Self.now, random).encoded
        var bad: [[UInt8]] = (0..<good.count).map { Array(good[..<$0]) }
        bad.append(good + [0])
        for (index, value) in [(0, 0), (0, 2), (33, 0), (33, 1), (33, 3), (33, 17), (34, 0), (34, 2)] as [(Int, UInt8)]
        {
            var changed = good
            changed[index] = value
            bad.append(changed)
        }
        for bytes in bad { #expect(throws: TokenFault.self) { try Keyset(encoded: bytes) } }
    }

    @Test func `opens under its own master key only, unchanged`() throws {
        let keyset = try Keyset.random(at: Self.now, random)
        let sealed = try keyset.sealed(under: master, random)
        #expect(try Keyset(sealed, under: master).encoded == keyset.encoded)
        let other = try #require(MasterKey([UInt8](repeating: 2, count: 32)))
        #expect(throws: TokenFault.self) { try Keyset(sealed, under: other) }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: TokenFault.self) { try Keyset(changed, under: master) }
        }
    }

    @Test func `a new one has nothing of the master key, an inherited one all of it`() throws {
        let fresh = try Keyset.random(at: Self.now, random)
        #expect(try fresh.root.keyID() != master.keyID())
        #expect(try fresh.current.source.keyID() != fresh.root.keyID())
        let old = Keyset.inherited(from: master, at: Self.now)
        for label in [MasterKey.Label.seal, .signingKeySeal] {
            let keys = try old.sealingKeys(label)
            #expect(keys.current == 1)
            #expect(try keys.keys[1]?.copied == master.subkey(label).copied)
        }
        #expect(try old.root.subkey(.blindIndex).copied == master.subkey(.blindIndex).copied)
    }

    @Test func `numbers generations around, past those in use`() throws {
        var keyset = try Keyset.random(at: Self.now, random)
        for _ in 0..<260 {
            keyset = try keyset.rotated(at: Self.now, random).keeping([1])
            #expect(Set(keyset.generations.map(\.number)).count == keyset.generations.count)
            #expect(keyset.generations.count == 2 && keyset.generations[0].number == 1)
        }
        // 2 to 255 for 254 rotations, then from 2 again, as 1 is in use.
        #expect(keyset.current.number == 7)
        while keyset.generations.count < Keyset.mostGenerations { keyset = try keyset.rotated(at: Self.now, random) }
        #expect(throws: TokenFault.self) { try keyset.rotated(at: Self.now, random) }
        #expect(try Keyset(encoded: keyset.encoded).generations.count == Keyset.mostGenerations)
    }

    @Test func `an id tells keys apart, and is no part of one`() throws {
        let other = try #require(MasterKey([UInt8](repeating: 2, count: 32)))
        #expect(try master.keyID().count == 8)
        #expect(try master.keyID() == master.keyID())
        #expect(try master.keyID() != other.keyID())
        #expect("\(try Keyset.random(at: Self.now, random).root)".contains("redacted"))
    }
}

private final class SystemCounter: Sendable {
    private let value = Locked<UInt8>(0)
    func next() -> UInt8 {
        value.withLock { value in
            defer { value &+= 1 }
            return value
        }
    }
}
