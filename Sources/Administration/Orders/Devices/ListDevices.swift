internal import Possession
internal import SurfaceKit

/// Lists activations and device keys, the newest first.
struct ListDevices: ReadingOrder, Equatable {
    /// The owner whose devices are listed.
    enum Owner: Sendable, Equatable {
        case client(ClientID)
        /// The owner of a number or an address, at one API client; `nil`: at all API clients.
        case target(Target, at: ClientID?)
    }

    static let limits = 1...1000
    static let standardLimit = 100

    let owner: Owner
    /// The last device of the previous page.
    var before: DeviceName?
    var limit = ListDevices.standardLimit

    init(_ owner: Owner, before: DeviceName? = nil, limit: Int = ListDevices.standardLimit) {
        self.owner = owner
        self.before = before
        self.limit = limit
    }

    var client: ClientID? {
        switch owner {
        case .client(let client): client
        case .target(_, let client): client
        }
    }

    static let call = OrderCall(
        .post, "/control/devices/list", Self.init, .owner, .optional("before", .identifier, \.before),
        .optional("limit", .integer(limits), \.limit, or: standardLimit))
    static let reply = Reply.list("devices", of: ListedDevice.reply)

    func respond(_ administrator: Administrator) async throws(Refusal) -> [ListedDevice] {
        try await administrator.devices(self)
    }
}

extension OrderMember<ListDevices, ListDevices.Owner> {
    /// A number or an address, an API client, or both.
    fileprivate static var owner: OrderMember {
        let target = OrderMember<ListDevices, Target?>.optionalTarget(\.target)
        let client = OrderMember<ListDevices, ClientID?>.optional("clientId", .client, \.client)
        return OrderMember { (fields) throws(Administrator.Refusal) in
            switch (try target.take(&fields), try client.take(&fields)) {
            case (let target?, let client): .target(target, at: client)
            case (nil, let client?): .client(client)
            case (nil, nil): throw .malformed
            }
        } put: {
            target.put($0, &$1)
            client.put($0, &$1)
        }
    }
}

extension ListDevices {
    fileprivate var target: Target? {
        if case .target(let target, _) = owner { target } else { nil }
    }
}
