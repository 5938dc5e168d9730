import Engine
import Possession
import Testing

@testable import PhoneNumbers

@Suite struct `The numbering plan` {
    let plan: NumberingPlan

    init() throws {
        plan = try NumberingPlan(defaultRegion: "US")
    }

    // MARK: One number, many spellings

    @Test(arguments: ["2025550123", "12025550123", "+12025550123"])
    func `takes a North American number with and without its leading 1`(text: String) {
        #expect(plan.number(text)?.e164 == "+12025550123")
    }

    @Test(arguments: [
        ("+442079460958", "+442079460958"), ("+4402079460958", "+442079460958"), ("+390236618300", "+390236618300"),
        ("+4915112345678", "+4915112345678"), ("+33612345678", "+33612345678"), ("+330612345678", "+33612345678"),
        ("+819012345678", "+819012345678"), ("+61412345678", "+61412345678"), ("+5511961234567", "+5511961234567"),
        ("+14165550123", "+14165550123"), ("4165550123", "+14165550123"), ("+6834002", "+6834002"),
        ("+447968900002", "+447968900002"),
    ])
    func `writes a number in E.164, one form for every spelling`(text: String, expected: String) {
        #expect(plan.number(text)?.e164 == expected)
    }

    @Test(arguments: Spellings.refused)
    func `refuses whatever is not digits after an optional plus`(text: String) {
        #expect(plan.read(text) == nil)
    }

    @Test func `reads a hundred spellings of one number as that number or as none`() {
        let outcomes = Set(Spellings.hundred.map { plan.number($0)?.e164 })
        #expect(Spellings.hundred.count >= 100)
        #expect(outcomes == ["+12025550123", nil])
    }

    // MARK: National forms

    @Test func `takes the national form of its own region alone`() throws {
        let britain = try NumberingPlan(defaultRegion: "GB")
        #expect(britain.number("02079460958")?.e164 == "+442079460958")
        #expect(britain.number("2079460958")?.e164 == "+442079460958")
        #expect(britain.number("2025550123")?.e164 != "+12025550123")
        #expect(plan.number("02079460958") == nil)
        #expect(plan.number("07911123456") == nil)
    }

    @Test(arguments: [
        ("US", "442079460958"), ("US", "011442079460958"), ("US", "00442079460958"), ("GB", "442079460958"),
        ("GB", "00442079460958"), ("GB", "0012025550123"), ("DE", "004915112345678"),
        ("US", "01112025550123"), ("US", "112025550123"), ("US", "+112025550123"), ("US", "5550123"),
    ])
    func `takes an international number with a plus only`(region: String, text: String) throws {
        #expect(try NumberingPlan(defaultRegion: region).number(text) == nil)
    }

    @Test func `reads digits without a plus as national, even when they begin with the country code`() throws {
        let germany = try NumberingPlan(defaultRegion: "DE")
        #expect(germany.number("015112345678")?.e164 == "+4915112345678")
        #expect(germany.number("4915112345678")?.e164 == "+494915112345678")
    }

    @Test func `reads an old mobile prefix away, however often it stands there`() {
        #expect(plan.number("+5215512345678")?.e164 == "+525512345678")
        #expect(plan.number("+52115512345678")?.e164 == "+525512345678")
    }

    // MARK: Calls abroad

    @Test(arguments: [
        ("DE", "00442079460958", "+442079460958"), ("FR", "00 49 (151) 1234-5678", "+4915112345678"),
        ("US", "011442079460958", "+442079460958"), ("AU", "0011442079460958", "+442079460958"),
        ("MX", "00525512345678", "+525512345678"), ("DE", "0012025550123", "+12025550123"),
    ]) func `reads a number as people of a region dial it for a call abroad`(
        region: String, text: String, number: String
    ) throws {
        let plan = try NumberingPlan(defaultRegion: region, takesUnknownRanges: true)
        let numbers = PlannedNumbers(abroad: { plan.dialledAbroad($0) }) { plan.planned($0) }
        let read = try numbers.read(typed: text)
        #expect(read.number.e164 == number && read.asSent == text)
        #expect(throws: NumberRefusal.malformed, "a backend writes +") { try numbers.read(text) }
    }

