@testable import Sandbox
import Possession
import Testing

@Suite struct SandboxUserScriptTests {
    private static func user(
        _ otp: SandboxUser.CodeOutcome = .pass, codes: [String] = []
    ) -> SandboxUser {
        SandboxUser(
            digits: "2001004014", number: Fixture.lorant, name: "Lorant", region: .northAmerica, otp: otp,
            codes: codes.map { OTP($0)! })
    }

    private func awaits(_ typed: String, _ user: SandboxUser, length: Int = 4) -> String {
        CodeRules.scripted(SandboxUsers([user])).awaited(OTP(typed)!, of: .number(Fixture.lorant), length: length).text
    }

    @Test(arguments: [(4, "1234"), (5, "12345"), (6, "123456"), (10, "1234567890")])
    func `is sent the first digits at the length in use`(length: Int, code: String) {
        #expect(Self.user().shownCode(length: length).text == code)
        #expect(Self.user().passes(OTP(code)!))
        #expect(Self.user(.fail).shownCode(length: length).text == code)
    }

    @Test func `is sent its own code where it has one of that length`() {
        let user = Self.user(codes: ["7777", "8888", "654321"])
        #expect(user.shownCode(length: 4).text == "7777")
        #expect(user.shownCode(length: 5).text == "12345")
        #expect(user.shownCode(length: 6).text == "654321")
    }

    @Test(arguments: [
        ("7777", true), ("8888", true), ("1234", false), ("654321", true), ("123456", false), ("12345", true),
        ("1111", false),
    ])
    func `passes with any code of its own`(code: String, passes: Bool) {
        #expect(Self.user(codes: ["7777", "8888", "654321"]).passes(OTP(code)!) == passes)
    }

    @Test(arguments: ["1234", "1111", "7777"]) func `passes with none where its script says so`(code: String) {
        #expect(!Self.user(.fail, codes: ["7777"]).passes(OTP(code)!))
        #expect(awaits(code, Self.user(.fail, codes: ["7777"])) == code)
    }

    @Test func `lets each of its codes stand for the one that was shown`() {
        let user = Self.user(codes: ["7777", "8888"])
        #expect(awaits("7777", user) == "7777")
        #expect(awaits("8888", user) == "7777")
        #expect(awaits("1234", user) == "1234")
        #expect(awaits("1111", user) == "1111")
    }

    // A template of six `#` makes the code 123456, and 1234 is just a wrong one then.
    @Test(arguments: [("1234", 6), ("123456", 4), ("12345", 6)])
    func `lets no code of another length pass`(typed: String, length: Int) {
        #expect(awaits(typed, Self.user(), length: length) == typed)
        #expect(awaits(typed, Self.user(codes: ["1234", "123456", "12345"]), length: length) == typed)
    }

    @Test func `says nothing about codes of anybody else`() {
        #expect(CodeRules.random.awaited(OTP("1234")!, of: .number(Fixture.lorant), length: 6).text == "1234")
        let sandbox = CodeRules.scripted(SandboxUsers([Self.user()]))
        #expect(sandbox.awaited(OTP("1234")!, of: .number(Fixture.bertie), length: 6).text == "1234")
        #expect(sandbox.code(for: .number(Fixture.bertie), drawn: OTP("9876")!, own: nil).shown.text == "9876")
    }

    @Test(arguments: [SandboxUser.CodeOutcome.pass, .fail])
    func `sends a backend's own code, which passes unless none does`(outcome: SandboxUser.CodeOutcome) {
        let codes = CodeRules.scripted(SandboxUsers([Self.user(outcome, codes: ["7777"])]))
        let code = codes.code(for: .number(Fixture.lorant), drawn: OTP("9876")!, own: OTP("2020"))
        #expect(code.shown.text == "2020" && code.passes == (outcome == .pass))
    }

    @Test func `has a reason for a bad standing, sorted by code`() {
        let plain = SandboxUser(
            digits: "1", number: Fixture.lorant, name: "", region: .northAmerica, reputation: .fail)
        #expect(plain.standing.failureReasons == [SandboxUser.lowSIMTrust] && plain.reputation == .fail)
        let scripted = SandboxUser(
            digits: "1", number: Fixture.lorant, name: "", region: .northAmerica, reputation: .fail,
            reputationReasons: [.init(code: "9200", text: "b"), .init(code: "9100", text: "a")])
        #expect(scripted.standing.failureReasons.map(\.code) == ["9100", "9200"])
        #expect(Self.user().standing.passes && Self.user().reputation == .pass)
    }

    @Test func `gives way to a later user with the same digits`() {
        let later = SandboxUser(digits: "2001004014", number: Fixture.lorant, name: "Other", region: .northAmerica)
        let users = SandboxUsers([Self.user(), later])
        #expect(users.user(sentAs: "+12001004014")?.name == "Other")
        #expect(users.user(Fixture.lorant)?.name == "Other")
    }
}
