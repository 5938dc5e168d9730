internal import Possession
internal import StrictJSON

extension OperatorAct {
    /// `nil`: the order only reads.
    init?(_ order: ControlOrder) {
        switch order {
        case .webhook(let order):
            guard order.changesSomething else { return nil }
            var context = ["order": order.verb.rawValue]
            context["endpoint"] = order.endpoint?.name
            self.init("webhook endpoint administered", .webhookAdministered, client: order.client, context)
        }
    }
}
