import Engine
import Possession
import Testing
@testable import Tokens

@Suite struct SealerTests {
    private static func day(_ number: Int64) -> Timestamp { Timestamp(milliseconds: number * 86_400_000) }

    private func sealer(on day: Int64) throws -> Sealer {
        try Sealer(key: key, now: { Self.day(day) }, randomBytes: SystemRandom().randomBytes)
    }

    private let key = SecretBytes([UInt8](repeating: 3, count: 32))
    private let context = Array("sessions/number/1".utf8)
    private let sealer: Sealer

    init() throws {
        sealer = try Sealer(key: key, now: { Self.day(20_800) }, randomBytes: SystemRandom().randomBytes)
    }

    @Test(arguments: [0, 1, 12, 15, 16, 17, 4096])
    func `opens what it sealed`(count: Int) throws {
        let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let sealed = try sealer.seal(plain, context: context)
        #expect(sealed.count == count + Sealer.overhead)
        #expect(try sealer.open(sealed, context: context) == plain)
        #expect(
            try Sealer(key: key, now: { Self.day(20_800) }, randomBytes: SystemRandom().randomBytes).open(
                sealed, context: context) == plain)
    }

    @Test func `opens nothing in another context`() throws {
        let sealed = try sealer.seal(Array("+12001004014".utf8), context: context)
        for other in [[], Array("sessions/number/2".utf8), context + [0], Array(context.dropLast())] {
            #expect(throws: TokenFault.self) { try sealer.open(sealed, context: other) }
        }
        #expect(try sealer.open(sealed, context: context) == Array("+12001004014".utf8))
    }

    @Test func `opens nothing with a byte changed, missing or added`() throws {
        let sealed = try sealer.seal(Array("+12001004014".utf8), context: context)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: TokenFault.self) { try sealer.open(changed, context: context) }
            #expect(throws: TokenFault.self) { try sealer.open(Array(sealed[..<index]), context: context) }
        }
        #expect(throws: TokenFault.self) { try sealer.open(sealed + [0], context: context) }
    }

    @Test func `opens nothing of another key`() throws {
        let sealed = try sealer.seal([1], context: context)
        let other = try Sealer(
            key: SecretBytes([UInt8](repeating: 4, count: 32)), now: { Self.day(20_800) },
            randomBytes: SystemRandom().randomBytes)
        #expect(throws: TokenFault.self) { try other.open(sealed, context: context) }
    }

    @Test func `each day seals under a key of its own, and opens those of all days`() throws {
        let plain = Array("+12001004014".utf8)
        var all: [[UInt8]] = []
        for day in Int64(20_700)..<20_900 {
            let sealed = try sealer(on: day).seal(plain, context: context)
            #expect(sealed[1...2] == [UInt8(day >> 8), UInt8(day & 0xFF)])
            all.append(sealed)
        }
        // More days than keys are kept, in both directions.
        for sealed in all + all.reversed() { #expect(try sealer.open(sealed, context: context) == plain) }
        var moved = all[0]
        moved.replaceSubrange(1...2, with: all[1][1...2])
        #expect(throws: TokenFault.self) { try sealer.open(moved, context: context) }
    }

    @Test(arguments: [-1, 0, 65_535, 65_536, 100_000_000] as [Int64])
    func `a clock that is far off seals and opens as well`(day: Int64) throws {
        let sealed = try sealer(on: day).seal([7], context: context)
        #expect(try sealer.open(sealed, context: context) == [7])
    }

    @Test func `draws a fresh nonce for each of 100,000 seals`() throws {
        var nonces = Set<[UInt8]>()
        for _ in 0..<100_000 {
            nonces.insert(Array(try sealer.seal([], context: [])[3..<15]))
        }
        #expect(nonces.count == 100_000)
    }

    @Test func `fails when the generator does`() throws {
        let broken = try Sealer(
            key: key, now: { Self.day(20_800) }, randomBytes: { (_) throws(EntropyFault) in throw EntropyFault() })
        #expect(throws: TokenFault.self) { try broken.seal([1], context: []) }
    }

    @Test(arguments: [0, 16, 31, 33])
    func `takes only keys of 32 bytes`(count: Int) {
        #expect(throws: TokenFault.self) {
            try Sealer(
                key: SecretBytes([UInt8](repeating: 0, count: count)), now: { Self.day(20_800) },
                randomBytes: SystemRandom().randomBytes)
        }
    }

    // MARK: Generations

    private static func keys(_ current: UInt8, of numbers: [UInt8]) -> SealingKeys {
        let keys = numbers.map { ($0, SecretBytes([UInt8](repeating: $0, count: 32))) }
        return SealingKeys(current: current, keys: Dictionary(uniqueKeysWithValues: keys))
    }

    private func sealer(_ keys: SealingKeys) throws -> Sealer {
        try Sealer(keys: keys, now: { Self.day(20_800) }, randomBytes: SystemRandom().randomBytes)
    }

    @Test func `seals with the current generation and opens every one that it knows`() throws {
        let sealer = try sealer(Self.keys(255, of: [1, 255]))
        let old = try self.sealer(Self.keys(1, of: [1])).seal([7], context: context)
        let new = try sealer.seal([8], context: context)
        #expect(old[0] == 1 && new[0] == 255 && sealer.generation == 255)
        #expect(try sealer.open(old, context: context) == [7])
        #expect(try sealer.open(new, context: context) == [8])
        for generation: UInt8 in [0, 1, 2, 254] {
            var changed = new
            changed[0] = generation
            #expect(throws: TokenFault.self) { try sealer.open(changed, context: context) }
        }
        let again = try sealer.resealed(old, context: context)
        #expect(again[0] == 255)
        #expect(try sealer.open(again, context: context) == [7])
        #expect(throws: TokenFault.self) { try sealer.resealed(old, context: []) }
    }

    @Test func `adopts other keys while it is in use, and forgets those that are gone`() async throws {
        let sealer = try sealer(Self.keys(1, of: [1]))
        let context = context
        let old = try sealer.seal([7], context: context)
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        let new = try sealer.seal([9], context: context)
                        let opened = [try sealer.open(new, context: context), try sealer.open(old, context: context)]
                        #expect(opened == [[9], [7]])
                    }
                }
            }
            for _ in 0..<50 {
                try sealer.adopt(Self.keys(2, of: [1, 2]))
                try sealer.adopt(Self.keys(1, of: [1, 2]))
            }
            try await group.waitForAll()
        }
        try sealer.adopt(Self.keys(2, of: [2]))
        #expect(throws: TokenFault.self) { try sealer.open(old, context: context) }
        #expect(throws: TokenFault.self) { try sealer.adopt(Self.keys(3, of: [2])) }
        #expect(try sealer.seal([1], context: context)[0] == 2)
    }
}
