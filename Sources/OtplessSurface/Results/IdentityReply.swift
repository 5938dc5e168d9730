internal import Possession
internal import SurfaceKit

/// A number or an address that was proven, as several answers have it.
enum IdentityReply {
    enum Kind: String, Sendable, CaseIterable {
        case mobile = "MOBILE"
        case email = "EMAIL"
    }

    private enum Way: String, Sendable { case code = "OTP" }

    static let identities = Output<[ProvenPerson]>.list(of: .object(reply))

    private static let reply = Reply<ProvenPerson> {
        ReplyMember.always("identityType", .choice(Kind.allCases)) { $0.email == nil ? .mobile : .email }
        ReplyMember.always("identityValue", .text, "A number has its country code and no plus.") {
            $0.digits ?? $0.target.text
        }
        ReplyMember.always("channel", .choice([Way.code]), "How it was proven.") { _ in .code }
        ReplyMember.always("methods", .list(of: .choice(OtplessChannel.allCases)), "The way of the last message.") {
            $0.channel.map { [$0] } ?? []
        }
        ReplyMember.always("verified", .flag, "Always true.") { _ in true }
        ReplyMember.always("verifiedAt", .moment) { $0.provenAt }
    }
}

/// How a request stands.
enum RequestState: String, Sendable {
    case success = "SUCCESS"
    case pending = "PENDING"
    case declined = "DECLINE"
}
