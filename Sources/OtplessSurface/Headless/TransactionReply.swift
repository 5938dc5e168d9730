internal import Possession
internal import SurfaceKit

/// The objects that an app's SDK reads. Members that the SDK needs are always present.
enum TransactionReply {
    enum Status: String, Sendable, CaseIterable {
        case success = "SUCCESS"
        case pending = "PENDING"
        case failed = "FAILED"

        static let about =
            "PENDING: the person has proven nothing yet. FAILED: the request is over without success."
    }

    /// Schemas that several answers use.
    static let schemas = [detail.named, leap.named, oneTap.named]

    /// The members of every answer about a request.
    static let members: [ReplyMember<Transaction>] = [
        .always("authDetail", .object(detail), "How the request stands.") { $0 },
        .whenThere("oneTap", .object(oneTap), "Of a success.") { $0.oneTap },
    ]

    private static let detail = Reply<Transaction>(name: "OtplessAuthDetail") {
        ReplyMember.always("status", .choice(Status.allCases), Status.about) { $0.status }
        ReplyMember.always("communicationDelivered", .flag, "The newest message has arrived.") { $0.isDelivered }
        ReplyMember.always("channel", .choice(AuthType.allCases), "How the person is verified.") { $0.way }
        ReplyMember.whenThere("communicationMode", .choice(OtplessChannel.allCases), "That took the newest message.") {
            $0.channel
        }
        ReplyMember.always("token", .identifier(), "Of the request.") { $0.session.correlationID }
        ReplyMember.always("asId", .identifier(), "The same value as token.") { $0.session.correlationID }
    }

    /// The next step of the app.
    static let leap = Reply<(transaction: Transaction, state: String)>(name: "OtplessQuantumLeap") {
        ReplyMember.always("asId", .identifier(), "Of the request.") { $0.transaction.session.correlationID }
        ReplyMember.always("channelAuthToken", .identifier(), "The same: requestId of the SDK.") {
            $0.transaction.session.correlationID
        }
        ReplyMember.always("channel", .choice(AuthType.allCases), "How the person is verified.") { $0.transaction.way }
        ReplyMember.always("channels", .list(of: .choice(OtplessChannel.allCases)), "In the order of their turn.") {
            $0.transaction.session.request.policy.channels.map { OtplessChannel($0) }
        }
        ReplyMember.whenThere("communicationMode", .choice(OtplessChannel.allCases), "That took the message.") {
            $0.transaction.channel
        }
        ReplyMember.whenThere("otpLength", .integer(4...6), "Of a code.") {
            $0.transaction.way == .silent || $0.transaction.way == .link
                ? nil : $0.transaction.session.otp.codeLength
        }
        ReplyMember.whenThere(
            "intent", .text(.text(format: "uri")), "The phone opens it over its cellular connection."
        ) { $0.transaction.link }
        ReplyMember.always("pollingRequired", .flag, "Always true.") { _ in true }
        ReplyMember.always("state", .text, "Of the app.") { $0.state }
        ReplyMember.always("status", .choice(Status.allCases), Status.about) { $0.transaction.status }
        ReplyMember.always("timerSettings", .object(timer), "How often to ask, and how long.") {
            $0.transaction.way == .silent ? Timer.silent : Timer.message
        }
    }

    /// How often the SDK asks: in milliseconds for the operator's answer, in seconds for messages.
    private struct Timer: Sendable {
        static let silent = Timer(interval: 200, timeout: 7000)
        static let message = Timer(interval: 3, timeout: 60)

        let interval: Int
        let timeout: Int
    }

    private static let timer = Reply<Timer>(name: "Timer") {
        ReplyMember.always("interval", .integer(1...1000), "Milliseconds for SILENT_AUTH, else seconds.") {
            $0.interval
        }
        ReplyMember.always("timeout", .integer(1...10_000), "In the same unit.") { $0.timeout }
    }

    static let oneTap = Reply<OneTap>(name: "OtplessOneTap") {
        ReplyMember.always("status", .choice([Status.success]), "Always SUCCESS.") { _ in .success }
        ReplyMember.always("token", .text, "For the app's backend: validate/token, userInfo.") { $0.person.token }
        ReplyMember.always("merchantUserInfo", .object(person), "Whose it is.") { $0 }
    }

    private static let person = Reply<OneTap>(name: "OneTapPerson") {
        ReplyMember.part({ $0.person }, PersonReply.members)
        ReplyMember.always("idToken", .text, "A JWT; aud is the API client's id.") { $0.idToken }
    }
}
