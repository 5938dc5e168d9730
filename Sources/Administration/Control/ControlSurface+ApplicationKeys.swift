internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import Text

// The orders about keys for apps.

extension ControlSurface {
    var applicationKeyRoutes: [Route] {
        [
            client("app-keys") { id, _ in .applicationKeys(.add(id)) },
            client("app-keys/rotate") { id, body in
                ApplicationKeyOrder.rotate(id, body).map { .applicationKeys($0) }
            },
            client("app-keys/export") { id, _ in .applicationKeys(.export(id)) },
            Route(.get, "/control/clients/{id}/app-keys") { request in
                guard let id = request.parameters["id"].flatMap({ ClientID($0) }) else {
                    return OrderAnswer.refused(404, "no such client").response
                }
                return await answer(.applicationKeys(.list(id))).response
            },
        ]
    }

    func carryOut(_ order: ApplicationKeyOrder) async throws(Administrator.Refusal) -> OrderAnswer {
        switch order {
        case .add(let client):
            return OrderAnswer(201, Self.object(try await administrator.addApplicationKeys(of: client)))
        case .rotate(let client, let days):
            let (credentials, end) = try await administrator.rotateApplicationKeys(of: client, overlapDays: days)
            var object = Self.object(credentials)
            object.set("previousUntil", end.map(\.rfc3339))
            return OrderAnswer(200, object)
        case .list(let client):
            let ring = try await administrator.application(of: client)?.keys
            return OrderAnswer(200, ["keys": .array(ring.map { list($0) } ?? [])])
        case .export(let client):
            return OrderAnswer(200, Self.object(try await administrator.exportApplicationKeys(of: client)))
        }
    }

    /// The keys without their secrets.
    private func list(_ ring: ApplicationKeyRing) -> [JSONValue] {
        var keys: [JSONValue] = [["applicationKey": .string(ring.current.applicationKey), "standing": "current"]]
        if let previous = ring.previous {
            let standing = administrator.now() < previous.endsAt ? "previous" : "ended"
            var object: JSONObject = [
                "applicationKey": .string(previous.keys.applicationKey), "standing": .string(standing),
            ]
            object.set("until", previous.endsAt.rfc3339)
            keys.append(.object(object))
        }
        return keys
    }

    private static func object(_ credentials: ApplicationCredentials) -> JSONObject {
        [
            "applicationKey": .string(credentials.applicationKey),
            "applicationSecret": .string(credentials.applicationSecret.text),
            "masterPublicKey": .string(credentials.masterPublicKey),
            "sdkConfiguration": .string(credentials.configuration.text),
        ]
    }
}
