internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import Text

// The orders about API keys.

extension ControlSurface {
    var apiKeyRoutes: [Route] {
        [
            client("keys") { id, body in APIKeyOrder.add(id, body).map { .apiKey($0) } },
            Route(.get, "/control/clients/{id}/keys") { request in
                guard let id = request.parameters["id"].flatMap({ ClientID($0) }) else {
                    return OrderAnswer.refused(404, "no such client").response
                }
                return await answer(.apiKey(.list(id))).response
            },
            Route(.post, "/control/api-keys/{id}/revoke") { request in
                guard let id = request.parameters["id"].flatMap({ APIKeyID($0) }) else {
                    return OrderAnswer.refused(404, "no such key").response
                }
                return await answer(.apiKey(.revoke(id)), request.id).response
            },
        ]
    }

    func carryOut(_ order: APIKeyOrder) async throws(Administrator.Refusal) -> OrderAnswer {
        switch order {
        case .add(let client, let kind, let name):
            let (key, text) = try await administrator.addKey(kind, name: name, of: client)
            var object = Self.object(key)
            object.set("key", text.text)
            return OrderAnswer(201, object)
        case .list(let client):
            let keys = try await administrator.keys(of: client)
            return OrderAnswer(200, ["keys": .array(keys.map { .object(Self.object($0)) })])
        case .revoke(let id): return OrderAnswer(200, Self.object(try await administrator.revokeKey(id)))
        }
    }

    private static func object(_ key: APIKey) -> JSONObject {
        var object: JSONObject = ["id": .string(key.id.text), "kind": .string(key.kind.rawValue)]
        object.set("client", key.client.text)
        object.set("name", key.name.isEmpty ? nil : key.name)
        object.set("ending", key.ending)
        object.set("createdAt", key.createdAt.rfc3339)
        return object
    }
}
