internal import Possession
internal import SurfaceKit
internal import Text

/// The name of a request: the id that this server has made, or the backend's own `orderId`.
struct RequestName: Sendable {
    /// The member of the call that has the name.
    let field: String
    let text: String

    /// The rule for both kinds of name: an `orderId` may be any text.
    static let rule = TextRule.reference

    /// The session's id, if the text has its form; `nil`: this server makes no such ids.
    var id: CorrelationID? { CreatedID.session(text) }

    /// The text as the backend's own `orderId`.
    func own(_ keyed: KeyedDigests) -> SessionName {
        SessionName(.orderID, .digest(keyed.body(Array(text.utf8)).bytes))
    }

    /// The name in an answer: an id in the server's spelling, an `orderId` as the caller sent it.
    func text(of session: Session) -> String {
        id == session.correlationID ? session.correlationID.text : text
    }

    /// The error if there is no such request. An `orderId` may be any text; a `requestId` must be one of this server's.
    var unknown: OtplessError {
        id == nil && !field.isSame(as: "orderId")
            ? .field(FieldDefect(field, "is no id of a request")) : .unknownRequest
    }
}

extension SessionName.Kind {
    /// The backend's own `orderId`. It may name several requests one after another; the newest one is found.
    fileprivate static let orderID = SessionName.Kind("otpless_order", isShared: true)
}

extension Input where Value == RequestName {
    static var requestName: Input {
        Input(RequestName.rule.schema.filled) { (fields, name) throws(FieldDefect) in
            try fields.text(name, RequestName.rule).map { RequestName(field: name, text: $0) }
        }
    }
}

extension ParameterInput where Value == RequestName {
    static var requestName: ParameterInput {
        ParameterInput(RequestName.rule.schema.filled) { (text, name) throws(FieldDefect) in
            if let defect = RequestName.rule.defect(of: text) { throw FieldDefect(name, defect) }
            return RequestName(field: name, text: text)
        }
    }
}
