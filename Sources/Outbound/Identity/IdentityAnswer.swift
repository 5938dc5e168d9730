internal import Possession
internal import StrictJSON

/// The answer of the identity service about a number. Its members are those of a line of `people import`, checked by
/// the rules of `Person`. `null` and empty text count as absent; unknown members are ignored. Errors name a member and
/// never a value.
struct IdentityAnswer: Sendable, Equatable {
    /// `nil`: no person is known.
    let person: Person?

    /// - Parameter number: the number of the question; an answer that names a number must name this one.
    init(_ response: OutboundResponse, about number: PhoneNumber) throws(ServiceFailure) {
        switch response.status {
        case 200:
            let object: JSONObject
            do { object = try JSONObject.parse(response.body) } catch {
                throw ServiceFailure("200 without a JSON object", .failed)
            }
            do throws(Defect) { person = try Self.person(in: object, about: number) } catch {
                // A malformed record. It does not count against the service, so that a caller that requests it
                // repeatedly cannot open its circuit.
                throw ServiceFailure("200, \(error.field) \(error.reason)", .answered)
            }
        case 404: person = nil
        // Concerns only this request.
        case 400, 422: throw ServiceFailure("\(response.status)", .answered)
        default: throw ServiceFailure("\(response.status)", .failed)
        }
    }

    /// The rule that a member breaks.
    private struct Defect: Error {
        /// Such as `addresses[1].city`.
        let field: String
        let reason: String
    }

    private static func person(in object: JSONObject, about number: PhoneNumber) throws(Defect) -> Person {
        if let other = try text(object, "phoneNumber"), PhoneNumber(e164: other) != number {
            throw Defect(field: "phoneNumber", reason: "is not the one that was asked for")
        }
        var emailAddresses: [String] = []
        for (place, value) in try list(object, "emailAddresses", maxCount: Person.Limit.emailAddresses) {
            if let text = try text(value, place, where: Person.isEmailAddress, "must be an e-mail address") {
                emailAddresses.append(text)
            }
        }
        var addresses: [Person.Address] = []
        for (place, value) in try list(object, "addresses", maxCount: Person.Limit.addresses) {
            addresses.append(try address(value, place))
        }
        return Person(
            firstName: try name(object, "firstName"), lastName: try name(object, "lastName"),
            dob: try text(object["dob"], "dob", where: Person.isDate, "must be a date of the form YYYY-MM-DD"),
            ssn: try text(object["ssn"], "ssn", where: Person.isSSN, "must be nine digits"),
            emailAddresses: emailAddresses, addresses: addresses)
    }

    private static func address(_ value: JSONValue, _ place: String) throws(Defect) -> Person.Address {
        guard let object = value.object else { throw Defect(field: place, reason: "must be an object") }
        return Person.Address(
            address: try text(object, "address", in: place),
            extendedAddress: try text(object, "extendedAddress", in: place),
            city: try text(object, "city", in: place), region: try text(object, "region", in: place),
            postalCode: try text(object, "postalCode", in: place))
    }

    // MARK: Members

    private static func name(_ object: JSONObject, _ field: String) throws(Defect) -> String {
        let most = Person.Limit.nameCharacters
        guard let name = try text(object[field], field, maxBytes: most * 4) else {
            throw Defect(field: field, reason: "is missing")
        }
        guard name.unicodeScalars.count <= most else {
            throw Defect(field: field, reason: "is longer than \(most) characters")
        }
        return name
    }

    private static func text(_ object: JSONObject, _ name: String, in place: String = "") throws(Defect) -> String? {
        try text(object[name], place.isEmpty ? name : "\(place).\(name)")
    }

    private static func text(
        _ value: JSONValue?, _ field: String, maxBytes: Int = Person.Limit.textBytes,
        where rule: (String) -> Bool = { _ in true }, _ reason: String = ""
    ) throws(Defect) -> String? {
        guard let value, value != .null, value != "" else { return nil }
        guard let text = value.string else { throw Defect(field: field, reason: "must be text") }
        guard Person.isPrintable(text) else {
            throw Defect(field: field, reason: "must not contain control characters")
        }
        guard text.utf8.count <= maxBytes else {
            throw Defect(field: field, reason: "is longer than \(maxBytes) bytes")
        }
        guard rule(text) else { throw Defect(field: field, reason: reason) }
        return text
    }

    private static func list(
        _ object: JSONObject, _ name: String, maxCount: Int
    ) throws(Defect) -> [(place: String, value: JSONValue)] {
        guard let value = object[name], value != .null else { return [] }
        guard let values = value.array else { throw Defect(field: name, reason: "must be a list") }
        guard values.count <= maxCount else { throw Defect(field: name, reason: "has more than \(maxCount) entries") }
        return values.enumerated().map { ("\(name)[\($0.offset)]", $0.element) }
    }
}
