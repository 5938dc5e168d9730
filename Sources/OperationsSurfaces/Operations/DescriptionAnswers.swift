internal import HTTPServer
internal import Locks
internal import SurfaceKit

/// The answer of `GET /openapi.json`, or of another document.
///
/// The first request builds it, so that a server whose document is never read saves the work and the memory.
///
/// Not an actor: its jobs would move between loops, and a flood of these requests delayed others by 50 ms.
final class DescriptionAnswers: Sendable {
    /// The answers of a call for the document.
    static func answers(_ about: String, _ content: Content) -> [Answer] {
        let headers = ["ETag", "Cache-Control"]
        return [
            Answer(status: 200, about: about, content: content, headers: headers),
            Answer(status: 304, about: "The version in If-None-Match is the newest.", headers: headers),
        ]
    }

    /// The schema of an OpenAPI document.
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
                // Detached: on a loop it would block every connection of the loop.
                let task = Task.detached { [make] in VersionedAnswer(make().documentResponse) }
                making = task
                return task
            }
            return await task.value
        }
    }
}
