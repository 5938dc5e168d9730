internal import Possession
internal import StrictJSON

/// An operator's order about the API keys of a client.
///
///     POST /control/clients/{id}/keys      {"kind":"api","name":"checkout"}
///     GET  /control/clients/{id}/keys
///     POST /control/api-keys/{id}/revoke
enum APIKeyOrder: Sendable, Equatable {
    case add(ClientID, APIKey.Kind, name: String)
    case list(ClientID)
    case revoke(APIKeyID)

    var method: String {
        if case .list = self { "GET" } else { "POST" }
    }

    var path: String {
        switch self {
        case .add(let client, _, _), .list(let client): "/control/clients/\(client.text)/keys"
        case .revoke(let id): "/control/api-keys/\(id.text)/revoke"
        }
    }

    var body: [UInt8] {
        guard case .add(_, let kind, let name) = self else { return [] }
        let object: JSONObject = ["kind": .string(kind.rawValue), "name": .string(name)]
        return object.serialized()
    }

    /// Reads the output of `body`; `nil`: the bytes have another form.
    static func add(_ client: ClientID, _ body: [UInt8]) -> APIKeyOrder? {
        guard let object = try? JSONObject.parse(body), object.count == 2,
            let kind = object["kind"]?.string.flatMap({ APIKey.Kind(rawValue: $0) }),
            let name = object["name"]?.string, isName(name)
        else { return nil }
        return .add(client, kind, name: name)
    }

    /// Whether operators may give a key this name.
    static func isName(_ text: String) -> Bool {
        text.utf8.count <= APIKey.mostNameBytes && (text.isEmpty || Person.isPrintable(text))
    }
}
