internal import Possession
internal import SurfaceKit
internal import Text

/// A request as its backend names it: by the id that this server has made, or by the backend's own `orderId`.
struct RequestName: Sendable {
    /// The member that has it.
    let field: String
    let text: String

    /// The rule for both: an `orderId` may be any text.
    static let rule = TextRule.reference

    /// The id that the text may be; `nil`: this server makes none such.
    var id: CorrelationID? { CreatedID.session(text) }

    /// The name of a request that its backend has named so.
    func own(_ keyed: KeyedDigests) -> SessionName {
        SessionName(.orderID, .digest(keyed.body(Array(text.utf8)).bytes))
    }

    /// The name of a request in an answer to a caller who has named it: in the server's own spelling, or as it was sent.
    func text(of session: Session) -> String {
        id == session.correlationID ? session.correlationID.text : text
    }

    /// There is no such request. An `orderId` may be any text, and a `requestId` is one of this server's.
    var unknown: OtplessError {
        id == nil && !field.isSame(as: "orderId")
            ? .field(FieldDefect(field, "is no id of a request")) : .unknownRequest
    }
}

extension SessionName.Kind {
    /// The backend's own `orderId`. It may name one request after the other, and the newest is found.
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
