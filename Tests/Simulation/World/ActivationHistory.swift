/// Calls that a phone signed and orders of its operator, with their times and answers.
final class ActivationHistory {
    enum Call: Hashable {
        /// - number: of the signature, from 0 on.
        case sign(number: Int, withKnowledge: Bool, isRight: Bool)
        /// The same, and the activation goes.
        case remove(number: Int)
        case read
        case block
        case unblock
    }

    enum Told: Hashable {
        /// No answer, or one that leaves open whether the call was carried out.
        case nothing
        case done
        case refused
        case stands(SimulatedPhone.Standing)
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

    let phone: SimulatedPhone
    /// Signatures that the phone has made.
    var signed = 0
    private(set) var operations: [Operation] = []

    init(_ phone: SimulatedPhone) { self.phone = phone }

    func begin(_ call: Call) -> Int {
        operations.append(Operation(call: call, began: Sim.now))
        return operations.count - 1
    }

    func end(_ index: Int, _ told: Told) {
        guard told != .nothing else { return }
        operations[index].ended = Sim.now
        operations[index].told = told
    }
}

/// How an activation behaves when calls come one after another: its counter only goes forward, so a signature is good once;
/// the server looks 19 signatures ahead; five in a row that are not good block it, unless they are of possession alone.
/// Written from the documentation, without a word of the server's code.
struct ActivationModel: Hashable {
    private enum State: UInt8, Hashable { case active = 3, blocked = 4, removed = 5 }

    private static let lookAhead = 20
    private static let mostFailed: UInt8 = 5

    private var state = State.active
    private var next = 0
    private var failed: UInt8 = 0

    /// All ways in which the next call can go that agree with what its caller was told.
    func after(_ operation: ActivationHistory.Operation) -> [ActivationModel] {
        var after = self
        var told = ActivationHistory.Told.done
        switch operation.call {
        case .sign(let number, let withKnowledge, let isRight):
            told = after.take(number, withKnowledge, isRight) ? .done : .refused
        case .remove(let number):
            let isGood = after.take(number, true, true)
            if isGood { after.state = .removed }
            told = isGood ? .done : .refused
        case .read: told = .stands(SimulatedPhone.Standing(state: state.rawValue, failedAttempts: failed))
        case .block:
            if state == .active { after.state = .blocked }
            told = state == .removed ? .refused : .done
        case .unblock:
            if state == .blocked { (after.state, after.failed) = (.active, 0) }
            told = state == .removed ? .refused : .done
        }
        return operation.told == .nothing || operation.told == told ? [after] : []
    }

    private mutating func take(_ number: Int, _ withKnowledge: Bool, _ isRight: Bool) -> Bool {
        guard state == .active else { return false }
        guard isRight, (next..<next + Self.lookAhead).contains(number) else {
            guard withKnowledge else { return false }
            failed += 1
            if failed == Self.mostFailed { state = .blocked }
            return false
        }
        next = number + 1
        if withKnowledge { failed = 0 }
        return true
    }
}
