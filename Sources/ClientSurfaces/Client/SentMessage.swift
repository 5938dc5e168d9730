internal import Possession

/// Which message a call sends. A type, so that the calls of codes and of links are endpoints of their own.
protocol SentMessage: Sendable {
    static var kind: Session.MessageKind { get }
    /// The path of its calls, below the session.
    static var path: String { get }
    /// In names of operations.
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
    /// Errors that calls which send a message may answer.
    static let ofSending: [ClientError] = [
        .refused(.sendsExhausted), .refused(.messageFailed), .refused(.phoneNumberRequired),
        .refused(.phoneNumberInvalid), .refused(.phoneNumberNotAllowed(reason: "...")),
        .refused(.phoneNumberNotAccepted),
    ]
}
