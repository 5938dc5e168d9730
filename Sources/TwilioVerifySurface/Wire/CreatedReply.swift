internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit

/// The answer that an object was created: the object's members, with status 201.
struct CreatedReply<Value>: ReplyForm {
    private let members: Reply<Value>
    private let about: String
    private let example: StaticString?

    /// - Parameter about: what the answer is, for the API description.
    init(_ members: Reply<Value>, _ about: String, example: StaticString? = nil) {
        self.members = members
        self.about = about
        self.example = example
    }

    func response(_ value: Value) -> Response { .json(201, members.object(value)) }

    func answers(_ call: Call) -> [Answer] {
        [Answer(status: 201, about: about, content: .json(members.schema, example))]
    }
}
