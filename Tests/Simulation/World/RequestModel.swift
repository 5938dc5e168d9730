/// How a request behaves when calls come one after another: any of its codes ends it, five may be wrong, a tap proves nothing,
/// and what it gives the browser ends the request once, within 60 seconds, by its own API client. Written from the contract,
/// without a word of the server's code.
struct RequestModel: Hashable {
    private enum State: Hashable { case open, succeeded, over }

    /// Result of the newest tap.
    private struct Given: Hashable {
        /// `nil`: its browser was never told.
        let code: String?
        let began: UInt64
        let ended: UInt64
    }

    static let checks = 5
    static let sends = 5
    private static let lifetime: UInt64 = 60_000_000_000

    private var state = State.open
    private var checksLeft = checks
    private var sendsLeft = sends - 1
    private var given: Given?

    struct World {
        /// The codes that arrived at the phone.
        let codes: Set<String>
        /// Requests, and the codes of their links, may have outlived their time.
        let mayExpire: Bool
        /// Nanoseconds by which the server's time may have run ahead of the world's.
        let ahead: UInt64
        /// The next message may be one that an app did not ask for.
        let movesOn: Bool
    }

    /// All ways in which the next call can go that agree with what its caller was told.
    func after(_ operation: RequestHistory.Operation, _ world: World) -> [RequestModel] {
        var befores = [self]
        if world.mayExpire, state == .open {
            var expired = self
            expired.state = .over
            befores.append(expired)
        }
        return befores.flatMap { $0.step(operation, world) }
    }

    private func step(_ operation: RequestHistory.Operation, _ world: World) -> [RequestModel] {
        switch operation.call {
        case .read: return reading(operation)
        case .resend: return resent(operation, world)
        case .check(let code): return checked(code, operation, world)
        case .tap: return tapped(operation)
        case .redeem(let code, let isOwn): return redeemed(code, isOwn, operation, world)
        }
    }

    private func reading(_ operation: RequestHistory.Operation) -> [RequestModel] {
        switch operation.told {
        case .pending, .everythingFailed: state == .open ? [self] : []
        case .succeeded: state == .succeeded ? [self] : []
        case .declined: state == .over ? [self] : []
        default: [self]
        }
    }

    private func resent(_ operation: RequestHistory.Operation, _ world: World) -> [RequestModel] {
        guard state == .open else { return agreeing([.over], operation) }
        var next = self
        next.sendsLeft -= 1
        // Channels that said nothing have taken messages too.
        let usedUp = sendsLeft == 0 || world.movesOn ? agreeing([.usedUp], operation) : []
        return usedUp + (sendsLeft > 0 ? next.agreeing([.done], operation) : [])
    }

    private func checked(
        _ code: String, _ operation: RequestHistory.Operation, _ world: World
    ) -> [RequestModel] {
        guard state == .open else { return agreeing([.over], operation) }
        // The newest code is late, and another may come.
        let late = world.mayExpire ? agreeing([.over], operation) : []
        var wrong = self
        wrong.checksLeft -= 1
        if wrong.checksLeft == 0 { wrong.state = .over }
        guard world.codes.contains(code) else { return late + wrong.agreeing([.refused], operation) }
        var right = self
        right.state = .succeeded
        // An earlier code may be late by itself.
        return late + right.agreeing([.done], operation)
            + (world.mayExpire ? wrong.agreeing([.refused], operation) : [])
    }

    private func tapped(_ operation: RequestHistory.Operation) -> [RequestModel] {
        guard state == .open else { return agreeing([.refused], operation) }
        var next = self
        var code: String?
        switch operation.told {
        case .gave(let given): code = given
        case .nothing: break
        default: return []
        }
        next.given = Given(code: code, began: operation.began, ended: operation.ended)
        return [next]
    }

    private func redeemed(
        _ code: String, _ isOwn: Bool, _ operation: RequestHistory.Operation, _ world: World
    ) -> [RequestModel] {
        guard isOwn, state == .open, let given, given.code == code else { return agreeing([.refused], operation) }
        var ways: [RequestModel] = []
        // The server's time is a hundredth slower than the world's at most.
        let least = operation.began > given.ended ? (operation.began - given.ended) / 100 * 99 : 0
        if least < Self.lifetime {
            var next = self
            next.state = .succeeded
            ways += next.agreeing([.done], operation)
        }
        let end = operation.ended == .max ? operation.began : operation.ended
        let most = end - min(end, given.began) + world.ahead
        if most >= Self.lifetime || world.mayExpire { ways += agreeing([.refused], operation) }
        return ways
    }

    private func agreeing(
        _ told: [RequestHistory.Told], _ operation: RequestHistory.Operation
    ) -> [RequestModel] {
        operation.told == .nothing || told.contains(operation.told) ? [self] : []
    }
}
