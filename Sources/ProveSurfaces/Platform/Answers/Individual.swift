internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// A person in the wire form (Prove 6.3).
///
///     {"firstName":"Milo","lastName":"Pinson","dob":"1981-01-17","ssn":"847350596",
///      "emailAddresses":["mpinsonm@dyndns.org"],"addresses":[{"address":"6377 Birchwood Hill","city":"Littleton",...}]}
struct Individual: Sendable {
    let person: Person

    init(_ person: Person) {
        self.person = person
    }

    var object: JSONObject {
        var object = JSONObject()
        object.set("firstName", person.firstName)
        object.set("lastName", person.lastName)
        object.set("dob", person.dob)
        object.set("ssn", person.ssn)
        if !person.emailAddresses.isEmpty {
            object.set("emailAddresses", person.emailAddresses)
        }
        let addresses = person.addresses.map(Self.object).filter { !$0.isEmpty }
        if !addresses.isEmpty { object["addresses"] = .array(addresses.map { .object($0) }) }
        return object
    }

    private static func object(_ address: Person.Address) -> JSONObject {
        var object = JSONObject()
        object.set("address", address.address)
        object.set("extendedAddress", address.extendedAddress)
        object.set("city", address.city)
        object.set("region", address.region)
        object.set("postalCode", address.postalCode)
        return object
    }
}

/// Reads a caller's data about a person: the members of `individual`. Only the first e-mail address and the first
/// address are used (Prove 6.4).
struct IndividualReader {
    let fields: FieldReader
    /// The path before a member's name in a defect.
    let path: String

    init(_ object: JSONObject, at path: String = "") {
        fields = FieldReader(object)
        self.path = path
    }

    /// - Throws: the first invalid member, with its whole path.
    func submitted() throws(FieldDefect) -> SubmittedPerson {
        do throws(FieldDefect) {
            var person = SubmittedPerson()
            person.firstName = try fields.text("firstName", .name)
            person.lastName = try fields.text("lastName", .name)
            person.dob = try fields.dob("dob")
            person.ssn = try fields.ssn("ssn")
            let older = try fields.ssn("last4SSN")
            person.ssn = person.ssn ?? older
            person.emailAddress = try emailAddress()
            person.address = try address()
            return person
        } catch {
            throw FieldDefect(path + error.field, error.reason)
        }
    }

    private func emailAddress() throws(FieldDefect) -> String? {
        let name = "emailAddresses"
        guard let elements = try fields.array(name) else { return nil }
        guard elements.count <= Person.Limit.emailAddresses else { throw FieldDefect(name, "has too many elements") }
        guard let first = elements.first else { return nil }
        guard let text = first.string else { throw FieldDefect("\(name)[0]", "must be a string") }
        if let defect = TextRule.line.defect(of: text) { throw FieldDefect("\(name)[0]", defect) }
        return text.isEmpty ? nil : text
    }

    private func address() throws(FieldDefect) -> Person.Address? {
        let name = "addresses"
        guard let elements = try fields.array(name) else { return nil }
        guard elements.count <= Person.Limit.addresses else { throw FieldDefect(name, "has too many elements") }
        guard let first = elements.first else { return nil }
        guard let object = first.object else { throw FieldDefect("\(name)[0]", "must be an object") }
        let members = FieldReader(object)
        do throws(FieldDefect) {
            return Person.Address(
                address: try members.text("address", .line),
                extendedAddress: try members.text("extendedAddress", .line),
                city: try members.text("city", .line),
                region: try members.text("region", .line),
                postalCode: try members.text("postalCode", .line))
        } catch {
            throw FieldDefect("\(name)[0].\(error.field)", error.reason)
        }
    }
}

extension TextRule {
    /// A first or last name.
    static let name = freeText(Person.Limit.nameCharacters)
    /// Any other text of a person.
    static let line = freeText(Person.Limit.textBytes)
}

extension SubmittedPerson {
    /// Both names, or a whole or partial SSN: the minimum for `complete` (Prove 6.4).
    var isEnough: Bool { firstName != nil && lastName != nil || ssn != nil }
}
