import Testing

@testable import Possession

@Suite struct `A verification` {
    private static let elena = Person(
        firstName: "Elena Maria", lastName: "Coldman", dob: "1987-05-14", ssn: "900450053", emailAddresses: [],
        addresses: [])
    private static let right = SubmittedPerson(firstName: "Elena Maria", lastName: "Coldman")
    private static let wrong = SubmittedPerson(firstName: "Elena Maria", lastName: "Coldwoman")
    private static let bad = Reputation(failureReasons: [.init(code: "9133", text: "low SIM trust score")])
    private static let passing = ScriptedVerification(passes: true, assurance: Assurance(.two, [.scripted("AL2a")]))
    private static let failing = ScriptedVerification(
        passes: false, assurance: Assurance(.untrusted, [.scripted("AL-1h")]))

    private func finding(
        _ question: VerificationQuestion, _ names: SubmittedPerson = SubmittedPerson(), person: Person? = elena,
        standing: Reputation? = Reputation(), script: ScriptedVerification? = nil
    ) -> VerificationFinding {
        VerificationFinding(question, names, person: person, standing: standing, script: script)
    }

    private static let named: [VerificationQuestion] = [.names]
    private static let telling: [VerificationQuestion] = [.record]
    private static let human: [VerificationQuestion] = [.human]

    @Test(arguments: named + telling) func `passes where the names are the person's`(question: VerificationQuestion) {
        let finding = finding(question, Self.right)
        #expect(finding.passes && finding.assurance == Assurance.linked)
        #expect(finding.identification == [] && finding.risk == nil)
    }

    @Test(arguments: VerificationQuestion.allCases) func `tells the person to those alone who asked for the data`(
        question: VerificationQuestion
    ) {
        #expect(finding(question, Self.right).person == (Self.telling.contains(question) ? Self.elena : nil))
        #expect(
            finding(question, Self.right, script: Self.passing).person
                == (Self.telling.contains(question) ? Self.elena : nil))
    }

    @Test(arguments: VerificationQuestion.allCases) func `tells nothing of the person after a failure`(
        question: VerificationQuestion
    ) {
        for script in [nil, Self.passing, Self.failing] {
            for names in [Self.wrong, SubmittedPerson(lastName: "X"), Self.right] {
                let finding = finding(question, names, script: script)
                #expect(finding.passes || finding.person == nil)
            }
        }
        #expect(finding(.record, Self.wrong).person == nil)
        #expect(finding(.record, Self.right, script: Self.failing).person == nil)
    }

    @Test(arguments: named + telling) func `fails on a name that differs, scripted or not`(
        question: VerificationQuestion
    ) {
        for script in [nil, Self.passing] {
            for names in [Self.wrong, SubmittedPerson(firstName: "Elena"), SubmittedPerson(lastName: "Cold man")] {
                let finding = finding(question, names, script: script)
                #expect(!finding.passes && finding.assurance == Assurance.noData)
                #expect(finding.identification == [.name])
            }
        }
    }

    @Test(arguments: VerificationQuestion.allCases) func `fails where nobody is known`(question: VerificationQuestion) {
        let finding = finding(question, Self.right, person: nil)
        #expect(!finding.passes && finding.assurance == Assurance.noData)
        #expect(finding.identification == [.notFound])
    }

    @Test(arguments: ["ELENA MARIA", " elena  maria ", "Elena\u{20}\u{20}\u{20}Maria"])
    func `compares names without case and repeated spaces`(name: String) {
        #expect(finding(.names, SubmittedPerson(firstName: name, lastName: "coldMAN")).passes)
    }

    @Test(arguments: ["ElenaMaria", "Elena", "Elena Maria X", "Elena-Maria", ""])
    func `compares names whole`(name: String) {
        #expect(!finding(.names, SubmittedPerson(firstName: name, lastName: "Coldman")).passes)
    }

    @Test func `knows a name however its letters are put together`() {
        let person = Person(
            firstName: "Zoë", lastName: "Núñez", dob: nil, ssn: nil, emailAddresses: [], addresses: [])
        let names = SubmittedPerson(firstName: "ZOE\u{308}", lastName: "nu\u{301}n\u{303}ez")
        #expect(finding(.names, names, person: person).passes)
    }

    @Test(arguments: human) func `of a human needs somebody and a good standing, and no names`(
        question: VerificationQuestion
    ) {
        #expect(finding(question).passes)
        #expect(finding(question, Self.wrong).passes)
        #expect(finding(question).risk == [])
        let bad = finding(question, standing: Self.bad)
        #expect(!bad.passes && bad.assurance == Assurance.poor && bad.risk?.map(\.code) == ["9133"])
        #expect(finding(question, standing: nil).passes && finding(question, standing: nil).risk == nil)
    }

    @Test(arguments: VerificationQuestion.allCases) func `ends as the script of a sandbox user says`(
        question: VerificationQuestion
    ) {
        let passed = finding(question, person: nil, script: Self.passing)
        #expect(passed.passes && passed.assurance == Self.passing.assurance && passed.person == nil)
        let failed = finding(question, Self.right, script: Self.failing)
        #expect(!failed.passes && failed.assurance == Self.failing.assurance)
        #expect(failed.identification == [.notConfirmed])
        #expect(finding(question, standing: Self.bad, script: Self.failing).risk?.map(\.code) == ["9133"])
    }

    @Test func `for a business finds none`() {
        let finding = finding(.business, Self.right)
        #expect(!finding.passes && finding.identification == [.notFound])
    }

    @Test func `shows no names in a description`() {
        #expect("\(Self.right)" == "<submitted person>")
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
