internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Stores imported people. A number that has a person gets the new data whole.
struct SavePeople: Order {
    let people: [NumberedPerson]

    /// The most people in one order. The rows of a batch also stay far below the largest body that the server accepts.
    static let maxPeople = 500

    static let call = OrderCall(.post, "/control/people", Self.init, .required("people", .people, \.people))
    static let reply = Reply<SavedPeople> {
        ReplyMember.always("new", .count) { $0.new }
        ReplyMember.always("replaced", .count) { $0.replaced }
    }
    var act: OperatorAct? { OperatorAct("people imported", .peopleImported, ["count": String(people.count)]) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> SavedPeople {
        try await administrator.save(people)
    }
}

extension OrderValue<[NumberedPerson]> {
    /// 1 to `SavePeople.maxPeople` people. The command has already checked every row.
    fileprivate static var people: OrderValue {
        OrderValue(
            read: { value in
                guard let entries = value.array, (1...SavePeople.maxPeople).contains(entries.count) else { return nil }
                var people: [NumberedPerson] = []
                for entry in entries {
                    guard let object = entry.object,
                        case .success(let person) = PersonFields(object).person(number: { PhoneNumber(e164: $0) })
                    else { return nil }
                    people.append(person)
                }
                return people
            }, write: { .array($0.map { .object(object($0)) }) })
    }

    /// The member names of prove-api 6.3, and `phoneNumber`.
    private static func object(_ entry: NumberedPerson) -> JSONObject {
        let person = entry.person
        var object: JSONObject = ["phoneNumber": .string(entry.number.e164)]
        object.set("firstName", person.firstName)
        object.set("lastName", person.lastName)
        object.set("dob", person.dob)
        object.set("ssn", person.ssn)
        if !person.emailAddresses.isEmpty { object.set("emailAddresses", person.emailAddresses) }
        let addresses = person.addresses.map { address in
            var object = JSONObject()
            object.set("address", address.address)
            object.set("extendedAddress", address.extendedAddress)
            object.set("city", address.city)
            object.set("region", address.region)
            object.set("postalCode", address.postalCode)
            return object
        }
        if !addresses.isEmpty { object.set("addresses", addresses) }
        object.set("credentials", entry.credentials.map { JSONObject($0.entries.map { ($0.name, .string($0.value)) }) })
        return object
    }
}
