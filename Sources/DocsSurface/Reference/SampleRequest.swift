internal import StrictJSON

/// A call for the samples: with the example of its body, and only the required parameters.
struct SampleRequest: Sendable {
    /// A piece of a header's value.
    enum Piece: Sendable {
        case text(String)
        /// An environment variable that the reader sets.
        case variable(String)
    }

    enum Body: Sendable {
        case json(JSONValue)
        case form([(name: String, value: String)])
    }

    enum Login: Sendable {
        case none
        /// `Authorization: Basic`, from two environment variables (RFC 7617).
        case basic(user: String, password: String)
        case header(name: String, [Piece])
    }

    let method: String
    /// Absolute.
    let url: String
    let login: Login
    /// Without those of the login and the body.
    let headers: [(name: String, value: String)]
    let body: Body?

    init(_ call: ReferenceDocument.Call, in document: ReferenceDocument) {
        method = call.method
        let parameters = (call.operation["parameters"]?.array ?? []).compactMap(\.object).map(Parameter.init)
        var path = call.path
        for parameter in parameters where parameter.place == "path" {
            path = path.replacing("{\(parameter.name)}", with: parameter.value)
        }
        let query = parameters.filter { $0.place == "query" && $0.isRequired }.map { "\($0.name)=\($0.value)" }
        url = document.server + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        let login = Self.login(of: call.operation, in: document.object)
        self.login = login
        headers = parameters.filter { $0.place == "header" && $0.isRequired && !Self.sets(login, $0.name) }
            .map { ($0.name, $0.value) }
        body = Self.body(of: call.operation)
    }

    private struct Parameter {
        let name: String
        let place: String
        let isRequired: Bool
        let value: String

        init(_ object: JSONObject) {
            name = object["name"]?.string ?? ""
            place = object["in"]?.string ?? ""
            isRequired = object["required"]?.bool ?? false
            value = SampleValue.text(of: object["schema"]?.object ?? JSONObject(), named: name)
        }
    }

    private static func body(of operation: JSONObject) -> Body? {
        guard let content = operation["requestBody"]?.object?["content"]?.object?.members.first,
            let example = content.value.object?["example"]
        else { return nil }
        guard content.name == "application/x-www-form-urlencoded" else { return .json(example) }
        return .form((example.object?.members ?? []).map { ($0.name, $0.value.string ?? "") })
    }

    private static func sets(_ login: Login, _ header: String) -> Bool {
        guard case .header(let name, _) = login else { return header.lowercased() == "authorization" }
        return header.lowercased() == name.lowercased()
    }

    /// Uses the scheme that is easiest to write by hand, which excludes a signature of the body.
    private static func login(of operation: JSONObject, in document: JSONObject) -> Login {
        let names = (operation["security"]?.array ?? []).compactMap { $0.object?.names.first }
        let schemes = names.compactMap { document["components"]?.object?["securitySchemes"]?.object?[$0]?.object }
        let logins = schemes.map(Self.login(by:))
        return logins.first { if case .header(let name, _) = $0 { !name.contains("signature") } else { true } }
            ?? logins.first ?? .none
    }

    private static func login(by scheme: JSONObject) -> Login {
        let bearer = Login.header(name: "Authorization", [.text("Bearer "), .variable("TOKEN")])
        switch (scheme["type"]?.string, scheme["scheme"]?.string) {
        case ("http", "basic"): return .basic(user: "CLIENT_ID", password: "CLIENT_SECRET")
        case ("apiKey", _) where scheme["in"]?.string == "header":
            return .header(name: scheme["name"]?.string ?? "", [.variable("KEY")])
        default: return bearer
        }
    }

    /// The environment variables of the samples, in order of appearance.
    var variables: [String] {
        switch login {
        case .none: []
        case .basic(let user, let password): [user, password]
        case .header(_, let pieces):
            pieces.compactMap { if case .variable(let name) = $0 { name } else { nil } }
        }
    }
}
