internal import Possession
internal import SurfaceKit
internal import Tokens

/// Shows the master key and the sealing key, and how many values older keys have sealed.
struct ShowKeyStatus: ReadingOrder {
    typealias Status = (keys: KeysetKeeper.Standing, progress: KeysetAdministration.Progress)

    static let call = OrderCall(.get, "/control/keys/status", Self.init)
    static let reply = Reply<Status> {
        ReplyMember.always("masterKey", .object(masterKey)) { $0.keys }
        ReplyMember.always("sealingKey", .object(sealingKey)) { $0 }
    }
    private static let masterKey = Reply<KeysetKeeper.Standing> {
        ReplyMember.always("id", .text) { $0.masterID }
        ReplyMember.always("since", .moment) { $0.masterSince }
        ReplyMember.whenThere("waiting", .text) { $0.waitingMasterID }
    }
    private static let sealingKey = Reply<Status> {
        ReplyMember.always("generation", .count) { Int($0.keys.generation) }
        ReplyMember.always("since", .moment) { $0.keys.generationSince }
        ReplyMember.always("older", .list(of: .count)) { $0.keys.olderGenerations.map { Int($0) } }
        ReplyMember.whenThere("resealed", .count) { $0.progress.resealed }
        ReplyMember.always("left", .count) { $0.progress.left }
        ReplyMember.always("unreadable", .count) { $0.progress.unreadable }
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> Status {
        try await administrator.keysetStanding()
    }
}
