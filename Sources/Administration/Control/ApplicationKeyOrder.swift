internal import Possession
internal import StrictJSON

/// An operator's order about the keys that a client's apps are built with.
///
///     POST /control/clients/{id}/app-keys
///     POST /control/clients/{id}/app-keys/rotate  {"overlapDays":90}
///     GET  /control/clients/{id}/app-keys
///     POST /control/clients/{id}/app-keys/export
enum ApplicationKeyOrder: Sendable, Equatable {
    case add(ClientID)
    case rotate(ClientID, overlapDays: Int)
    case list(ClientID)
    /// Tells what is secret, so it is no reading.
    case export(ClientID)

    /// Days that the keys before are still taken. After two years nobody has the old app any more.
    static let overlaps = 0...730
    static let standardOverlap = 90

    var client: ClientID {
        switch self {
        case .add(let client), .rotate(let client, _), .list(let client), .export(let client): client
        }
    }

    var overlapDays: Int? {
        if case .rotate(_, let days) = self { days } else { nil }
    }

    var method: String {
        if case .list = self { "GET" } else { "POST" }
    }

    var path: String {
        let path = "/control/clients/\(client.text)/app-keys"
        return switch self {
        case .add, .list: path
        case .rotate: path + "/rotate"
        case .export: path + "/export"
        }
    }

    var body: [UInt8] {
        guard let overlapDays else { return [] }
        var object = JSONObject()
        object.set("overlapDays", overlapDays)
        return object.serialized()
    }

    /// Reads what `body` writes of a rotation; `nil` when anything else stands there.
    static func rotate(_ client: ClientID, _ body: [UInt8]) -> ApplicationKeyOrder? {
        guard let object = try? JSONObject.parse(body), object.count == 1,
            let days = object["overlapDays"]?.integer.flatMap({ Int(exactly: $0) }), overlaps.contains(days)
        else { return nil }
        return .rotate(client, overlapDays: days)
    }

    /// For the log and the audit log; `nil`: it only reads.
    var act: (what: String, event: AuditEvent)? {
        switch self {
        case .list: nil
        case .add: ("application keys added", .applicationKeysAdded)
        case .rotate: ("application keys rotated", .applicationKeysRotated)
        case .export: ("application keys exported", .applicationKeysExported)
        }
    }
}
