import Possession
import Testing
import Tokens

@testable import PhoneNumbers

/// Files come from operators: what is damaged or foreign is refused with a reason, and never reaches the library.
@Suite struct PlanFileTests {
    private static let bytes = PlanFile.builtInBytes
    private static let headBytes = bytes.count - 32 - PlanFile.builtIn.tables.count

    private static func read(_ bytes: [UInt8]) throws(PlanFile.Defect) -> PlanFile {
        try PlanFile(bytes) { SHA256.digest($0) }
    }

    /// With a checksum that is right.
    private static func sealed(_ content: some Sequence<UInt8>) -> [UInt8] {
        Array(content) + SHA256.digest(Array(content))
    }

    private static func sealed(tables: [UInt8]) -> [UInt8] { sealed(bytes.prefix(headBytes) + tables) }

    private static func refusal(_ bytes: [UInt8]) -> String? {
        do throws(PlanFile.Defect) { _ = try read(bytes) } catch { return error.reason }
        return nil
    }

    @Test func `the one in the program is whole`() throws {
        let plan = try Self.read(Self.bytes)
        #expect(plan == .builtIn)
        #expect(plan.version.utf8.starts(with: "9.".utf8))
        #expect(plan.released >= "2026-11-06" && plan.releasedSeconds >= 1_794_000_000 - 86_400 * 30)
    }

    @Test func `refuses what was cut off, wherever that is`() {
        for count in stride(from: 0, to: Self.bytes.count, by: 997) + [Self.bytes.count - 1] {
            #expect(Self.refusal(Array(Self.bytes.prefix(count))) != nil, "\(count) bytes")
        }
    }

    @Test func `refuses a changed byte, wherever it is`() {
        for place in stride(from: 0, to: Self.bytes.count, by: 1_499) {
            var bytes = Self.bytes
            bytes[place] ^= 0x20
            #expect(Self.refusal(bytes) != nil, "byte \(place)")
        }
    }

    @Test(arguments: [
        ("", "is no numbering plan"), ("{\"users\":[]}", "is no numbering plan"),
        ("holdfast-numbering-plan 2\nversion 1\nreleased 2026-01-01\n\n", "is no numbering plan"),
        ("holdfast-numbering-plan 1\nversion 9.x\nreleased 2026-01-01\n\n", "is damaged"),
        ("holdfast-numbering-plan 1\nversion 9.0\nreleased 2026-13-01\n\n", "is damaged"),
        ("holdfast-numbering-plan 1\nversion 9.0\nreleased 2026-01-01", "is damaged"),
        ("holdfast-numbering-plan 1\nversion 9.0\nreleased 2026-01-01\n\n", "is damaged"),
        ("holdfast-numbering-plan 1\nversion 9.0\nreleased 2026-01-01\n\nx", "has tables that cannot be read"),
    ])
    func `says what is wrong with a head`(text: String, reason: String) {
        #expect(Self.refusal(Self.sealed(text.utf8))?.hasPrefix(reason) == true)
    }

    @Test func `refuses a file that is too large before anything else`() {
        #expect(Self.refusal([UInt8](repeating: 0, count: 5 << 20)) == "is larger than 4194304 bytes")
    }

    @Test func `refuses tables with the right checksum that are no whole plan`() {
        let tables = PlanFile.builtIn.tables
        var fields = WireFields(tables[...])
        let first = (try? fields.next()).flatMap { $0 }
        guard case .bytes(let region)? = first?.value else {
            Issue.record("there is no region")
            return
        }
        let alone = tables[..<region.endIndex]
        #expect(Self.refusal(Self.sealed(tables: Array(alone))) == "has 1 regions; a whole plan has about 250")
        #expect(Self.refusal(Self.sealed(tables: Array(alone + tables)))?.hasSuffix(" twice") == true)
        // Field 99 of the collection; a region without anything; a region with 18 digits; a pattern with a letter.
        #expect(
            Self.refusal(Self.sealed(tables: tables + [0x98, 0x06, 0]))
                == "has a field 99 that this program does not know")
        #expect(Self.refusal(Self.sealed(tables: [0x0A, 0]))?.hasPrefix("has a region without") == true)
        #expect(Self.refusal(Self.sealed(tables: [0x0A, 4, 0x0A, 2, 0x48, 18])) == "has numbers of 18 digits")
        #expect(
            Self.refusal(Self.sealed(tables: [0x0A, 5, 0x0A, 3, 0x12, 1, 0x61]))?.hasPrefix("has a pattern") == true)
        #expect(Self.refusal(Self.sealed(tables: [0x0A, 0x7F])) == "has tables that cannot be read")
        #expect(
            Self.refusal(Self.sealed(tables: [UInt8](repeating: 0xFF, count: 40))) == "has tables that cannot be read")
    }

    /// Chosen by a fixed seed, so that a failure comes again.
    @Test func `what is changed and has the right checksum is refused or read, and stops nothing`() throws {
        var seed: UInt64 = 35
        func random(below bound: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((seed >> 33) % UInt64(bound))
        }
        var taken = 0
        for round in 0..<80 {
            var tables = PlanFile.builtIn.tables
            // Digits fit into patterns: most of those tables can be read.
            let byte = round.isMultiple(of: 2) ? 48 + random(below: 10) : random(below: 256)
            tables[random(below: tables.count)] = UInt8(byte)
            guard let file = try? Self.read(Self.sealed(tables: tables)) else { continue }
            taken += 1
            let inUse = PlanInUse()
            _ = inUse.take(try PlanInUse.Change(to: file))
            let plan = try NumberingPlan(defaultRegion: "US", inUse)
            for text in ["+2290197000000", "2025550123", "+442079460958", "+5511961234567", "+999"] {
                _ = plan.planned(text)
            }
        }
        #expect(taken > 10)
    }
}
