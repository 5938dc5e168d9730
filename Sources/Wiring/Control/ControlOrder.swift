internal import HTTPServer
internal import Observation
internal import Possession
internal import StrictJSON

/// One thing an operator's command asks for.
enum ControlOrder: Sendable {
    case listClients
    /// With a secret of the operator's own, or a random one.
    case addClient(ClientID, TenantRules, secret: Secret? = nil)
    /// The members that change, `null` for those that go back to their default.
    case updateClient(ClientID, JSONObject)
    case rotateSecret(ClientID, SecretChange)
    case revokeClient(ClientID)
    case listKeys
    case rotateKeys
    case savePeople([NumberedPerson])
    case listPeople(PeoplePage)
    case eraseNumber(NumberErasure)
    case showNumber(PhoneNumber)
    case unlockNumber(PhoneNumber)

    var method: String {
        switch self {
        case .listClients, .listKeys: "GET"
        case .addClient, .updateClient, .rotateSecret, .revokeClient, .rotateKeys, .savePeople, .listPeople,
            .eraseNumber, .showNumber, .unlockNumber:
            "POST"
        }
    }

    var path: String {
        switch self {
        case .listClients, .addClient: "/control/clients"
        case .updateClient(let id, _): "/control/clients/\(id.text)/update"
        case .rotateSecret(let id, _): "/control/clients/\(id.text)/secret"
        case .revokeClient(let id): "/control/clients/\(id.text)/revoke"
        case .listKeys: "/control/keys"
        case .rotateKeys: "/control/keys/rotate"
        case .savePeople: "/control/people"
        case .listPeople: "/control/people/list"
        case .eraseNumber: "/control/people/erase"
        case .showNumber: "/control/numbers/show"
        case .unlockNumber: "/control/numbers/unlock"
        }
    }

    var body: [UInt8] {
        switch self {
        case .addClient(let id, let rules, let secret): ControlOrder.body(id, rules, secret)
        case .updateClient(_, let members): members.serialized()
        case .rotateSecret(_, let change): change.object.serialized()
        case .savePeople(let people): PeopleOrders.body(people)
        case .listPeople(let page): PeopleOrders.body(page)
        case .eraseNumber(let erasure): PeopleOrders.body(erasure)
        case .showNumber(let number), .unlockNumber(let number): NumberOrders.body(number)
        case .listClients, .revokeClient, .listKeys, .rotateKeys: []
        }
    }

    private static func body(_ id: ClientID, _ rules: TenantRules, _ secret: Secret?) -> [UInt8] {
        var object = TenantMember.object(rules)
        object.set("id", id.text)
        object.set("secret", secret?.text)
        return object.serialized()
    }

    /// Reads what `body` writes; `nil` when anything else stands there.
    static func addClient(_ body: [UInt8]) -> ControlOrder? {
        guard var object = try? JSONObject.parse(body), let id = object["id"]?.string.flatMap({ ClientID($0) }) else {
            return nil
        }
        let secret = object["secret"]?.string.map { Secret($0) }
        guard (object["secret"] == nil) == (secret == nil) else { return nil }
        object["id"] = nil
        object["secret"] = nil
        var rules = TenantRules()
        do { try TenantMember.apply(object, to: &rules) } catch { return nil }
        return .addClient(id, rules, secret: secret)
    }

    /// The members are looked at when the order is carried out.
    static func updateClient(_ id: ClientID, _ body: [UInt8]) -> ControlOrder? {
        guard let object = try? JSONObject.parse(body), !object.isEmpty else { return nil }
        return .updateClient(id, object)
    }

    static func rotateSecret(_ id: ClientID, _ body: [UInt8]) -> ControlOrder? {
        guard let object = try? JSONObject.parse(body), let change = SecretChange(object) else { return nil }
        return .rotateSecret(id, change)
    }
}

/// What comes back: a status and an object, which has `message` when the order was refused.
struct ControlAnswer: Sendable {
    let status: Int
    let object: JSONObject

    init(_ status: Int, _ object: JSONObject) {
        self.status = status
        self.object = object
    }

    static func refused(_ status: Int, _ message: String) -> ControlAnswer {
        ControlAnswer(status, ["message": .string(message)])
    }

    static let malformed = refused(400, "the body is no such order")

    var response: Response {
        Response(status: status, headers: [("Content-Type", "application/json")], body: object.serialized())
    }
}

/// Times for people: RFC 3339 in UTC, whole seconds.
enum UTCTime {
    static func text(_ timestamp: Timestamp) -> String {
        // Days to civil date, after "chrono-compatible low-level date algorithms" (Hinnant).
        let seconds = timestamp.seconds
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let ofDay = seconds - day * 86_400
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        var text = LogText()
        text.padded(Int(year), 4)
        text.raw("-")
        text.padded(Int(month), 2)
        text.raw("-")
        text.padded(Int(dayOfYear - (153 * monthIndex + 2) / 5 + 1), 2)
        text.raw("T")
        text.padded(Int(ofDay / 3600), 2)
        text.raw(":")
        text.padded(Int(ofDay / 60 % 60), 2)
        text.raw(":")
        text.padded(Int(ofDay % 60), 2)
        text.raw("Z")
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
