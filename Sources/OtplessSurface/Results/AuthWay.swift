internal import Engine
internal import Possession
internal import SurfaceKit

/// How a request is proven, or is being proven.
struct AuthWay: Sendable {
    let name: AuthType
    /// The channel that took the newest message; `nil`: no message was sent.
    let channel: OtplessChannel?

    /// - Parameter messages: the messages of the session.
    init(_ session: Session, _ messages: [MessageStanding]) {
        channel = OtplessVerifications.channel(of: messages, in: session)
        switch session.proof?.method {
        case .mobileAuth: name = .silent
        case .instantLink: name = .link
        case .assumed where session.playsProvider: name = .provider
        // A sandbox call has ended the request. Report the method that was under way.
        case .assumed, nil:
            let isSilent = channel == nil && session.mobileAuth.isPlanned
            name = isSilent ? .silent : Self.ofMessages(in: session)
        case .some: name = .code
        }
    }

    /// The method of a request that is proven by messages.
    static func ofMessages(in session: Session) -> AuthType {
        guard session.request.options.exchange != nil else { return .code }
        return session.request.policy.checks.contains(.code) ? .codeAndLink : .link
    }

    /// The vendor's words for the method.
    var methods: [String] { name == .silent ? [name.rawValue] : channel.map { [$0.rawValue] } ?? [] }

    static let methods = Output<[String]>.list(
        of: .text(.choice(OtplessChannel.allCases.map(\.rawValue) + [AuthType.silent.rawValue])))
}

extension Session {
    /// Whether a played provider identifies the person. Such a request has no target.
    var playsProvider: Bool { request.subject.target == nil }
}
