internal import Possession
internal import StrictJSON

/// How a person is named to be erased.
enum PersonName: Sendable, Equatable {
    case id(PersonID)
    case number(PhoneNumber)
}

/// Which part of the list of people is wanted.
struct PeoplePage: Sendable, Equatable {
    static let limits = 1...1000
    static let standardLimit = 100

    var after: PersonID?
    var limit = PeoplePage.standardLimit
    /// Whole numbers instead of masked ones.
    var showsNumbers = false
}

/// The bodies of the orders about people, written by a command and read by the server. Numbers travel in bodies only,
/// never in a path (DAT-07).
enum PeopleOrders {
    /// Of one order; the rows of a batch also stay far below the largest body the server takes.
    static let maxPeople = 500

    static func body(_ people: [NumberedPerson]) -> [UInt8] {
        let entries = people.map { JSONValue.object(object($0)) }
        return (["people": .array(entries)] as JSONObject).serialized()
    }

    /// The member names of prove-api 6.3, and `phoneNumber`.
    static func object(_ entry: NumberedPerson) -> JSONObject {
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
        return object
    }

    static func body(_ page: PeoplePage) -> [UInt8] {
        var object = JSONObject()
        object.set("after", page.after?.text)
        object.set("limit", page.limit)
        object.set("showsNumbers", page.showsNumbers)
        return object.serialized()
    }

    static func body(_ name: PersonName) -> [UInt8] {
        switch name {
        case .id(let id): (["id": .string(id.text)] as JSONObject).serialized()
        case .number(let number): (["phoneNumber": .string(number.e164)] as JSONObject).serialized()
        }
    }

    // MARK: Reading

    /// `nil` when anything but a batch of sound people stands there: the command has checked every row before.
    static func people(_ body: [UInt8]) -> ControlOrder? {
        guard let object = try? JSONObject.parse(body), object.count == 1,
            let entries = object["people"]?.array, (1...maxPeople).contains(entries.count)
        else { return nil }
        var people: [NumberedPerson] = []
        for entry in entries {
            guard let object = entry.object,
                case .success(let person) = PersonFields(object).person(number: { PhoneNumber(e164: $0) })
            else { return nil }
            people.append(person)
        }
        return .savePeople(people)
    }

    static func page(_ body: [UInt8]) -> ControlOrder? {
        guard let object = try? JSONObject.parse(body) else { return nil }
        var page = PeoplePage()
        for member in object.members {
            switch (member.name, member.value) {
            case ("after", .string(let text)):
                guard let id = PersonID(text) else { return nil }
                page.after = id
            case ("limit", .integer(let limit)):
                guard let limit = Int(exactly: limit), PeoplePage.limits.contains(limit) else { return nil }
                page.limit = limit
            case ("showsNumbers", .bool(let flag)): page.showsNumbers = flag
            default: return nil
            }
        }
        return .listPeople(page)
    }

    static func name(_ body: [UInt8]) -> ControlOrder? {
        guard let object = try? JSONObject.parse(body), object.count == 1 else { return nil }
        if let id = object["id"]?.string.flatMap({ PersonID($0) }) { return .erasePerson(.id(id)) }
        if let number = object["phoneNumber"]?.string.flatMap({ PhoneNumber(e164: $0) }) {
            return .erasePerson(.number(number))
        }
        return nil
    }
}
