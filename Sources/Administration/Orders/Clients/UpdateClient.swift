internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Changes rules of an API client. The administrator checks the members.
struct UpdateClient: Order {
    let client: ClientID
    /// The members to change. `null` sets a member back to its default.
    let members: JSONObject

    init(_ client: ClientID, _ members: JSONObject) {
        self.client = client
        self.members = members
    }

    static let call = OrderCall(.post, "/control/clients/{id}/update", Self.init, .client(\.client), .members)
    static let reply = ListClients.listed
    var act: OperatorAct? {
        OperatorAct(
            "API client updated", .clientUpdated, client: client,
            ["members": members.names.sorted().joined(separator: ",")])
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> Tenant {
        try await administrator.updateClient(client, members)
    }
}

extension OrderMember<UpdateClient, JSONObject> {
    /// The whole body, which has one member or more.
    fileprivate static var members: OrderMember {
        OrderMember { (fields) throws(Administrator.Refusal) in
            let members = try fields.takeAll()
            guard !members.isEmpty else { throw .malformed }
            return members
        } put: {
            $1.body = $0.members
        }
    }
}
