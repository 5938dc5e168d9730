internal import BuiltInFiles
internal import StrictJSON
internal import SurfaceKit

/// Answers of a real walk, with names and tokens exchanged for readable ones: the examples of the descriptions.
///
/// `OpenAPIExamplesTests` writes their file, and compares it with the answers of the endpoints.
struct RecordedAnswers: Sendable {
    /// Each under the name of its operation.
    let all = BuiltInPath.object(in: BuiltInPath.recordedAnswers)

    func answer(to id: String) -> JSONValue? { all[id] }
}
