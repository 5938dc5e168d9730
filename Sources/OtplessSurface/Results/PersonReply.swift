internal import SurfaceKit

/// The members that every answer about a token's person has.
enum PersonReply {
    static let members: [ReplyMember<ProvenPerson>] = [
        .always("token", .text, "Stands for the success for an hour: for validate/token and userInfo.") { $0.token },
        .always("status", .choice([RequestState.success]), "Always SUCCESS.") { _ in .success },
        .always("userId", .text, "The same for each request of the API client for this number or address.") {
            $0.userID
        },
        .always("timestamp", .moment, "Of the success.") { $0.provenAt },
        .always("identities", IdentityReply.identities, "One.") { [$0] },
    ]
}