    @Test(arguments: [
        ("US", "00442079460958"), ("DE", "011442079460958"), ("DE", "0"), ("DE", "00"), ("DE", "00123"),
        ("DE", "000049"),
        ("DE", "015112345678"), ("DE", "+0049151123"), ("DE", "0049151123456781234567890"), ("DE", "00 49 abc 1234"),
    ]) func `takes no other digits for a call abroad`(region: String, text: String) throws {
        let plan = try NumberingPlan(defaultRegion: region, takesUnknownRanges: true)
        #expect(
            PlannedNumbers(abroad: { plan.dialledAbroad($0) }, plan: { plan.planned($0) }).dialledAbroad(text) == nil)
    }

    // MARK: Borders

    @Test(arguments: [
        ("202555012", false), ("2025550123", true), ("20255501234", false), ("+1202555012", false),
        ("+12025550123", true), ("+120255501234", false), ("+44207946095", false), ("+442079460958", true),
        ("+4420794609581", false), ("+6834001", true), ("+683400", false),
    ])
    func `takes a number of the right length, no digit less or more`(text: String, isNumber: Bool) {
        #expect((plan.number(text) != nil) == isNumber)
    }

    /// A number of the right length that no telephone can dial. Sandboxes take such numbers.
    @Test(arguments: ["+10112345678", "+11112345678", "+12061234567", "+12060234567", "0112345678", "+10002345678"])
    func `live refuses a number of North America whose area code or exchange begins with 0 or 1`(text: String) throws {
        let plan = try NumberingPlan(defaultRegion: "US", takesUnknownRanges: true)
        let (live, sandbox) = (
            PlannedNumbers(refusesKinds: true) { plan.planned($0) }, PlannedNumbers { plan.planned($0) }
        )
        #expect(throws: NumberRefusal.malformed) { try live.read(text, for: nil) }
        #expect(try live.read("+12065550123", for: nil).number.e164 == "+12065550123")
        #expect(try sandbox.read("+12001009999", for: nil).number.e164 == "+12001009999")
    }

    @Test(arguments: [
        "+", "", "1", "+1", "0", "+0", "00", "+00000000000", "+999999999999999", "999999999999999", "+1234567890123456",
        "1234567890123456", "+123456789012345", "123456789012345",
    ])
    func `refuses what no country has`(text: String) {
        #expect(plan.number(text) == nil)
    }

    @Test(arguments: [1, 16, 17, 18, 250, 1 << 20])
    func `refuses a text of any length without looking far into it`(count: Int) {
        #expect(plan.number(String(repeating: "1", count: count)) == nil)
        #expect(plan.number("+" + String(repeating: "9", count: count)) == nil)
    }

    @Test func `survives every byte in every place`() {
        let number = Array("+12025550123".utf8)
        for place in 0...number.count {
            for byte in UInt8.min...UInt8.max where !(48...57).contains(byte) {
                var bytes = number
                bytes.insert(byte, at: place)
                #expect(plan.number(String(decoding: bytes, as: UTF8.self)) == nil, "byte \(byte) at \(place)")
            }
        }
    }

    @Test func `never traps on random digits`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            let digits = (0..<Int.random(in: 0...18, using: &generator)).map { _ in Int.random(in: 0...9) }
            let text = (Bool.random() ? "+" : "") + digits.map(String.init).joined()
            if let number = plan.number(text) {
                #expect(plan.number(number.e164) == number, "\(text) is not stable")
            }
        }
    }

    // MARK: Kinds

    @Test(arguments: [
        ("9005550123", NumberKind.premiumRate), ("8005550123", .tollFree), ("2025550123", .fixedLineOrMobile),
        ("+447400123456", .mobile), ("+442079460958", .fixedLine), ("+445612345678", .voiceOverIP),
        ("+447012345678", .personal), ("+447640123456", .pager), ("+445512345678", .company),
        ("+611300123456", .sharedCost), ("+4915112345678", .mobile), ("+41860791234567", .voicemail),
    ])
    func `says what a number is for`(text: String, kind: NumberKind) {
        #expect(plan.read(text)?.kind == kind)
    }

    @Test func `tells a number of the right length from one in use`() throws {
        let reading = try #require(plan.read("2001004014"))
        #expect(reading.number.e164 == "+12001004014")
        #expect(!reading.isValid)
        #expect(plan.number("2001004014") == nil)
        #expect(plan.read("200100401") == nil)
    }

    // MARK: The library's own examples

    @Test func `takes the example numbers of every region`() throws {
        // Canada's "310" numbers have no area code, so that nobody can send a message to one.
        let exceptions: Set = ["+13101234"]
        let regions = NumberingPlan.libraryRegions()
        var count = 0
        for region in regions {
            for example in NumberingPlan.examples(in: region)
            where !exceptions.contains(example.number.e164) {
                let reading = plan.read(example.number.e164)
                #expect(reading?.number == example.number, "\(region) \(example.number.e164)")
                #expect(reading.map { isLine($0.kind) || $0.kind == example.kind } == true, "\(region)")
                #expect(isLine(reading?.kind) == isLine(example.kind), "\(region)")
                count += 1
            }
        }
        #expect(count > 1_000)
    }

    @Test func `finds the region of a number that was read`() {
        var count = 0
        for region in NumberingPlan.libraryRegions() {
            for example in NumberingPlan.examples(in: region) {
                guard let reading = plan.planned(example.number.e164) else { continue }
                #expect(plan.region(of: reading.number) == reading.region, "\(region) \(reading.number.e164)")
                count += 1
            }
        }
        #expect(count > 1_000)
    }

    @Test(arguments: [
        ("+390236618300", "IT"), ("+14155550123", "US"), ("+16045550123", "CA"), ("+77012345678", "KZ"),
        ("+447911123456", "GG"), ("+88312345678", nil), ("+99900000000000", nil), ("+21000", nil),
    ])
    func `finds no region where a calling code is of none`(e164: String, region: String?) throws {
        #expect(plan.region(of: try #require(PhoneNumber(e164: e164))) == region)
    }

    /// Whether a person may sit at the other end. The library's examples do not tell fixed lines and mobiles apart.
    private func isLine(_ kind: NumberKind?) -> Bool {
        kind == .fixedLine || kind == .mobile || kind == .fixedLineOrMobile
    }

    @Test func `knows the regions that the library knows`() {
        #expect(Region.all.sorted().map(String.init) == NumberingPlan.libraryRegions())
    }

    @Test(arguments: ["", "U", "us", "USA", "XX", "ZZ", "001", "U\0", "US ", "ÜS"])
    func `refuses an unknown default region`(region: String) {
        #expect(throws: NumberingPlan.UnknownRegion(region: region)) {
            try NumberingPlan(defaultRegion: region)
        }
    }

    // MARK: Threads

    @Test func `gives sixteen threads at once the same answers`() async {
        let regions = ["US", "GB", "DE", "FR", "JP", "BR", "IN", "AU"]
        let numbers = regions.flatMap { NumberingPlan.examples(in: $0).map(\.number) }
        await withTaskGroup(of: Int.self) { readers in
            for _ in 0..<16 {
                readers.addTask { [plan] in numbers.count { plan.number($0.e164) != $0 } }
            }
            for await wrong in readers { #expect(wrong == 0) }
        }
    }
}
