import Sandbox
import Engine
import Possession
import Testing

@Suite struct SandboxNumbersTests {
    private static let stranger = Fixture.number("+12065550100")
    private static let users = SandboxUsers([
        SandboxUser(digits: "2001004014", number: Fixture.lorant, name: "Lorant", region: .northAmerica),
        SandboxUser(digits: "+2001004025", number: Fixture.bertie, name: "Bertie", region: .international),
    ])

    private func numbers(_ unknown: SandboxNumbers.UnknownNumbers = .refuse) -> SandboxNumbers {
        SandboxNumbers(
            Self.users, unknown: unknown,
            world: PlannedNumbers { $0 == "2065550100" ? PlannedNumber(Self.stranger) : nil })
    }

    @Test(arguments: ["2001004014", "12001004014", "+12001004014"])
    func `knows a North American user by three spellings, and keeps the one sent`(text: String) throws {
        let read = try numbers().read(text)
        #expect(read.number == Fixture.lorant)
        #expect(read.asSent == text)
    }

    @Test(arguments: [
        "2001004014", "200-100-4014", "200.100.4014", "(200) 100-4014", "+1 (200) 100-4014", "1-200-100-4014",
        " +1 200 100 4014 ", "(+1)2001004014",
    ]) func `a user is found in every spelling, and the answer keeps the spelling`(text: String) throws {
        let read = try numbers().read(text)
        #expect(read.number == Fixture.lorant)
        #expect(read.asSent == text)
    }

    @Test func `knows an international user by its exact digits`() throws {
        #expect(try numbers().read("+2001004025").number == Fixture.bertie)
        #expect(throws: NumberRefusal.notServed(reason: "no sandbox user has this number: \(NumberRefusal.wayOut)")) {
            try numbers().read("2001004025")
        }
    }

    @Test func `asks the numbering plan when strangers are simulated`() throws {
        #expect(try numbers(.simulate).read("2065550100").number == Self.stranger)
        #expect(throws: NumberRefusal.malformed) { try numbers(.simulate).read("2065550199") }
    }

    @Test(arguments: ["", "abc", "+", "206_555_0100", "206/5550100", "++12001004014", "12", "1234567890123456", "２００"])
    func `refuses what is no row of digits`(text: String) {
        #expect(throws: NumberRefusal.malformed) { try numbers().read(text) }
    }

    @Test func `countries are open until the rules name some, and a user counts under none`() {
        let numbers = numbers(.simulate)
        #expect(numbers.mayMessage(Self.stranger, by: TenantRules()))
        #expect(!numbers.mayMessage(Self.stranger, by: TenantRules(callingCodes: ["44"])))
        #expect(numbers.country(of: Fixture.lorant) == nil)
        #expect(numbers.country(of: Self.stranger) == "1")
    }

    @Test func `tells what is peculiar about a user, and nothing of anybody else`() {
        let peculiar = SandboxUser(
            digits: "2001004014", number: Fixture.lorant, name: "Lorant", region: .northAmerica, link: .mismatch,
            withoutClient: true, product: .identity)
        let numbers = SandboxNumbers(
            SandboxUsers([peculiar]), unknown: .simulate, world: PlannedNumbers { _ in nil })
        let traits = numbers.traits(of: Fixture.lorant)
        #expect(traits.needsNoClient && traits.hasNoChallenge && traits.isAnsweredElsewhere)
        #expect(numbers.traits(of: Self.stranger) == NumberTraits())
    }
}
