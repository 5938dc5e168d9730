internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// Adds an API client. Its secret is shown only once.
struct AddClient: Order {
    let id: ClientID
    /// The operator's own choice; `nil`: make a random one.
    let secret: Secret?
    let rules: TenantRules

    init(_ id: ClientID, _ rules: TenantRules, secret: Secret? = nil) {
        self.id = id
        self.secret = secret
        self.rules = rules
    }

    private static func make(_ id: ClientID, _ secret: Secret?, _ rules: TenantRules) -> AddClient {
        AddClient(id, rules, secret: secret)
    }

    static let call = OrderCall(
        .post, "/control/clients", status: 201, make, .required("id", .client, \.id),
        .optional("secret", .secret, \.secret), .rules)
    static let reply = Reply<Administrator.NewClient> {
        ReplyMember.always("id", .text) { $0.id.text }
        ReplyMember.always("secret", .text) { $0.secret.text }
    }
    var act: OperatorAct? { OperatorAct("API client added", .clientAdded, client: id) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> Administrator.NewClient {
        try await administrator.addClient(id, rules: rules, secret: secret)
    }
}

extension OrderMember<AddClient, TenantRules> {
    /// All other members: one for each rule.
    fileprivate static var rules: OrderMember {
        OrderMember { (fields) throws(Administrator.Refusal) in
            let members = try fields.takeAll()
            var rules = TenantRules()
            do throws(TenantMemberFault) { try TenantMember.apply(members, to: &rules) } catch { throw .malformed }
            return rules
        } put: { order, fields in
            for member in TenantMember.object(order.rules).members { fields.body?[member.name] = member.value }
        }
    }
}
