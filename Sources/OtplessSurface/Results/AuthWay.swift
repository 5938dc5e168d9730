internal import Possession
internal import SurfaceKit

/// How a request is proven, or is being proven.
enum AuthWay: Sendable {
    /// By a code, with the channel of the last message; `nil`: none was sent.
    case code(OtplessChannel?)
    case silent

    /// - Parameter messages: of the session.
    init(_ session: Session, _ messages: [MessageStanding]) {
        if session.proof?.method == .mobileAuth {
            self = .silent
        } else if let channel = OtplessRequests.channel(of: messages, in: session) {
            self = .code(channel)
        } else {
            self = session.mobileAuth.isPlanned ? .silent : .code(nil)
        }
    }

    var name: AuthType {
        switch self {
        case .code: .code
        case .silent: .silent
        }
    }

    /// The vendor's words for it.
    var methods: [String] {
        switch self {
        case .code(let channel): channel.map { [$0.rawValue] } ?? []
        case .silent: [AuthType.silent.rawValue]
        }
    }

    static let methods = Output<[String]>.list(
        of: .text(.choice(OtplessChannel.allCases.map(\.rawValue) + [AuthType.silent.rawValue])))
}
