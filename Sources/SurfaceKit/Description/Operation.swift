package import HTTPServer
internal import StrictJSON

/// The API description of one endpoint.
package struct Operation: Sendable {
    package var id: String
    package let method: Method
    /// The pattern of its route.
    package var path: String
    package let surface: SurfaceName
    /// A few words, used as heading of the page.
    package var summary: String
    package var detail: String
    package var caller: CallerScheme?
    package var parameters: [Parameter] = []
    package var body: Content?
    package var isBodyRequired = true
    package let answers: [Answer]
    /// The responses to its own errors.
    package var errors: [Response] = []
    /// The shape of an error's body, if it is JSON.
    package var errorShape = ErrorShape.coded
    /// The surface itself answers paths that match no route (`Area`), and that answer is one of its errors.
    var isInArea = false
    /// The operation for which this one is another path.
    package var original: String?
    /// The maximum size of the body; `nil`: no body.
    package var bound: BodyBound?
    /// The listener of the call in live mode: only the operators', or both. `nil`: the public one.
    package var listeners: [String]?

    package init(
        id: String, method: Method, path: String, surface: SurfaceName, summary: String, detail: String,
        caller: CallerScheme? = nil, parameters: [Parameter] = [], body: Content? = nil, isBodyRequired: Bool = true,
        answers: [Answer], errors: [Response] = [], errorShape: ErrorShape = .coded, original: String? = nil,
        bound: BodyBound? = nil, listeners: [String]? = nil
    ) {
        self.id = id
        self.method = method
        self.path = path
        self.surface = surface
        self.summary = summary
        self.detail = detail
        self.caller = caller
        self.parameters = parameters
        self.body = body
        self.isBodyRequired = isBodyRequired
        self.answers = answers
        self.errors = errors
        self.errorShape = errorShape
        self.original = original
        self.bound = bound
        self.listeners = listeners
    }

    /// The operation whose recorded answer is the example.
    package var recordedID: String { original ?? id }
}

/// Its bodies, by their names in the document: the names come from the call, for all its paths.
extension Operation {
    package var namedBody: Content? { body?.called(name + "Body") }

    package var namedAnswers: [Answer] {
        answers.map { answer in
            var answer = answer
            answer.content = answer.content?.called(name + "Answer")
            return answer
        }
    }

    private var name: String { recordedID.prefix(1).uppercased() + recordedID.dropFirst() }

    /// All schemas that it uses.
    var schemas: [Schema] {
        let contents = namedAnswers.flatMap { [$0.content].compactMap { $0 } + $0.otherContents }
        return parameters.map(\.field.schema) + ([namedBody].compactMap { $0 } + contents).map(\.schema)
    }
}
