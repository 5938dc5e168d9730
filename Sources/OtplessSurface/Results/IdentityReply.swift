internal import Possession
internal import SurfaceKit

/// A proven number or address, as several answers show it.
enum IdentityReply {
    enum Kind: String, Sendable, CaseIterable {
        case mobile = "MOBILE"
        case email = "EMAIL"
    }

    static let identities = Output<[ProvenPerson]>.list(of: .object(reply))

    private static let reply = Reply<ProvenPerson> {
        ReplyMember.always(
            "identityType", .choice(Kind.allCases), "MOBILE: identityValue is a number. EMAIL: it is an address."
        ) { $0.email == nil ? .mobile : .email }
        ReplyMember.always("identityValue", .text, "A number has its country code and no plus.") {
            $0.email ?? $0.target.plain
        }
        ReplyMember.whenThere("name", .text, "As the provider has it.") { $0.name }
        ReplyMember.always("channel", .choice(AuthType.allCases), "How it was proven.") { $0.way.name }
        ReplyMember.always("methods", AuthWay.methods, "The way of the last message; of a silent proof SILENT_AUTH.") {
            $0.way.methods
        }
        ReplyMember.always("verified", .flag, "Always true.") { _ in true }
        ReplyMember.always("verifiedAt", .moment, "When the person proved it, UTC.") { $0.provenAt }
    }
}

/// The state of a request.
enum RequestState: String, Sendable {
    case success = "SUCCESS"
    case pending = "PENDING"
    case declined = "DECLINE"
}
