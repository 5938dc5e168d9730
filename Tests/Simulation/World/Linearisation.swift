/// Whether calls that overlap can be put in an order in which each happens at one moment between its begin and its end, as
/// the model says (Wing and Gong). A call without an answer may have happened at any time after its begin, or never.
struct Linearisation {
    private let operations: [History.Operation]
    private let delivered: [String]
    private let mayExpire: Bool
    private var seen: Set<Seen> = []
    private var steps = 0

    private struct Seen: Hashable {
        let done: UInt64
        let model: SessionModel
    }

    enum Verdict { case holds, broken, tooLong }

    /// More calls than these are not put in order: the number of orders doubles with each that overlaps.
    static let mostOperations = 60
    private static let mostSteps = 200_000

    init(_ history: History, delivered: [String], mayExpire: Bool) {
        operations = history.operations
        self.delivered = delivered
        self.mayExpire = mayExpire
    }

    static func check(_ history: History, delivered: [String], mayExpire: Bool) -> Verdict {
        guard history.operations.count <= mostOperations else { return .tooLong }
        var search = Linearisation(history, delivered: delivered, mayExpire: mayExpire)
        if search.goesOn(0, SessionModel(tries: history.tries, isLink: history.isLink)) { return .holds }
        return search.steps > mostSteps ? .tooLong : .broken
    }

    private mutating func goesOn(_ done: UInt64, _ model: SessionModel) -> Bool {
        steps += 1
        guard steps <= Linearisation.mostSteps else { return false }
        var firstEnd = UInt64.max
        var isComplete = true
        for (index, operation) in operations.enumerated() where done & (1 << UInt64(index)) == 0 {
            firstEnd = min(firstEnd, operation.ended)
            if operation.ended != .max { isComplete = false }
        }
        if isComplete { return true }
        guard seen.insert(Seen(done: done, model: model)).inserted else { return false }
        for (index, operation) in operations.enumerated()
        where done & (1 << UInt64(index)) == 0 && operation.began <= firstEnd {
            for next in model.after(operation, delivered: delivered, mayExpire: mayExpire) {
                if goesOn(done | 1 << UInt64(index), next) { return true }
            }
        }
        return false
    }
}
