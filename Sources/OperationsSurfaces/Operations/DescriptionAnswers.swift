internal import HTTPServer
internal import Locks
internal import SurfaceKit

/// The answer of `GET /openapi.json`, or of another document.
///
/// The first request makes it, so a server whose document is not read starts without the work and the memory.
///
/// No actor: its jobs would go from loop to loop, and a flood of these requests held others up for 50 ms.
final class DescriptionAnswers: Sendable {
    /// The answers of a call for it.
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

    private let make: @Sendable () -> APIDescription
    private let making = Locked<Task<VersionedAnswer, Never>?>(nil)

    init(make: @escaping @Sendable () -> APIDescription) { self.make = make }

    func document(to request: Request) async -> Response { await answer.respond(to: request) }

    private var answer: VersionedAnswer {
        get async {
            let task = making.withLock { making in
                if let making { return making }
                // Detached: on a loop it would hold up every connection of the loop.
                let task = Task.detached { [make] in VersionedAnswer(make().documentResponse) }
                making = task
                return task
            }
            return await task.value
        }
    }
}
