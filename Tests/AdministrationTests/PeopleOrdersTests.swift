import Engine
import Possession
import Testing

@testable import Administration

@Suite struct PeopleOrdersTests {
    private static let ada = Person(
        firstName: "Ada", lastName: "SECRET", dob: "2000-02-29", ssn: "123456789", emailAddresses: ["a@b"],
        addresses: [.init(address: "1 \"St\"", city: "C", region: nil, postalCode: nil)])

    private func entry(_ index: Int) throws -> NumberedPerson {
        NumberedPerson(try #require(PhoneNumber(e164: "+1201555\(1000 + index)")), Self.ada)
    }

    @Test func `reads back the orders it writes`() throws {
        let said = try #require(Identification([.init("clientNumber", "1"), .init("na\"me", "\u{E9}")]))
        let batch = [try entry(0), try entry(1), NumberedPerson(try entry(2).number, Self.ada, credentials: said)]
        #expect(try SavePeople.call.read(SavePeople.call.written(SavePeople(people: batch)).body).people == batch)
        let page = ListPeople(after: PersonID(high: 1, low: 2), limit: 1000, showsNumbers: true)
        #expect(try ListPeople.call.read(ListPeople.call.written(page).body) == page)
        let address = try #require(EmailAddress("Ada@example.com"))
        for name in [
            PersonName.id(PersonID(high: 1, low: 2)), .target(.number(batch[0].number)), .target(.email(address)),
        ] {
            for client in [nil, ClientID("shop")] {
                let erasure = EraseNumber(name: name, client: client)
                #expect(try EraseNumber.call.read(EraseNumber.call.written(erasure).body) == erasure)
            }
        }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"people":[]}"#, #"{"people":{}}"#, #"{"people":[1]}"#, #"{"people":[{}]}"#,
        #"{"people":[{"phoneNumber":"2015550123","firstName":"A","lastName":"B"}]}"#, #"{"after":"x"}"#,
        #"{"limit":0}"#, #"{"limit":1001}"#, #"{"limit":"1"}"#, #"{"id":"x"}"#, #"{"phoneNumber":"2015550123"}"#,
        #"{"id":"00000000-0000-7000-8000-000000000000","phoneNumber":"+12015550123"}"#, #"{"clientId":"shop"}"#,
        #"{"phoneNumber":"+12015550123","clientId":"no client"}"#, #"{"emailAddress":"ada"}"#,
        #"{"phoneNumber":"ada@example.com"}"#, #"{"emailAddress":"+12015550123"}"#,
        #"{"phoneNumber":"+12015550123","emailAddress":"ada@example.com"}"#,
    ])
    func `takes no malformed order`(body: String) {
        let bytes = Array(body.utf8)
        #expect(throws: Administrator.Refusal.self) { try SavePeople.call.read(bytes) }
        #expect(throws: Administrator.Refusal.self) { try EraseNumber.call.read(bytes) }
        if body != "{}" { #expect(throws: Administrator.Refusal.self) { try ListPeople.call.read(bytes) } }
    }

    @Test func `takes a batch of five hundred and no more`() throws {
        let batch = try (0...SavePeople.maxPeople).map(entry)
        let (many, most) = (SavePeople(people: batch), SavePeople(people: batch.dropLast()))
        #expect(throws: Administrator.Refusal.self) { try SavePeople.call.read(SavePeople.call.written(many).body) }
        #expect(throws: Never.self) { try SavePeople.call.read(SavePeople.call.written(most).body) }
    }
}
