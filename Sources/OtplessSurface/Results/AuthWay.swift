internal import Possession
internal import SurfaceKit

/// How a request is proven, or is being proven.
struct AuthWay: Sendable {
    let name: AuthType
    /// That took the newest message; `nil`: none was sent.
    let channel: OtplessChannel?

    /// - Parameter messages: of the session.
    init(_ session: Session, _ messages: [MessageStanding]) {
        channel = OtplessRequests.channel(of: messages, in: session)
        switch session.proof?.method {
        case .mobileAuth: name = .silent
        case .instantLink: name = .link
        case .assumed where session.playsProvider: name = .provider
        // A call of the sandbox has ended it: it was under way like any other.
        case .assumed, nil:
            let isSilent = channel == nil && session.mobileAuth.isPlanned
            name = isSilent ? .silent : Self.ofMessages(in: session)
        case .some: name = .code
        }
    }

    /// The way of a request whose messages are under way.
    static func ofMessages(in session: Session) -> AuthType {
        guard session.request.options.exchange != nil else { return .code }
        return session.request.policy.checks.contains(.code) ? .codeAndLink : .link
    }

    /// The vendor's words for it.
    var methods: [String] { name == .silent ? [name.rawValue] : channel.map { [$0.rawValue] } ?? [] }

    static let methods = Output<[String]>.list(
        of: .text(.choice(OtplessChannel.allCases.map(\.rawValue) + [AuthType.silent.rawValue])))
}

extension Session {
    /// Whether a provider is asked who somebody is: such a request names no person itself.
    var playsProvider: Bool { request.subject.target == nil }
}
