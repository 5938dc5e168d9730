import Foundation
import Sandbox
import Possession
import Testing

/// `config/sandbox-users.json` against what Prove publishes and what the contract decides about it.
@Suite struct `The shipped sandbox users` {
    let file: SandboxUsersFile
    let users: SandboxUsers

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let bytes = try Data(contentsOf: root.appending(path: "config/sandbox-users.json"))
        file = try SandboxUsersFile(Array(bytes))
        users = SandboxUsers(file.users)
    }

    struct Expected: Sendable {
        let number: String
        let name: String
        var otp = SandboxUser.CodeOutcome.pass
        var mobileAuth = SandboxUser.MobileAuthOutcome.unavailable
        var reputation = SandboxUser.ReputationOutcome.pass
        var link = SandboxUser.LinkBehaviour.open
        var withoutClient = false
    }

    @Test(arguments: [
        Expected(number: "2001004018", name: "Barbaraanne Canet", withoutClient: true),
        Expected(number: "+2001004029", name: "Janos Martina", withoutClient: true),
        Expected(number: "2001004014", name: "Lorant Nerger"),
        Expected(number: "2001004015", name: "Laney Dyball"),
        Expected(number: "2001004016", name: "Inge Galier", mobileAuth: .match),
        Expected(number: "2001004017", name: "Jesse Mashro", otp: .fail, mobileAuth: .mismatch, link: .mismatch),
        Expected(number: "2001004041", name: "Penny Jowers", mobileAuth: .mismatch, reputation: .fail),
        Expected(number: "+2001004025", name: "Bertie Fremont"),
        Expected(number: "+2001004026", name: "Bonnie Sidon"),
        Expected(number: "+2001004027", name: "Allissa Zoren", mobileAuth: .match),
        Expected(number: "+2001004028", name: "Wendy Strover", otp: .fail, mobileAuth: .mismatch, link: .mismatch),
        Expected(number: "+2001004043", name: "Amii Porritt", mobileAuth: .mismatch, reputation: .fail),
    ])
    func `do in Unify what is published`(expected: Expected) throws {
        let user = try #require(users.user(sentAs: expected.number))
        #expect(user.name == expected.name)
        #expect(user.otp == expected.otp)
        #expect(user.mobileAuth == expected.mobileAuth)
        #expect(user.reputation == expected.reputation)
        #expect(user.link == expected.link)
        #expect(user.withoutClient == expected.withoutClient)
        #expect(file.entries.first { $0.user === user }?.user.product == .unify)
    }

    @Test(arguments: [
        ("2001001695", "Milo", "Pinson", "847350596", "prefill", true),
        ("2001001693", "Marcia", "Longo", "470806227", "prefill", false),
        ("2001001688", "Nevin", "Chattey", "542742985", "prefill", false),
        ("2001001687", "Agretha", "Chene", "369956933", "prefill", false),
        ("5550000000", "Cathee", "Simmonett", "771240999", "prefill", false),
        ("5555555555", "Van", "Moors", "987654320", "prefill", false),
        ("2001004000", "Martina", "Goodram", "490959347", "identity", true),
        ("2001004090", "Ottoline", "Varga", "900451273", "identity", true),
        ("2001004009", "Benji", "Harper", "565252770", "identity", false),
        ("2001001698", "Enid", "Wildt", "212285822", "identity", false),
        ("2001001699", "Carney", "Reinisch", "166521601", "identity", false),
    ])
    func `carry a person in Pre-Fill and Identity`(
        number: String, first: String, last: String, ssn: String, product: String, withoutClient: Bool
    ) throws {
        let entry = try #require(file.entries.first { $0.user.digits == number })
        let person = try #require(entry.person)
        #expect((person.firstName, person.lastName) == (first, last))
        #expect(person.ssn == ssn)
        #expect(person.dob != nil && person.emailAddresses.count == 1)
        #expect(person.addresses.count == (first == "Marcia" ? 2 : 1))
        #expect(entry.user.product.rawValue == product)
        #expect(entry.user.withoutClient == withoutClient)
        #expect(entry.user.reputation == (first == "Agretha" ? .fail : .pass))
        #expect(entry.user.mobileAuth == (number.hasPrefix("555") ? .match : .unavailable))
    }

    @Test(arguments: [
        ("2001004053", "verify"), ("2001004011", "verify"), ("+447968900002", "verify"), ("2001004049", "verify"),
        ("2001004051", "verify"), ("2001004052", "verify"), ("2001004031", "identity-manager"),
        ("2001004035", "identity-manager"), ("2001004036", "identity-manager"),
    ])
    func `are there for verify and Identity Manager`(number: String, product: String) throws {
        let entry = try #require(file.entries.first { $0.user.digits == number })
        #expect(entry.user.product.rawValue == product)
        #expect(entry.user.reputation == (entry.user.name == "Hilary Kumaar" ? .fail : .pass))
    }

    @Test(arguments: [
        ("2001004053", "Elena Coldman", true, Assurance.Level.one, ["AL1b"]),
        ("2001004049", "Bettina Halbert", true, .two, ["AL2a", "AL2b"]),
        ("2001004051", "Ewen Brimilcome", true, Assurance.Level.one, ["AL1a", "AL1c"]),
        ("2001004052", nil, false, .untrusted, ["AL-1a"]),
        ("2001004011", nil, true, Assurance.Level.one, ["AL1b"]),
        ("+447968900002", nil, true, Assurance.Level.one, ["AL1b"]),
    ])
    func `end verifications as published, and carry a person where names are compared`(
        number: String, name: String?, passes: Bool, level: Assurance.Level, reasons: [String]
    ) throws {
        let entry = try #require(file.entries.first { $0.user.digits == number })
        let script = try #require(entry.user.verification)
        #expect(script.passes == passes && script.assurance.level == level)
        #expect(script.assurance.reasons == reasons.map(Assurance.Reason.scripted))
        #expect(entry.person.map { "\($0.firstName) \($0.lastName)" } == name)
        #expect(file.users.count { $0.verification != nil } == 6)
    }

    @Test(arguments: [("2001004000", "HIGH", 0), ("2001004090", "LOW", 4)])
    func `have compliance findings where the note says so`(number: String, confidence: String, hits: Int) throws {
        let findings = try #require(file.entries.first { $0.user.digits == number }?.person?.findings)
        let idv = try #require(findings.verification)
        let kyc = try #require(findings.kyc)
        #expect(idv.multiCIPConfidence == confidence)
        #expect(idv.dataSource1?.cipConfidence == confidence && idv.dataSource2?.cipConfidence == confidence)
        #expect(kyc.totalHits == hits && kyc.amlTypeLists.map(\.listHits).reduce(0, +) == hits)
        #expect(file.entries.count { $0.person?.findings != nil } == 2)
    }

    @Test func `are thirty-one and seven of ours, each with a note, and nobody without a number`() {
        #expect(file.entries.count == 38)
        let ours = file.users.filter { $0.note.hasPrefix("Ours") }.map(\.name)
        #expect(
            ours == [
                "Fenna Maas", "Silvan Roth", "Tomas Linde", "Orla Keane", "Nils Abend", "Simone Wexler",
                "Ottoline Varga",
            ])
        #expect(file.users.allSatisfy { !$0.note.isEmpty })
        #expect(!file.users.contains { $0.name.hasPrefix("Kurt") || $0.name.hasPrefix("Janek") })
    }

    @Test func `know one code each, wait for no message, and decide themselves unless published otherwise`() {
        for user in file.users {
            #expect(user.codes.isEmpty && user.deliveryDelaySeconds == 0)
            #expect(user.link == (["Jesse Mashro", "Wendy Strover"].contains(user.name) ? .mismatch : .open))
            let isSwapped = user.simSwap == .told(hoursAgo: 12, monitoredDays: nil)
            #expect(isSwapped == (user.name == "Simone Wexler"))
            let reasons = user.reputation == .fail ? [isSwapped ? "9135" : "9133"] : []
            #expect(user.standing.failureReasons.map(\.code) == reasons)
            for length in 4...6 {
                #expect(user.passes(user.shownCode(length: length)) == (user.otp == .pass))
            }
        }
    }

    @Test func `get every message, but for three of ours`() {
        let others = file.users.filter { $0.delivery != .ok }
        #expect(others.map(\.name) == ["Fenna Maas", "Silvan Roth", "Nils Abend"])
        #expect(
            others.map(\.delivery) == [SandboxDelivery([.whatsapp: .undelivered, .sms: .ok]), .silent, .fail])
    }

    @Test func `fail with the code 1111`() throws {
        let wrong = try #require(OTP("1111"))
        #expect(!file.users.contains { $0.passes(wrong) })
    }

    @Test(arguments: ["2001004014", "12001004014", "+12001004014"])
    func `are found by every spelling that the contract names`(text: String) {
        #expect(users.user(sentAs: text)?.name == "Lorant Nerger")
    }

    @Test func `are found abroad by the exact digits alone`() {
        #expect(users.user(sentAs: "+2001004029")?.name == "Janos Martina")
        #expect(users.user(sentAs: "2001004029") == nil)
        #expect(users.user(sentAs: "447968900002") == nil)
    }
}
