internal import Possession
internal import StrictJSON

/// The name of a person to erase.
enum PersonName: Sendable, Equatable {
    case id(PersonID)
    case target(Target)
}

/// The person to erase, and the scope of the erasure.
struct NumberErasure: Sendable, Equatable {
    let name: PersonName
    /// Erases only the data of this API client; `nil`: the data of all API clients, and the imported person.
    var client: ClientID?
}

/// The page of the list of people that an order asks for.
struct PeoplePage: Sendable, Equatable {
    static let limits = 1...1000
    static let standardLimit = 100

    var after: PersonID?
    var limit = PeoplePage.standardLimit
    /// Shows whole numbers instead of masked ones.
    var showsNumbers = false
}

/// The bodies of orders about people. A command writes them and the server reads them. Numbers are only in bodies,
/// never in a path (DAT-07).
enum PeopleOrders {
    /// The most people in one order. The rows of a batch also stay far below the largest body that the server accepts.
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
        object.set("credentials", entry.credentials.map { JSONObject($0.entries.map { ($0.name, .string($0.value)) }) })
        return object
    }

    static func body(_ page: PeoplePage) -> [UInt8] {
        var object = JSONObject()
        object.set("after", page.after?.text)
        object.set("limit", page.limit)
        object.set("showsNumbers", page.showsNumbers)
        return object.serialized()
    }

    static func body(_ erasure: NumberErasure) -> [UInt8] {
        var object = JSONObject()
        switch erasure.name {
        case .id(let id): object.set("id", id.text)
        case .target(let target): object.set(target)
        }
        object.set("clientId", erasure.client?.text)
        return object.serialized()
    }

    // MARK: Reading

    /// `nil`: the body is not a batch of valid people. The command has already checked every row.
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

    static func erasure(_ body: [UInt8]) -> ControlOrder? {
        guard let object = try? JSONObject.parse(body) else { return nil }
        var name: PersonName?
        var client: ClientID?
        for member in object.members {
            guard let text = member.value.string else { return nil }
            switch member.name {
            case "id":
                guard name == nil, let id = PersonID(text) else { return nil }
                name = .id(id)
            case "clientId":
                guard let id = ClientID(text) else { return nil }
                client = id
            default:
                guard name == nil, let target = Target(named: member.name, text) else { return nil }
                name = .target(target)
            }
        }
        return name.map { .eraseNumber(NumberErasure(name: $0, client: client)) }
    }
}
