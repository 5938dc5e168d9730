internal import Possession
internal import StrictJSON

/// What an operator has done, for one log line. It holds ids and counts; never a secret, a number or a person's data.
package struct ControlNote: Sendable, Equatable {
    package let what: String
    package let context: [String: String]

    /// `nil` for an order that only reads.
    init?(_ order: ControlOrder) {
        switch order {
        case .listClients, .listKeys, .listPeople, .showNumber, .explainNumber, .showGuard, .listTestNumbers: return nil
        case .addClient(let id, _, _): self.init("API client added", ["client": id.text])
        case .updateClient(let id, let members):
            self.init(
                "API client updated", ["client": id.text, "members": members.names.sorted().joined(separator: ",")])
        case .rotateSecret(let id, let change):
            self.init(
                "API client got a new secret", ["client": id.text, "overlapHours": String(change.overlapHours)])
        case .revokeClient(let id): self.init("API client revoked", ["client": id.text])
        case .rotateKeys: self.init("signing keys rotated", [:])
        case .savePeople(let people): self.init("people imported", ["count": String(people.count)])
        case .eraseNumber(let erasure):
            var context = ["client": erasure.client?.text ?? "all"]
            switch erasure.name {
            case .id(let id): context["person"] = id.text
            case .number: context["named"] = "by number"
            }
            self.init("number erased", context)
        case .addTestNumber(let order):
            self.init(
                "test number added",
                [
                    "number": order.number.description, "client": order.client?.text ?? "all",
                    "days": String(order.days),
                ])
        case .removeTestNumber(let number): self.init("test number removed", ["number": number.description])
        case .unlockNumber(let number): self.init("number unlocked", ["number": number.description])
        case .openPrefix(let prefix): self.init("prefix opened", ["prefix": prefix.text])
        case .closePrefix(let prefix, let hours):
            self.init("prefix closed", ["prefix": prefix.text, "hours": String(hours)])
        case .webhook(let order):
            guard order.changesSomething else { return nil }
            var context = ["order": order.verb.rawValue]
            context["client"] = order.client?.text
            context["endpoint"] = order.endpoint?.name
            self.init("webhook endpoint administered", context)
        }
    }

    private init(_ what: String, _ context: [String: String]) {
        self.what = what
        self.context = context
    }
}
