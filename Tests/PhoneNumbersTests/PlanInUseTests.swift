import Possession
import Testing
import Tokens

@testable import PhoneNumbers

/// Numbers are read by the program's plan or a newer file, not by the tables of the system's library.
@Suite struct PlanInUseTests {
    /// A field of a message.
    private static func block(_ field: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        varint(field << 3 | 2) + varint(UInt64(bytes.count)) + bytes
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }

    /// The plan of the program, where Benin has numbers of six digits that begin with 7.
    private static func changed() throws -> PlanFile {
        var tables: [UInt8] = []
        var fields = WireFields(PlanFile.builtIn.tables[...])
        while let (number, value) = try fields.next() {
            guard case .bytes(let region) = value else { continue }
            let isBenin = try Self.texts(9, in: region) == ["BJ"]
            let kind = block(2, Array(#"7\d{5}"#.utf8)) + [0x48, 6]
            let benin = [0x48 | 2, 2] + Array("BJ".utf8) + [0x50] + varint(229) + block(1, kind) + block(3, kind)
            tables += block(number, isBenin ? benin : Array(region))
        }
        let head = Array("holdfast-numbering-plan 1\nversion 99.0\nreleased 2026-11-20\n\n".utf8)
        return try PlanFile(head + tables + SHA256.digest(head + tables)) { SHA256.digest($0) }
    }

    private static func texts(_ field: UInt64, in message: ArraySlice<UInt8>) throws -> [String] {
        var fields = WireFields(message)
        var texts: [String] = []
        while let (number, value) = try fields.next() {
            if number == field, case .bytes(let text) = value { texts.append(String(decoding: text, as: UTF8.self)) }
        }
        return texts
    }

    /// 8.12.57, which Debian 12 has, calls the first two impossible and the others unknown.
    @Test(arguments: [
        "+2290197000000", "+2290162345678", "+2250705000000",
    ])
    func `the library reads the tables of the program`(text: String) throws {
        let plan = try NumberingPlan(defaultRegion: "US")
        #expect(plan.read(text)?.kind == .mobile)
        #expect(PlanInUse.ofProgram.isRead)
    }

    @Test func `a file takes the place of the program's plan while numbers are read`() async throws {
        let inUse = PlanInUse()
        let plan = try NumberingPlan(defaultRegion: "US", inUse)
        #expect(plan.planned("+229712345") == nil && plan.planned("+2290197000000")?.region == "BJ")
        let change = try PlanInUse.Change(to: Self.changed())
        await withTaskGroup(of: Bool.self) { readers in
            for _ in 0..<4 {
                readers.addTask { (0..<500).allSatisfy { _ in plan.number("+442079460958") != nil } }
            }
            #expect(inUse.take(change) == .builtIn)
            for await isRead in readers { #expect(isRead) }
        }
        #expect(inUse.file.version == "99.0")
        #expect(
            plan.planned("+229712345") == PlannedNumber(PhoneNumber(e164: "+229712345")!, kind: .mobile, region: "BJ"))
        #expect(plan.planned("+2290197000000") == nil)
        #expect(plan.planned("+442079460958")?.kind == .fixedLine)
        #expect(try NumberingPlan(defaultRegion: "US").planned("+229712345") == nil, "others read on by the program's")
    }

    // MARK: Unknown ranges

    @Test(arguments: [("2001004014", "US"), ("+12001004014", "US"), ("+79991234567", "RU"), ("+4915012345678", "DE")])
    func `a number of the right length in no known range is of the main country of its code`(
        text: String, region: String
    ) throws {
        let refusing = try NumberingPlan(defaultRegion: "US")
        let taking = try NumberingPlan(defaultRegion: "US", takesUnknownRanges: true)
        let planned = try #require(taking.planned(text))
        if planned.kind == nil {
            #expect(refusing.number(text) == nil)
            #expect(taking.number(text) == planned.number)
        }
        #expect(planned.region == region)
        #expect(taking.region(of: planned.number) == region)
    }

    // MARK: Examples

    /// The lists of libphonenumber: one number for each kind that a country has.
    @Test func `takes every example number of every region, but for those listed`() throws {
        // The seven digits of Canada's "310" have no area code: nobody can send a message there.
        let refused = ["CA +13101234"]
        let plan = try NumberingPlan(defaultRegion: "US")
        let kinds: Set<UInt64> = [2, 3, 4, 5, 6, 7, 8, 21, 25, 28]
        var found: [String] = []
        var count = 0
        var fields = WireFields(PlanFile.builtIn.tables[...])
        while let (_, value) = try fields.next() {
            guard case .bytes(let region) = value else { continue }
            var (code, examples): (UInt64, [String]) = (0, [])
            var members = WireFields(region)
            while let (number, value) = try members.next() {
                switch value {
                case .integer(let value) where number == 10: code = value
                case .bytes(let kind) where kinds.contains(number): examples += try Self.texts(6, in: kind)
                default: break
                }
            }
            let id = try Self.texts(9, in: region).joined()
            for example in examples {
                count += 1
                let e164 = "+\(code)\(example)"
                let reading = plan.planned(e164)
                if reading?.kind == nil || reading?.number.e164 != e164 { found.append("\(id) \(e164)") }
            }
        }
        #expect(found == refused)
        #expect(count > 1_100)
    }
}
