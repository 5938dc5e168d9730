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
    /// Shows secrets, so it is recorded like a change.
    case export(ClientID)

    /// Days for which the previous keys are still accepted. After two years hardly any phone has the old app.
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

    /// Reads the output of `body` for a rotation; `nil`: the bytes have another form.
    static func rotate(_ client: ClientID, _ body: [UInt8]) -> ApplicationKeyOrder? {
        guard let object = try? JSONObject.parse(body), object.count == 1,
            let days = object["overlapDays"]?.integer.flatMap({ Int(exactly: $0) }), overlaps.contains(days)
        else { return nil }
        return .rotate(client, overlapDays: days)
    }

    /// The name and event for the log and the audit log; `nil`: the order only reads.
    var act: (what: String, event: AuditEvent)? {
        switch self {
        case .list: nil
        case .add: ("application keys added", .applicationKeysAdded)
        case .rotate: ("application keys rotated", .applicationKeysRotated)
        case .export: ("application keys exported", .applicationKeysExported)
        }
    }
}
