/// How the windows of a number behave when a backend's calls come one after another: one window at a time, five messages and
/// five checks each, any code of the window passes once, and a call that is made again under its name is told the same.
/// Written from the contract, without a word of the server's code.
struct WindowModel: Hashable {
    private enum State: Hashable { case none, open, succeeded, usedUp }

    static let most = 5

    private var state = State.none
    /// `nil`: nobody was told.
    private var id: String?
    private var sends = 0
    private var checksLeft = most
    private var codes: Set<String> = []
    /// Codes of calls without an answer: after a crash the next run offers their messages, and the carrier may refuse them.
    private var unsure: Set<String> = []
    /// Answers to calls, by the names of the calls.
    private var kept: [String: WindowHistory.Told] = [:]

    /// All ways in which the next call can go that agree with what its caller was told.
    /// - Parameter mayExpire: the window may have outlived its time.
    func after(_ operation: WindowHistory.Operation, mayExpire: Bool) -> [WindowModel] {
        var befores = [self]
        if mayExpire, state == .open || state == .usedUp {
            var expired = self
            expired.state = .none
            befores.append(expired)
        }
        befores += unsure.map(takingBack)
        return befores.flatMap { $0.step(operation) }
    }

    private func takingBack(_ code: String) -> WindowModel {
        var next = self
        next.unsure.remove(code)
        guard state == .open else { return next }
        next.codes.remove(code)
        next.sends -= 1
        return next
    }

    private func step(_ operation: WindowHistory.Operation) -> [WindowModel] {
        let told = operation.told
        if let before = kept[operation.name] { return told == .nothing || before.isRepeated(by: told) ? [self] : [] }
        switch operation.call {
        case .create(let code): return created(code, operation)
        case .check(let code): return checked(code, operation)
        }
    }

    private func created(_ code: String, _ operation: WindowHistory.Operation) -> [WindowModel] {
        var next = self
        if state != .open {
            next = WindowModel()
            next.kept = kept
            next.state = .open
        }
        guard next.sends < WindowModel.most else { return agreeing(.tooMany, operation) }
        // The carrier refused it: the window is open, and the message is given back. It may have been sent all the same.
        let unsent = next
        next.sends += 1
        next.codes.insert(code)
        switch operation.told {
        case .nothing:
            next.kept[operation.name] = .sent(id: next.id, isFirst: next.sends == 1)
            next.unsure.insert(code)
            return [unsent, next]
        case .sent(let told, let isFirst):
            guard next.id == nil || told == nil || next.id == told, isFirst == (next.sends == 1) else { return [] }
            next.id = told
            next.kept[operation.name] = operation.told
            return [next]
        default: return []
        }
    }

    private func checked(_ code: String, _ operation: WindowHistory.Operation) -> [WindowModel] {
        switch state {
        case .none, .succeeded: return agreeing(.gone, operation)
        case .usedUp: return agreeing(.tooMany, operation)
        case .open: break
        }
        // No message of the window has left.
        guard sends > 0 else { return agreeing(.failure, operation) + agreeing(.gone, operation) }
        var next = self
        let isRight = codes.contains(code)
        if isRight {
            next.state = .succeeded
        } else {
            next.checksLeft -= 1
            if next.checksLeft == 0 { next.state = .usedUp }
        }
        next.kept[operation.name] = isRight ? .success : .failure
        return next.agreeing(isRight ? .success : .failure, operation)
    }

    private func agreeing(_ told: WindowHistory.Told, _ operation: WindowHistory.Operation) -> [WindowModel] {
        operation.told == .nothing || operation.told == told ? [self] : []
    }
}
