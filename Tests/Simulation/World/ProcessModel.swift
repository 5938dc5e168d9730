/// How a process behaves when calls come one after another: its newest code ends it with one activation, five tries over all
/// of its codes end it without. Written from the documentation, without a word of the server's code.
struct ProcessModel: Hashable {
    private enum State: Hashable { case open, finished, failed }

    static let tries = 5

    private var state = State.open
    private var triesLeft = tries

    struct World {
        /// The codes that arrived at the phone, and when.
        let codes: [(code: String, at: UInt64)]
        /// The process or its code may have outlived its time.
        let mayExpire: Bool
        /// The carrier refused a message of it, or said so: its code is none then.
        let isDisturbed: Bool
        /// Calls that may have replaced its code since.
        let unsureSends: [UInt64]
    }

    /// All ways in which the next call can go that agree with what its caller was told.
    func after(_ operation: ProcessHistory.Operation, _ world: World) -> [ProcessModel] {
        var befores = [self]
        if world.mayExpire, state == .open {
            var expired = self
            expired.state = .failed
            befores.append(expired)
        }
        return befores.flatMap { $0.step(operation, world) }
    }

    private func step(_ operation: ProcessHistory.Operation, _ world: World) -> [ProcessModel] {
        let isOpen = state == .open
        switch operation.call {
        case .start: return agreeing(isOpen ? [.activating] : [], operation)
        case .replace: return agreeing(isOpen ? [] : [.over], operation)
        case .resend: return agreeing(isOpen ? [.done, .tooSoon] : [.over], operation)
        case .malformed: return agreeing([.refused(triesLeft: isOpen ? triesLeft : 0)], operation)
        case .activate(let code): return activated(code, operation, world)
        case .broken:
            guard isOpen else { return agreeing([.brokenOrder], operation) }
            let uncharged = world.mayExpire || world.isDisturbed ? agreeing([.brokenOrder], operation) : []
            return uncharged + charged.agreeing([.brokenOrder], operation)
        case .cleanUp:
            var next = self
            if isOpen { next.state = .failed }
            return next.agreeing([.done], operation)
        case .read:
            switch state {
            case .open: return agreeing([.activating], operation)
            case .finished: return agreeing([.finished], operation)
            case .failed: return agreeing([.failed], operation)
            }
        }
    }

    private var charged: ProcessModel {
        var next = self
        next.triesLeft -= 1
        if next.triesLeft == 0 { next.state = .failed }
        return next
    }

    private func activated(
        _ code: String, _ operation: ProcessHistory.Operation, _ world: World
    ) -> [ProcessModel] {
        guard state == .open else { return agreeing([.refused(triesLeft: 0)], operation) }
        let wrong = charged
        let wrongWay = wrong.agreeing([.refused(triesLeft: wrong.triesLeft)], operation)
        // It is late, or no code is awaited.
        let uncharged =
            world.mayExpire || world.isDisturbed ? agreeing([.refused(triesLeft: triesLeft)], operation) : []
        guard let index = world.codes.lastIndex(where: { $0.code == code }) else { return wrongWay + uncharged }
        let later = world.codes[(index + 1)...]
        let mayBeReplaced =
            !later.isEmpty || world.isDisturbed || world.unsureSends.contains { $0 < operation.ended }
        let isReplaced = later.contains { $0.at <= operation.began } && !world.isDisturbed
        var ways = uncharged
        if mayBeReplaced { ways += wrongWay }
        if !isReplaced {
            var right = self
            right.state = .finished
            if operation.told == .nothing { ways.append(right) }
            if case .made = operation.told { ways.append(right) }
        }
        return ways
    }

    private func agreeing(
        _ told: [ProcessHistory.Told], _ operation: ProcessHistory.Operation
    ) -> [ProcessModel] {
        operation.told == .nothing || told.contains(operation.told) ? [self] : []
    }
}
