internal import HTTPServer
internal import Locks
internal import SurfaceKit

/// The answers of `GET /openapi.json` and `GET /docs`.
///
/// Made at the first request for one of them: a server that nobody reads about starts without the work and the memory.
///
/// No actor: its jobs would go from loop to loop, and a flood of these requests held others up for 50 ms.
final class DescriptionAnswers: Sendable {
    /// The answers of both calls.
    static func answers(_ about: String, _ content: Content) -> [Answer] {
        let headers = ["ETag", "Cache-Control"]
        return [
            Answer(status: 200, about: about, content: content, headers: headers),
            Answer(status: 304, about: "The version in If-None-Match is the newest.", headers: headers),
        ]
    }

    /// A document in its own words.
    static var openAPI: Schema {
        Schema.record(
            [must("openapi", .text(pattern: #"^3\.1\."#), "The version of the OpenAPI specification.")], others: true
        ).called("OpenAPI")
    }

    static var parameters: Parameters<Nothing, OperationsError> {
        Parameters { ParameterMember.header("If-None-Match", .text(), "The ETag of the version that is there.") }
    }

    private struct Answers: Sendable {
        let document: VersionedAnswer
        let page: VersionedAnswer
    }

    private let make: @Sendable () -> APIDescription
    private let making = Locked<Task<Answers, Never>?>(nil)

    init(make: @escaping @Sendable () -> APIDescription) { self.make = make }

    func document(to request: Request) async -> Response { await answers.document.respond(to: request) }

    func page(to request: Request) async -> Response { await answers.page.respond(to: request) }

    private var answers: Answers {
        get async {
            let task = making.withLock { making in
                if let making { return making }
                // Detached: on a loop it would hold up every connection of the loop.
                let task = Task.detached { [make] in
                    let description = make()
                    return Answers(
                        document: VersionedAnswer(description.documentResponse),
                        page: VersionedAnswer(description.pageResponse))
                }
                making = task
                return task
            }
            return await task.value
        }
    }
}
