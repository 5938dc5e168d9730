import Engine
import Possession
import Testing

@testable import Sandbox

@Suite struct SandboxEmailsTests {
    private static let ada = SandboxUser(
        digits: "2001004014", number: Fixture.lorant, emailAddress: EmailAddress("ada@shop.de"), name: "Ada",
        region: .northAmerica)
    private static let users = SandboxUsers([ada])
    private static let emails = SandboxEmails(users)

    @Test(arguments: [
        "a@example.com", "A@EXAMPLE.ORG", "a@mail.example.net", "a@shop.test", "a@shop.example", "Ada@Shop.de",
    ])
    func `serves domains that nobody can own, and the addresses of users`(text: String) throws {
        #expect(try Self.emails.read(text) == EmailAddress(text))
    }

    @Test(arguments: ["a@gmail.com", "a@notexample.com", "a@example.com.evil", "bob@shop.de", "a@latest", "a@a.latest"])
    func `serves nobody else's, and says which it does`(text: String) {
        let refusal = #expect(throws: EmailRefusal.self) { try Self.emails.read(text) }
        switch refusal {
        case .notServed(let reason): #expect(reason.contains("example.com") && !reason.contains("gmail"))
        case .malformed: #expect(text == "a@latest")
        default: Issue.record("\(String(describing: refusal))")
        }
    }

    @Test func `finds a user by the address in any case, and its code holds there`() throws {
        let target = Target.email(try #require(EmailAddress("ADA@shop.de")))
        #expect(Self.users.user(target) === Self.ada)
        let codes = CodeRules.scripted(Self.users)
        #expect(codes.code(for: target, drawn: OTP("987654")!, own: nil).shown.text == "123456")
        let other = Target.email(try #require(EmailAddress("bob@example.com")))
        #expect(codes.code(for: other, drawn: OTP("987654")!, own: nil).shown.text == "987654")
    }

    @Test func `keeps an e-mail with its subject in the inbox, for its address`() async throws {
        let inbox = Fixture.inbox(clock: Fixture.clock())
        let target = Target.email(try #require(EmailAddress("bob@example.com")))
        let message = OutgoingMessage(
            id: MessageID(bits: 1), to: target, forms: [.init(.email, subject: "Your code", text: "It is 1234.")],
            code: OTP("1234"), correlationID: CorrelationID(bits: 7), sentAt: Fixture.start,
            usefulUntil: Fixture.start.adding(.seconds(120)))
        let carrier = ScriptedCarrier(users: Self.users, inbox: inbox, now: { Fixture.start })
        #expect(try await carrier.send(message).gateway?.elementsEqual("sandbox-email") == true)
        try await inbox.send(Fixture.message())
        let kept = inbox.messages(to: .email(try #require(EmailAddress("BOB@example.com"))), after: nil)
        #expect(kept.map(\.subject) == ["Your code"] && kept.map(\.channel) == [.email] && kept.map(\.code) == ["1234"])
        #expect(inbox.forget(target, of: nil) == 1)
        #expect(inbox.messages(to: nil, after: nil).count == 1)
    }

    // MARK: The users file

    private static func mistakes(_ members: String...) -> [String] {
        let users = members.enumerated().map { place, more in
            #"{"number": "200100401\#(place)", "name": "A", "region": "NA", "product": "unify"\#(more)}"#
        }
        do throws(SandboxUsersFile.Mistakes) {
            _ = try SandboxUsersFile(Array(#"{"users": [\#(users.joined(separator: ","))]}"#.utf8))
            return []
        } catch { return error.all }
    }

    @Test func `reads a user's address, each once`() throws {
        #expect(Self.mistakes(#", "emailAddress": "ada@shop.de""#, #", "emailAddress": "bob@shop.de""#) == [])
        #expect(
            Self.mistakes(#", "emailAddress": "ada""#) == ["users[0].emailAddress: must be an e-mail address"])
        #expect(
            Self.mistakes(#", "emailAddress": "ada@shop.de""#, #", "emailAddress": "ADA@shop.de""#)
                == ["users[1].emailAddress: is that of users[0] already"])
    }
}
