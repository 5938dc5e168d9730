package import HTTPServer
internal import StrictJSON

/// What the body of a call may be: whether there must be one, and how large it may be.
package struct BodyForm: Sendable {
    package enum Presence: Sendable {
        /// Whatever comes with the call is not looked at.
        case none
        /// A JSON object, or nothing, which means `{}`.
        case optional
        /// A JSON object.
        case required
    }

    package let presence: Presence
    package let bound: BodyBound
    /// For the API description.
    let example: StaticString?

    package static let none = BodyForm(presence: .none, bound: .none, example: nil)

    package static func json(_ example: StaticString? = nil, upTo bound: BodyBound = .session) -> BodyForm {
        BodyForm(presence: .required, bound: bound, example: example)
    }

    package static func optionalJSON(_ example: StaticString? = nil, upTo bound: BodyBound = .session) -> BodyForm {
        BodyForm(presence: .optional, bound: bound, example: example)
    }

    /// The members of the body.
    package func reader(of request: Request) throws(BodyDefect) -> FieldReader {
        switch presence {
        case .none: return FieldReader(JSONObject())
        // Some clients name the type of a body that they then leave out.
        case .optional where request.body.isEmpty: return FieldReader(JSONObject())
        case .optional, .required: return FieldReader(try RequestBody.object(of: request, upTo: bound))
        }
    }

    /// What the head tells of a body that has not come yet.
    package func checkHead(_ request: Request) throws(BodyDefect) {
        switch presence {
        case .none: break
        case .optional: try RequestBody.checkHeadIfAnnounced(request, mediaType: RequestBody.json, upTo: bound)
        case .required: try RequestBody.checkHead(request, mediaType: RequestBody.json, upTo: bound)
        }
    }

    /// What can be wrong with such a body.
    package var defects: [BodyDefect] {
        guard presence != .none else { return [] }
        let tooLarge: [BodyDefect] = bound.bytes == nil ? [] : [.tooLarge(bound)]
        return [.empty, .mediaType(expected: RequestBody.json)] + tooLarge
    }
}
