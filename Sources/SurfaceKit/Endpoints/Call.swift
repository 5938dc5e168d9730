package import HTTPServer

/// How an endpoint is called, and its texts in the API description.
package struct Call: Sendable {
    /// Another path of the same call.
    package struct Alias: Sendable {
        package let path: String
        /// Text that is placed before the detail.
        let detail: String

        package init(_ path: String, detail: String = "") {
            self.path = path
            self.detail = detail
        }
    }

    package let method: Method
    package let path: String
    package let aliases: [Alias]
    /// The ID of the operation in the API description.
    package let id: String
    /// A few words, used as heading of the page.
    let summary: String
    let detail: String
    package let body: BodyForm
    /// The work asked of the server: under overload, calls that begin something are refused first.
    package let demand: Demand
    /// The answer in a few words.
    let answer: String
    /// Header fields that always come with the answer.
    let headers: [String]

    /// - Parameter demand: `nil`: `.reads` for GET, `.changes` for any other method.
    package init(
        _ method: Method, _ path: String, aliases: [Alias] = [], id: String, _ summary: String, _ detail: String,
        body: BodyForm = .none, demand: Demand? = nil, answer: String = "Done.", headers: [String] = []
    ) {
        self.method = method
        self.path = path
        self.aliases = aliases
        self.id = id
        self.summary = summary
        self.detail = detail
        self.body = body
        self.demand = demand ?? (method == .get ? .reads : .changes)
        self.answer = answer
        self.headers = headers
    }

    /// All its paths.
    package var paths: [String] { [path] + aliases.map(\.path) }

    /// The call in the API description, under its first path.
    /// - Parameters:
    ///   - schema: of the body.
    ///   - errors: the responses to its refusals.
    ///   - shape: of an error's body.
    package func operation(
        _ surface: SurfaceName, caller: CallerScheme? = nil, parameters: [Parameter] = [],
        schema: Schema = .anything, answers: [Answer], errors: [Response] = [], shape: ErrorShape = .coded
    ) -> Operation {
        let content = body.content(schema)
        return Operation(
            id: id, method: method, path: path, surface: surface, summary: summary, detail: detail, caller: caller,
            parameters: parameters, body: content, isBodyRequired: body.presence == .required, answers: answers,
            errors: errors, errorShape: shape, bound: content == nil ? nil : body.bound)
    }
}
