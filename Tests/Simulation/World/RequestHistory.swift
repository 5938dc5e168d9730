/// Calls about one request of OTPLESS's calls, with their times and answers.
final class RequestHistory {
    enum Call: Hashable {
        case resend
        case check(code: String)
        /// The holder of the phone opens the link and goes on.
        case tap
        /// - isOwn: the API client is the request's own, and the verifier is the one that it needs.
        case redeem(code: String, isOwn: Bool)
        case read
    }

    enum Told: Hashable {
        /// No answer, or one that leaves open whether the call was carried out.
        case nothing
        case done
        /// The code that a browser was given.
        case gave(code: String)
        case refused
        /// The request takes no code any more.
        case over
        case usedUp
        case succeeded, pending, declined
        /// No channel has delivered the code.
        case everythingFailed
    }

    struct Operation: TimedOperation {
        let call: Call
        let began: UInt64
        var ended = UInt64.max
        var told = Told.nothing

        var line: String {
            let end = ended == .max ? "-" : "\(ended / 1_000_000)"
            return "\(began / 1_000_000) to \(end) \(call) told \(told)"
        }
    }

    let id: String
    let number: String
    let hasCode: Bool
    let hasLink: Bool
    /// The code of a link needs a verifier.
    let hasVerifier: Bool
    /// `nil`: a backend has begun it.
    let app: String?
    let began = Sim.now
    private(set) var operations: [Operation] = []

    init(id: String, number: String, hasCode: Bool, hasLink: Bool, hasVerifier: Bool, app: String?) {
        self.id = id
        self.number = number
        self.hasCode = hasCode
        self.hasLink = hasLink
        self.hasVerifier = hasVerifier
        self.app = app
    }

    func begin(_ call: Call) -> Int {
        operations.append(Operation(call: call, began: Sim.now))
        return operations.count - 1
    }

    func end(_ index: Int, _ told: Told) {
        guard told != .nothing else { return }
        operations[index].ended = Sim.now
        operations[index].told = told
    }

    var isOver: Bool {
        operations.contains { operation in
            switch (operation.call, operation.told) {
            case (.check, .done), (.redeem, .done), (_, .over), (_, .succeeded), (_, .declined): true
            default: false
            }
        }
    }

    /// Those that browsers were given.
    var givenCodes: [String] {
        operations.compactMap { if case .gave(let code) = $0.told { code } else { nil } }
    }
}
