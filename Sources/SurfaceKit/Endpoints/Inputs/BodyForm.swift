package import HTTPServer
internal import StrictJSON
internal import Text

/// The form of a call's body: whether it is required, its encoding, and its maximum size.
package struct BodyForm: Sendable {
    package enum Presence: Sendable {
        /// No body is read; if one arrives, it is ignored.
        case none
        /// Any bytes: the endpoint reads them from the request.
        case raw
        /// The members, or no body, which means that all members are absent.
        case optional
        /// The members are required.
        case required
    }

    /// The encoding of the members.
    package enum Coding: Sendable {
        /// A JSON object.
        case json
        /// `application/x-www-form-urlencoded`: each member is a text.
        case form
        /// Either of the two, according to the `Content-Type`.
        case jsonOrForm

        /// Its media type; for `jsonOrForm`, that of JSON.
        var mediaType: String { self == .form ? RequestBody.form : RequestBody.json }

        /// The media type that a request must have.
        func mediaType(of request: Request) -> String {
            self == .jsonOrForm && RequestBody.isOf(mediaType: RequestBody.form, request) ? RequestBody.form : mediaType
        }
    }

    package let presence: Presence
    package let coding: Coding
    package let bound: BodyBound
    /// For the API description: a JSON object, even for a form.
    let example: StaticString?
    /// JSON members, at any depth, that may be large and are not needed: they are skipped.
    private(set) var skipped: [String] = []

    package static let none = BodyForm(presence: .none, coding: .json, bound: .none, example: nil)

    package static func raw(upTo bound: BodyBound) -> BodyForm {
        BodyForm(presence: .raw, coding: .json, bound: bound, example: nil)
    }

    package static func json(_ example: StaticString? = nil, upTo bound: BodyBound = .session) -> BodyForm {
        BodyForm(presence: .required, coding: .json, bound: bound, example: example)
    }

    /// The same, skipping members that may be large and are not needed.
    package func skipping(_ names: String...) -> BodyForm {
        var form = self
        form.skipped = names
        return form
    }

    package static func optionalJSON(_ example: StaticString? = nil, upTo bound: BodyBound = .session) -> BodyForm {
        BodyForm(presence: .optional, coding: .json, bound: bound, example: example)
    }

    package static func jsonOrForm(_ example: StaticString? = nil, upTo bound: BodyBound = .session) -> BodyForm {
        BodyForm(presence: .required, coding: .jsonOrForm, bound: bound, example: example)
    }

    package static func form(_ example: StaticString? = nil, upTo bound: BodyBound = .short) -> BodyForm {
        BodyForm(presence: .required, coding: .form, bound: bound, example: example)
    }

    /// Reads the members of the body.
    /// - Parameter known: names that may be repeated in an error.
    package func reader(of request: Request, known: [String] = []) throws(BodyDefect) -> FieldReader {
        switch presence {
        case .none: return FieldReader(JSONObject())
        case .raw:
            guard bound.admits(request.body) else { throw .tooLarge(bound) }
            return FieldReader(JSONObject())
        // Some clients send the type of a body that they then leave out.
        case .optional where request.body.isEmpty: return FieldReader(JSONObject())
        case .optional, .required: return FieldReader(try object(of: request, known))
        }
    }

    private func object(of request: Request, _ known: [String]) throws(BodyDefect) -> JSONObject {
        let mediaType = coding.mediaType(of: request)
        guard mediaType.isSame(as: RequestBody.form) else {
            return try RequestBody.object(of: request, upTo: bound, skipping: skipped)
        }
        try RequestBody.check(request, mediaType: mediaType, upTo: bound)
        return try FormBody.object(request.body, known: known)
    }

    /// Checks the head for a body that has not arrived yet.
    package func checkHead(_ request: Request) throws(BodyDefect) {
        switch presence {
        case .none: break
        case .raw: try RequestBody.checkLength(request, upTo: bound)
        case .optional:
            try RequestBody.checkHeadIfAnnounced(request, mediaType: coding.mediaType(of: request), upTo: bound)
        case .required: try RequestBody.checkHead(request, mediaType: coding.mediaType(of: request), upTo: bound)
        }
    }

    /// For a route that refuses calls by their head if type or size of the body are wrong.
    /// - Parameter answer: the response to such a call.
    package func rule(_ answer: @escaping @Sendable (BodyDefect) -> Response) -> BodyRule {
        guard presence != .none else { return .ignored }
        return BodyRule(
            maxBytes: bound.bytes,
            refusal: { request in
                do throws(BodyDefect) {
                    try checkHead(request)
                    return nil
                } catch { return answer(error) }
            }, tooLarge: { _ in answer(.tooLarge(bound)) })
    }

    /// The defects that such a body can have.
    package var defects: [BodyDefect] {
        guard presence != .none else { return [] }
        let tooLarge: [BodyDefect] = bound.bytes == nil ? [] : [.tooLarge(bound)]
        if presence == .raw { return tooLarge }
        switch coding {
        case .json, .jsonOrForm: return [.empty, .mediaType(expected: RequestBody.json)] + tooLarge
        case .form: return [.repeated(nil), .mediaType(expected: RequestBody.form)] + tooLarge
        }
    }

    /// Its API description; `nil` without a body.
    func content(_ schema: Schema) -> Content? {
        switch (presence, coding) {
        case (.none, _): return nil
        case (.raw, _): return .bytes
        // Both encodings have the same members; generated clients send JSON.
        case (_, .json), (_, .jsonOrForm): return .json(schema, example)
        case (_, .form): return .form(schema, example)
        }
    }
}
