internal import HTTPServer
internal import StrictJSON

/// One endpoint as the API description has it.
struct Operation: Sendable {
    let id: String
    let method: Method
    /// The pattern of its route.
    let path: String
    let surface: SurfaceName
    /// A few words; the heading of the page.
    let summary: String
    let detail: String
    var caller = Caller.anyone
    var parameters: [Parameter] = []
    var body: Content?
    var isBodyRequired = true
    let answers: [Answer]
    /// What its own errors answer, each as its type makes it.
    var errors: [Response] = []
    /// The shape of an error's body where it is JSON.
    var errorShape = ErrorShape.coded
    /// The operation that this one is another path of.
    var original: String?
    /// Where the body may be of another size than those of its surface.
    var ownBound: BodyBound?

    /// How large the body may be; `nil` where there is none.
    var bound: BodyBound? {
        guard body != nil else { return nil }
        if let ownBound { return ownBound }
        switch surface {
        case .app: return .session
        case .platform: return body?.type == RequestBody.form ? .short : .session
        case .client, .mobileAuth, .link, .operations, .sandbox, .simulatedOperator: return .short
        }
    }

    /// Where the call is in live mode: on the listener for operators alone, or on both. `nil`: on the public one.
    var listeners: [String]? {
        guard surface == .operations else { return nil }
        return ["/metrics", "/docs", "/openapi.json"].contains(path) ? ["operations"] : ["public", "operations"]
    }

    /// Whose recorded answer is the example.
    var recordedID: String { original ?? id }

    /// Who may call: the names of the document's security schemes.
    enum Caller: String, Sendable, CaseIterable {
        case anyone
        case clientCredentials
        case accessToken
        case flowToken
        case authToken
        case operatorToken
    }

    enum ErrorShape: String, Sendable, CaseIterable {
        case coded = "CodedError"
        case client = "ClientError"
        case token = "TokenError"
        case oauth = "OAuthError"
        case camara = "OperatorError"
        case hop = "HopError"
        case page = "ErrorPage"
    }
}

/// The groups of the document.
enum SurfaceName: String, Sendable, CaseIterable {
    case platform = "Platform"
    case app = "App"
    case client = "Client"
    case mobileAuth = "Mobile Auth hops"
    case link = "Instant links"
    case operations = "Operations"
    case sandbox = "Sandbox"
    case simulatedOperator = "Simulated operator"
}

/// Of path, query or header.
struct Parameter: Sendable {
    enum Place: String, Sendable { case path, query, header }

    let place: Place
    let field: Field

    static func path(_ name: String, _ schema: Schema, _ about: String) -> Parameter {
        Parameter(place: .path, field: must(name, schema, about))
    }

    static func query(_ field: Field) -> Parameter { Parameter(place: .query, field: field) }
    static func header(_ field: Field) -> Parameter { Parameter(place: .header, field: field) }
}

/// A body of one media type.
struct Content: Sendable {
    let type: String
    let schema: Schema
    var example: JSONValue?

    static func json(_ schema: Schema, _ example: StaticString? = nil) -> Content {
        Content(type: "application/json", schema: schema, example: example.map(value))
    }

    static func form(_ schema: Schema, _ example: StaticString? = nil) -> Content {
        Content(type: "application/x-www-form-urlencoded", schema: schema, example: example.map(value))
    }

    static let page = Content(type: "text/html", schema: .text())

    /// Traps on what is no JSON: the text stands in the program.
    private static func value(_ text: StaticString) -> JSONValue {
        do { return try JSONValue.parse(Array(text.description.utf8)) } catch {
            preconditionFailure("an example is no JSON: \(error.reason), at byte \(error.offset)")
        }
    }
}

/// A response that is no error.
struct Answer: Sendable {
    let status: Int
    let about: String
    var content: Content?
    /// Header fields that always come with it.
    var headers: [String] = []
}
