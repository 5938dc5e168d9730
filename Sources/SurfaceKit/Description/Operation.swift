package import HTTPServer
internal import StrictJSON

/// One endpoint as the API description has it.
package struct Operation: Sendable {
    package var id: String
    package let method: Method
    /// The pattern of its route.
    package var path: String
    package let surface: SurfaceName
    /// A few words; the heading of the page.
    package var summary: String
    package var detail: String
    package var caller: CallerScheme?
    package var parameters: [Parameter] = []
    package var body: Content?
    package var isBodyRequired = true
    package let answers: [Answer]
    /// Answers to its own errors, each as its type makes it.
    package var errors: [Response] = []
    /// The shape of an error's body where it is JSON.
    package var errorShape = ErrorShape.coded
    /// The surface itself answers paths that no route takes (`Area`), and its errors have that answer.
    var isInArea = false
    /// The operation that this one is another path of.
    package var original: String?
    /// How large the body may be; `nil` where there is none.
    package var bound: BodyBound?
    /// Where the call is in live mode: on the listener for operators only, or on both. `nil`: on the public one.
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

/// Its bodies, by the names under which they stand in the document: those of the call, whatever its path.
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

    /// Every schema that is a part of it.
    var schemas: [Schema] {
        let contents = namedAnswers.flatMap { [$0.content].compactMap { $0 } + $0.otherContents }
        return parameters.map(\.field.schema) + ([namedBody].compactMap { $0 } + contents).map(\.schema)
    }
}
