/// Calls of apps about one process of onboarding, with their times and answers.
final class ProcessHistory {
    enum Call: Hashable {
        case start
        case resend
        case activate(code: String)
        /// A code that can be none.
        case malformed
        /// A code, and a phone whose key is none.
        case broken
        case cleanUp
        case read
        /// The same person has started another one.
        case replace
    }

    enum Told: Hashable {
        /// No answer, or one that leaves open whether the call was carried out.
        case nothing
        case done
        case made(activation: String)
        case refused(triesLeft: Int)
        case brokenOrder
        case tooSoon
        case activating, failed, finished
        case over
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
    let person: Person
    let began: UInt64
    /// When its id was told first.
    let known = Sim.now
    var isReplaced = false
    private(set) var operations: [Operation] = []

    init(id: String, person: Person, began: UInt64) {
        self.id = id
        self.person = person
        self.began = began
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

    /// A call that is known to be about this process by its answer.
    func add(_ call: Call, began: UInt64, _ told: Told) {
        operations.append(Operation(call: call, began: began, ended: Sim.now, told: told))
    }

    var isOver: Bool {
        operations.contains { operation in
            switch operation.told {
            case .made, .refused(0), .failed, .finished, .over: true
            case .done: operation.call == .cleanUp
            default: false
            }
        }
    }

    /// The activation that somebody was told of.
    var activation: String? {
        for operation in operations { if case .made(let id) = operation.told { return id } }
        return nil
    }

    /// Calls without an answer that may have replaced its code.
    var unsureSends: [UInt64] {
        operations.filter { $0.call == .resend && $0.told == .nothing }.map(\.began) + person.unansweredStarts
    }
}
