internal import Engine
internal import Possession
internal import SurfaceKit

/// The name of a person to erase.
enum PersonName: Sendable, Equatable {
    case id(PersonID)
    case target(Target)
}

/// Erases all data of a number or an address.
struct EraseNumber: Order, Equatable {
    let name: PersonName
    /// Erases only the data of this API client; `nil`: the data of all API clients, and the imported person.
    var client: ClientID?

    static let call = OrderCall(
        .post, "/control/people/erase", Self.init, .name, .optional("clientId", .client, \.client))
    static let reply = Reply<ErasedData> {
        ReplyMember.always("people", .count) { $0.people }
        ReplyMember.always("identities", .count) { $0.identities }
        ReplyMember.always("deviceKeys", .count) { $0.deviceKeys }
        ReplyMember.always("activations", .count) { $0.activations }
        ReplyMember.always("listEntries", .count) { $0.listEntries }
        ReplyMember.always("sessions", .count) { $0.sessions }
        ReplyMember.always("limitEntries", .count) { $0.limitEntries }
        ReplyMember.always("messages", .count) { $0.messages }
    }
    var act: OperatorAct? {
        switch name {
        case .id(let id): OperatorAct("number erased", .numberErased, of: client, ["person": id.text])
        case .target(let target):
            OperatorAct(
                "number erased", .numberErased, of: client, about: target,
                ["named": target.number == nil ? "by address" : "by number"])
        }
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> ErasedData {
        try await administrator.erase(name, at: client)
    }
}

extension OrderMember<EraseNumber, PersonName> {
    /// The id of an imported person, or a number or an address.
    fileprivate static var name: OrderMember {
        let id = OrderMember<EraseNumber, PersonID?>.optional("id", .identifier, \.id)
        let target = OrderMember<EraseNumber, Target?>.optionalTarget(\.target)
        return OrderMember { (fields) throws(Administrator.Refusal) in
            if let id = try id.take(&fields) { return .id(id) }
            guard let target = try target.take(&fields) else { throw .malformed }
            return .target(target)
        } put: {
            id.put($0, &$1)
            target.put($0, &$1)
        }
    }
}

extension EraseNumber {
    fileprivate var id: PersonID? { if case .id(let id) = name { id } else { nil } }
    fileprivate var target: Target? { if case .target(let target) = name { target } else { nil } }
}
