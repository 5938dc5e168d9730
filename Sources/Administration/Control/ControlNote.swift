internal import Possession
internal import StrictJSON

extension OperatorAct {
    /// `nil`: the order only reads.
    init?(_ order: ControlOrder) {
        switch order {
        case .listClients, .listKeys:
            return nil
        case .addClient(let id, _, _): self.init("API client added", .clientAdded, client: id)
        case .updateClient(let id, let members):
            self.init(
                "API client updated", .clientUpdated, client: id,
                ["members": members.names.sorted().joined(separator: ",")])
        case .rotateSecret(let id, let change):
            self.init(
                "API client got a new secret", .clientSecretRotated, client: id,
                ["overlapHours": String(change.overlapHours)])
        case .showHookSecret(let id): self.init("hook secret shown", .hookSecretShown, client: id)
        case .revokeClient(let id): self.init("API client revoked", .clientRevoked, client: id)
        case .apiKey(.list): return nil
        case .apiKey(.add(let id, let kind, _)):
            self.init("API key added", .apiKeyAdded, client: id, ["kind": kind.rawValue])
        case .apiKey(.revoke(let id)): self.init("API key revoked", .apiKeyRevoked, ["key": id.text])
        case .applicationKeys(let order):
            guard let (what, event) = order.act else { return nil }
            self.init(what, event, client: order.client, order.overlapDays.map { ["overlapDays": String($0)] } ?? [:])
        case .rotateKeys: self.init("signing keys rotated", .signingKeysRotated)
        case .keysets(let order):
            guard let (what, event) = order.act else { return nil }
            self.init(what, event)
        case .webhook(let order):
            guard order.changesSomething else { return nil }
            var context = ["order": order.verb.rawValue]
            context["endpoint"] = order.endpoint?.name
            self.init("webhook endpoint administered", .webhookAdministered, client: order.client, context)
        }
    }
}
