/// A call, when it was made and when it was answered.
protocol TimedOperation {
    var began: UInt64 { get }
    /// `.max`: it has no answer, and may be carried out at any time.
    var ended: UInt64 { get }
}

/// Whether calls that overlap can be put in an order in which each happens at one moment between its begin and its end, as
/// a model says (Wing and Gong). A call without an answer may have happened at any time after its begin, or never.
struct Linearisation<Operation: TimedOperation, Model: Hashable> {
    private let operations: [Operation]
    private let after: (Model, Operation) -> [Model]
    private var seen: Set<Seen> = []
    private var steps = 0

    private struct Seen: Hashable {
        let done: UInt64
        let model: Model
    }

    /// More calls than these are not put in order: the number of orders doubles with each that overlaps.
    private static var mostOperations: Int { 60 }
    private static var mostSteps: Int { 200_000 }

    private init(_ operations: [Operation], after: @escaping (Model, Operation) -> [Model]) {
        self.operations = operations
        self.after = after
    }

    /// - Parameter after: all ways in which a call can go that agree with what its caller was told.
    static func check(
        _ operations: [Operation], from start: Model, after: @escaping (Model, Operation) -> [Model]
    ) -> Verdict {
        guard operations.count <= mostOperations else { return .tooLong }
        var search = Linearisation(operations, after: after)
        if search.goesOn(0, start) { return .holds }
        return search.steps > mostSteps ? .tooLong : .broken
    }

    private mutating func goesOn(_ done: UInt64, _ model: Model) -> Bool {
        steps += 1
        guard steps <= Self.mostSteps else { return false }
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
            for next in after(model, operation) {
                if goesOn(done | 1 << UInt64(index), next) { return true }
            }
        }
        return false
    }
}

enum Verdict { case holds, broken, tooLong }
