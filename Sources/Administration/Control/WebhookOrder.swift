internal import Possession
internal import StrictJSON

/// An operator's order about webhooks: a verb, and a body from which each verb reads its members.
///
///     POST /control/webhooks/add  {"client":"shop","url":"https://...","types":["session.*"],"key":"ed25519"}
struct WebhookOrder: Sendable, Equatable {
    enum Verb: String, CaseIterable, Sendable {
        case add, list, test, replay, rotate, enable, disable, remove, deliveries
    }

    let verb: Verb
    var client: ClientID?
    var endpoint: WebhookEndpointID?
    var wish = WebhookManager.Order()
    var replay: WebhookReplay?
    var state: WebhookDelivery.State?
    var limit = 50
    /// Makes new keys even while the previous keys still sign.
    var isForced = false

    init(_ verb: Verb) {
        self.verb = verb
    }

    var changesSomething: Bool { verb != .list && verb != .deliveries }

    var object: JSONObject {
        var object = JSONObject()
        object.set("client", client?.text)
        object.set("endpoint", endpoint?.name)
        switch verb {
        case .add:
            object.set("url", wish.url)
            object.set("types", wish.types)
            object.set("key", wish.hasKeyPair ? "ed25519" : nil)
            object.set("include", wish.includes.words)
            object.set("format", wish.format.rawValue)
            object.set("ordering", wish.ordering.rawValue)
            object.set("handshake", wish.hasHandshake ? true : nil)
        case .replay:
            switch replay {
            case .event(let id): object.set("event", id.name)
            case .missed(let since): object.set("sinceMilliseconds", since.milliseconds)
            case nil: break
            }
        case .deliveries:
            object.set("state", state?.rawValue)
            object.set("limit", limit)
        case .rotate: object.set("force", isForced)
        case .list, .test, .enable, .disable, .remove: break
        }
        return object
    }

    /// Reads the output of `object`; `nil`: the bytes have another form.
    init?(_ verb: Verb, _ body: [UInt8]) {
        self.verb = verb
        guard let object = try? JSONObject.parse(body) else { return nil }
        for member in object.members {
            switch (member.name, member.value) {
            case ("client", .string(let text)):
                guard let id = ClientID(text) else { return nil }
                client = id
            case ("endpoint", .string(let text)):
                guard let id = WebhookEndpointID(name: text) else { return nil }
                endpoint = id
            case ("url", .string(let text)): wish.url = text
            case ("types", .array(let values)): wish.types = values.compactMap(\.string)
            case ("key", .string("ed25519")): wish.hasKeyPair = true
            case ("include", .array(let values)):
                let words = values.compactMap(\.string)
                guard words.count == values.count, let includes = WebhookEndpoint.Inclusion.read(words) else {
                    return nil
                }
                wish.includes = includes
            case ("format", .string(let text)):
                guard let format = WebhookEndpoint.Format(rawValue: text) else { return nil }
                wish.format = format
            case ("ordering", .string(let text)):
                guard let ordering = WebhookEndpoint.Ordering(rawValue: text) else { return nil }
                wish.ordering = ordering
            case ("handshake", .bool(let flag)): wish.hasHandshake = flag
            case ("event", .string(let text)):
                guard let id = WebhookEventID(name: text) else { return nil }
                replay = .event(id)
            case ("sinceMilliseconds", .integer(let milliseconds)):
                replay = .missed(since: Timestamp(milliseconds: milliseconds))
            case ("state", .string(let text)):
                guard let state = WebhookDelivery.State(rawValue: text) else { return nil }
                self.state = state
            case ("limit", .integer(let number)):
                guard let number = Int(exactly: number), (1...WebhookManager.mostListed).contains(number) else {
                    return nil
                }
                limit = number
            case ("force", .bool(let flag)): isForced = flag
            default: return nil
            }
        }
        guard isWhole else { return nil }
    }

    private var isWhole: Bool {
        switch verb {
        case .add: client != nil
        case .list, .deliveries: true
        case .replay: replay != nil
        case .test, .rotate, .enable, .disable, .remove: endpoint != nil
        }
    }
}
