internal import HTTPServer
internal import Possession
internal import StrictJSON

/// One thing an operator's command asks for.
enum ControlOrder: Sendable {
    case listClients
    case addClient(ClientID, TenantRules)
    case revokeClient(ClientID)
    case listKeys
    case rotateKeys
    case savePeople([NumberedPerson])
    case listPeople(PeoplePage)
    case erasePerson(PersonName)

    var method: String {
        switch self {
        case .listClients, .listKeys: "GET"
        case .addClient, .revokeClient, .rotateKeys, .savePeople, .listPeople, .erasePerson: "POST"
        }
    }

    var path: String {
        switch self {
        case .listClients, .addClient: "/control/clients"
        case .revokeClient(let id): "/control/clients/\(id.text)/revoke"
        case .listKeys: "/control/keys"
        case .rotateKeys: "/control/keys/rotate"
        case .savePeople: "/control/people"
        case .listPeople: "/control/people/list"
        case .erasePerson: "/control/people/erase"
        }
    }

    var body: [UInt8] {
        switch self {
        case .addClient(let id, let rules): ControlOrder.body(id, rules)
        case .savePeople(let people): PeopleOrders.body(people)
        case .listPeople(let page): PeopleOrders.body(page)
        case .erasePerson(let name): PeopleOrders.body(name)
        case .listClients, .revokeClient, .listKeys, .rotateKeys: []
        }
    }

    private static func body(_ id: ClientID, _ rules: TenantRules) -> [UInt8] {
        var object: JSONObject = ["id": .string(id.text)]
        object.set("mobileAuth", rules.mobileAuth)
        object.set("allowPhoneChange", rules.allowPhoneChange)
        object.set("finalTargetHosts", rules.finalTargetHosts)
        object.set("allowedOrigins", rules.allowedOrigins)
        object.set("appHashes", rules.appHashes)
        object.set("displayName", rules.displayName)
        object.set("messageHost", rules.messageHost)
        object.set("linkMatchCode", rules.linkMatchCode)
        object.set("linkNeedsSameAddress", rules.linkNeedsSameAddress)
        object.set("callingCodes", rules.callingCodes)
        object.set("mobileAuthReturnUrls", rules.mobileAuthReturnURLs)
        return object.serialized()
    }

    /// Reads what `body` writes; `nil` when anything else stands there.
    static func addClient(_ body: [UInt8]) -> ControlOrder? {
        guard let object = try? JSONObject.parse(body), let id = object["id"]?.string.flatMap({ ClientID($0) }) else {
            return nil
        }
        var rules = TenantRules()
        for member in object.members where member.name != "id" {
            switch (member.name, member.value) {
            case ("mobileAuth", .bool(let flag)): rules.mobileAuth = flag
            case ("allowPhoneChange", .bool(let flag)): rules.allowPhoneChange = flag
            case ("finalTargetHosts", .array(let values)): rules.finalTargetHosts = values.compactMap(\.string)
            case ("allowedOrigins", .array(let values)): rules.allowedOrigins = values.compactMap(\.string)
            case ("appHashes", .array(let values)): rules.appHashes = values.compactMap(\.string)
            case ("displayName", .string(let text)): rules.displayName = text
            case ("messageHost", .string(let text)): rules.messageHost = text
            case ("linkMatchCode", .bool(let flag)): rules.linkMatchCode = flag
            case ("linkNeedsSameAddress", .bool(let flag)): rules.linkNeedsSameAddress = flag
            case ("callingCodes", .array(let values)): rules.callingCodes = values.compactMap(\.string)
            case ("mobileAuthReturnUrls", .array(let values)):
                rules.mobileAuthReturnURLs = values.compactMap(\.string)
            default: return nil
            }
        }
        return .addClient(id, rules)
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
