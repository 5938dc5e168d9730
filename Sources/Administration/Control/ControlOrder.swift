internal import Possession
internal import StrictJSON
internal import Text

/// One order of an operator's command.
enum ControlOrder: Sendable {
    case listClients
    /// With a secret of the operator's choice, or a random one.
    case addClient(ClientID, TenantRules, secret: Secret? = nil)
    /// The members to change. `null` sets a member back to its default.
    case updateClient(ClientID, JSONObject)
    case rotateSecret(ClientID, SecretChange)
    case showHookSecret(ClientID)
    case revokeClient(ClientID)
    case apiKey(APIKeyOrder)
    case applicationKeys(ApplicationKeyOrder)
    case listKeys
    case rotateKeys
    case keysets(KeysetOrder)
    case webhook(WebhookOrder)

    var method: String {
        switch self {
        case .listClients, .listKeys: "GET"
        case .addClient, .updateClient, .rotateSecret, .showHookSecret, .revokeClient, .rotateKeys, .webhook:
            "POST"
        case .apiKey(let order): order.method
        case .applicationKeys(let order): order.method
        case .keysets(let order): order.method
        }
    }

    var path: String {
        switch self {
        case .listClients, .addClient: "/control/clients"
        case .updateClient(let id, _): "/control/clients/\(id.text)/update"
        case .rotateSecret(let id, _): "/control/clients/\(id.text)/secret"
        case .showHookSecret(let id): "/control/clients/\(id.text)/hook-secret"
        case .revokeClient(let id): "/control/clients/\(id.text)/revoke"
        case .listKeys: "/control/keys"
        case .rotateKeys: "/control/keys/rotate"
        case .apiKey(let order): order.path
        case .applicationKeys(let order): order.path
        case .keysets(let order): order.path
        case .webhook(let order): "/control/webhooks/" + order.verb.rawValue
        }
    }

    var body: [UInt8] {
        switch self {
        case .addClient(let id, let rules, let secret): ControlOrder.body(id, rules, secret)
        case .updateClient(_, let members): members.serialized()
        case .rotateSecret(_, let change): change.object.serialized()
        case .apiKey(let order): order.body
        case .applicationKeys(let order): order.body
        case .keysets(let order): order.body
        case .webhook(let order): order.object.serialized()
        case .listClients, .showHookSecret, .revokeClient, .listKeys, .rotateKeys:
            []
        }
    }

    private static func body(_ id: ClientID, _ rules: TenantRules, _ secret: Secret?) -> [UInt8] {
        var object = TenantMember.object(rules)
        object.set("id", id.text)
        object.set("secret", secret?.text)
        return object.serialized()
    }

    /// Reads the output of `body`; `nil`: the bytes have another form.
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

    /// The members are checked when the order is carried out.
    static func updateClient(_ id: ClientID, _ body: [UInt8]) -> ControlOrder? {
        guard let object = try? JSONObject.parse(body), !object.isEmpty else { return nil }
        return .updateClient(id, object)
    }

    static func rotateSecret(_ id: ClientID, _ body: [UInt8]) -> ControlOrder? {
        guard let object = try? JSONObject.parse(body), let change = SecretChange(object) else { return nil }
        return .rotateSecret(id, change)
    }
}
