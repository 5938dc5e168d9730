internal import Possession
internal import SurfaceKit
internal import Text

/// Gives an API client another key. Its text is shown only once.
struct AddAPIKey: Order, Equatable {
    let client: ClientID
    let kind: APIKey.Kind
    /// Tells operators who holds the key.
    let name: String

    static let call = OrderCall(
        .post, "/control/clients/{id}/keys", status: 201, Self.init, .client(\.client),
        .required("kind", .choice, \.kind), .required("name", .keyName, \.name))
    static let reply = Reply<(key: APIKey, text: Secret)> {
        ReplyMember.part({ $0.key }, ListAPIKeys.members)
        ReplyMember.always("key", .text) { $0.text.text }
    }
    var act: OperatorAct? { OperatorAct("API key added", .apiKeyAdded, client: client, ["kind": kind.rawValue]) }

    /// Whether operators may give a key this name.
    static func isName(_ text: String) -> Bool {
        text.utf8.count <= APIKey.mostNameBytes && (text.isEmpty || Person.isPrintable(text))
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> (key: APIKey, text: Secret) {
        try await administrator.addKey(kind, name: name, of: client)
    }
}

extension OrderValue<String> {
    fileprivate static var keyName: OrderValue { .text { AddAPIKey.isName($0) } }
}
