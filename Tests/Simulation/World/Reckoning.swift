internal import StrictJSON

/// The look at what is left, when nothing is wrong any more.
struct Reckoning {
    let world: World
    let backend: Backend

    func look() {
        let ready = HTTPCaller().call("GET", "/readyz", patience: World.patience)
        world.promises.require(ready.status == 200, "the server is ready again when nothing is wrong: \(ready.word)")
        for history in world.histories { look(at: history) }
        for window in world.windows { look(at: window) }
        RequestReckoning(world: world).look()
        OnboardingReckoning(world: world).look()
    }

    private func look(at window: WindowHistory) {
        let longest = (Sim.now - window.began) / 1_000_000_000 + 5 * UInt64(world.lives)
        let mayExpire = world.hasSteppedFar || longest > 500
        let verdict = Linearisation.check(
            window.operations, from: WindowModel(), after: { $0.after($1, mayExpire: mayExpire) })
        switch verdict {
        case .holds: world.figures.histories += 1
        case .tooLong: Sim.note("a history is too long: \(window.number)")
        case .broken:
            for operation in window.operations { Sim.note("  \(operation.line)") }
            world.promises.broken("the calls of a backend's windows can be put in order (\(window.number))")
        }
    }

    private func look(at history: History) {
        // An erased session is gone, and a session that began during the erasure may be gone too.
        guard !history.mayBeErased else { return }
        if !world.hasSteppedFar { backend.note(history) }
        let messages = world.carrier.messages(of: history.correlationID)
        let refused = world.carrier.refused[history.correlationID, default: 0]
        world.promises.require(
            messages.count + refused >= history.acknowledgedSends.count || history.endedAt != nil
                || world.hasSteppedFar,
            "a message that was acknowledged goes out in the end (\(history.correlationID))")
        world.promises.require(
            messages.count <= 3 + refused, "a session sends three messages at most, and sent \(messages.count)")
        if let ended = history.endedAt {
            for message in messages {
                world.promises.require(
                    message.at <= ended + 5_000_000_000,
                    "no message of \(history.correlationID) goes out after its session has ended")
            }
        }
        // Those who share a number's messages with a refusal are looked at by the promises above.
        guard refused == 0 else { return }
        // After a crash time goes on from up to five seconds later, where the machine's clock is behind.
        let longest = (Sim.now - history.began) / 1_000_000_000 + 5 * UInt64(world.lives)
        let mayExpire = world.hasSteppedFar || longest > 100
        let codes = messages.compactMap { history.isLink ? $0.link : $0.code }
        let verdict = Linearisation.check(
            history.operations, from: SessionModel(tries: history.tries, isLink: history.isLink),
            after: {
                $0.after(
                    $1, delivered: codes, mayExpire: mayExpire, mayGiveBack: world.hasSteppedFar && world.lives > 1)
            })
        switch verdict {
        case .holds: world.figures.histories += 1
        case .tooLong: Sim.note("a history is too long: \(history.correlationID)")
        case .broken:
            for operation in history.operations {
                Sim.note(
                    "  \(operation.began / 1_000_000) to \(operation.ended == .max ? "-" : "\(operation.ended / 1_000_000)") \(operation.call) told \(operation.told)"
                )
            }
            Sim.note("  delivered \(codes)")
            world.promises.broken("the calls of a session can be put in order (\(history.correlationID))")
        }
    }
}
