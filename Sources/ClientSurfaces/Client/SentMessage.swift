internal import Engine
internal import Possession

/// The kind of message that a call sends. A type, so that the calls for codes and links are separate endpoints.
protocol SentMessage: Sendable {
    static var kind: Session.MessageKind { get }
    /// The path of its calls, below the session.
    static var path: String { get }
    /// Part of the operations' names.
    static var idPart: String { get }
    static var word: String { get }
    static var longName: String { get }
}

/// A code by SMS.
enum CodeMessage: SentMessage {
    static let kind = Session.MessageKind.code
    static let path = "otp"
    static let idPart = "Code"
    static let word = "code"
    static let longName = "SMS code"
}

/// An instant link by SMS.
enum LinkMessage: SentMessage {
    static let kind = Session.MessageKind.link
    static let path = "link"
    static let idPart = "Link"
    static let word = "link"
    static let longName = "instant link"
}

extension ClientError {
    /// Errors of calls that send a message.
    static let ofSending: [ClientError] = [
        .refused(.sendsExhausted), .refused(.messageFailed), .refused(.phoneNumberRequired),
        .refused(.phoneNumberInvalid), .refused(.phoneNumberNotAllowed(reason: "...")),
        .refused(.phoneNumberNotAccepted),
    ]
}
