import Testing

@testable import Possession

@Suite struct `A verification` {
    private static let elena = Person(
        firstName: "Elena Maria", lastName: "Coldman", dob: "1987-05-14", ssn: "900450053", emailAddresses: [],
        addresses: [])
    private static let right = SubmittedNames(firstName: "Elena Maria", lastName: "Coldman")
    private static let wrong = SubmittedNames(firstName: "Elena Maria", lastName: "Coldwoman")
    private static let bad = Reputation(failureReasons: [.init(code: "9133", text: "low SIM trust score")])
    private static let passing = ScriptedVerification(passes: true, assurance: Assurance(.two, ["AL2a"]))
    private static let failing = ScriptedVerification(passes: false, assurance: Assurance(.untrusted, ["AL-1h"]))

    private func finding(
        _ type: VerificationType, _ names: SubmittedNames = SubmittedNames(), person: Person? = elena,
        standing: Reputation? = Reputation(), script: ScriptedVerification? = nil
    ) -> VerificationFinding {
        VerificationFinding(type, names, person: person, standing: standing, script: script)
    }

    private static let named: [VerificationType] = [.verifiedUser, .accountOpening]
    private static let telling: [VerificationType] = [.prefill, .identityResolution]
    private static let human: [VerificationType] = [.humanAssurance, .bot]

    @Test(arguments: named + telling) func `passes where the names are the person's`(type: VerificationType) {
        let finding = finding(type, Self.right)
        #expect(finding.passes && finding.assurance == Assurance(.one, ["AL1b"]))
        #expect(finding.identification == [] && finding.risk == nil)
    }

    @Test(arguments: VerificationType.allCases) func `tells the person to those alone who asked for the data`(
        type: VerificationType
    ) {
        #expect(finding(type, Self.right).person == (Self.telling.contains(type) ? Self.elena : nil))
        #expect(
            finding(type, Self.right, script: Self.passing).person == (Self.telling.contains(type) ? Self.elena : nil))
    }

    @Test(arguments: VerificationType.allCases) func `tells nothing of the person after a failure`(
        type: VerificationType
    ) {
        for script in [nil, Self.passing, Self.failing] {
            for names in [Self.wrong, SubmittedNames(lastName: "X"), Self.right] {
                let finding = finding(type, names, script: script)
                #expect(finding.passes || finding.person == nil)
            }
        }
        #expect(finding(.prefill, Self.wrong).person == nil)
        #expect(finding(.prefill, Self.right, script: Self.failing).person == nil)
    }

    @Test(arguments: named + telling) func `fails on a name that differs, scripted or not`(type: VerificationType) {
        for script in [nil, Self.passing] {
            for names in [Self.wrong, SubmittedNames(firstName: "Elena"), SubmittedNames(lastName: "Cold man")] {
                let finding = finding(type, names, script: script)
                #expect(!finding.passes && finding.assurance == Assurance(.unknown, ["AL0b"]))
                #expect(finding.identification?.map(\.code) == ["9014"])
            }
        }
    }

    @Test(arguments: VerificationType.allCases) func `fails where nobody is known`(type: VerificationType) {
        let finding = finding(type, Self.right, person: nil)
        #expect(!finding.passes && finding.assurance == Assurance(.unknown, ["AL0b"]))
        #expect(finding.identification?.map(\.code) == ["9003"])
    }

    @Test(arguments: ["ELENA MARIA", " elena  maria ", "Elena\u{20}\u{20}\u{20}Maria"])
    func `compares names without case and repeated spaces`(name: String) {
        #expect(finding(.verifiedUser, SubmittedNames(firstName: name, lastName: "coldMAN")).passes)
    }

    @Test(arguments: ["ElenaMaria", "Elena", "Elena Maria X", "Elena-Maria", ""])
    func `compares names whole`(name: String) {
        #expect(!finding(.verifiedUser, SubmittedNames(firstName: name, lastName: "Coldman")).passes)
    }

    @Test func `knows a name however its letters are put together`() {
        let person = Person(
            firstName: "Zoë", lastName: "Núñez", dob: nil, ssn: nil, emailAddresses: [], addresses: [])
        let names = SubmittedNames(firstName: "ZOE\u{308}", lastName: "nu\u{301}n\u{303}ez")
        #expect(finding(.verifiedUser, names, person: person).passes)
    }

    @Test(arguments: human) func `of a human needs somebody and a good standing, and no names`(type: VerificationType) {
        #expect(finding(type).passes)
        #expect(finding(type, Self.wrong).passes)
        #expect(finding(type).risk == [])
        let bad = finding(type, standing: Self.bad)
        #expect(!bad.passes && bad.assurance == Assurance(.untrusted, ["AL-1a"]) && bad.risk?.map(\.code) == ["9133"])
        #expect(finding(type, standing: nil).passes && finding(type, standing: nil).risk == nil)
    }

    @Test(arguments: VerificationType.allCases) func `ends as the script of a sandbox user says`(
        type: VerificationType
    ) {
        let passed = finding(type, person: nil, script: Self.passing)
        #expect(passed.passes && passed.assurance == Self.passing.assurance && passed.person == nil)
        let failed = finding(type, Self.right, script: Self.failing)
        #expect(!failed.passes && failed.assurance == Self.failing.assurance)
        #expect(failed.identification?.map(\.code) == ["9011"])
        #expect(finding(type, standing: Self.bad, script: Self.failing).risk?.map(\.code) == ["9133"])
    }

    @Test func `for a business finds none`() {
        let finding = finding(.prefillForBiz, Self.right)
        #expect(!finding.passes && finding.identification?.map(\.code) == ["9003"])
    }

    @Test func `shows no names in a description`() {
        #expect("\(Self.right)" == "<names>")
        #expect("\(IdentityAttribute(name: "a", value: "secret"))" == "<attribute>")
    }
}

@Suite struct `Attributes of an identity` {
    private func attribute(_ name: String, _ value: String) -> IdentityAttribute { .init(name: name, value: value) }

    @Test func `are added, and replaced by name where they stand`() {
        let merged = [attribute("a", "1"), attribute("b", "2")].merging([attribute("c", "3"), attribute("a", "4")])
        #expect(merged == [attribute("a", "4"), attribute("b", "2"), attribute("c", "3")])
    }

    @Test func `are told apart as they are written`() {
        #expect([attribute("K", "1")].merging([attribute("k", "2"), attribute("\u{212A}", "3")]).count == 3)
    }
}
