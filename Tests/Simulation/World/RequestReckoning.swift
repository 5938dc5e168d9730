/// The look at the requests of OTPLESS's calls, when nothing is wrong any more.
struct RequestReckoning {
    let world: World

    private static let lifetime: UInt64 = 61_000_000_000

    func look() {
        moveOn()
        redeemLate()
        for history in world.requests { look(at: history) }
    }

    /// Asks as apps do until every channel has had its time: then either one has the code, or all have failed.
    private func moveOn() {
        let open = world.requests.filter { $0.app != nil && !$0.isOver && world.carrier.refused[$0.id] == nil }
        guard !open.isEmpty, !world.hasSteppedFar else { return }
        let visit = RequestVisit(world: world)
        for _ in Ways.channels {
            for history in open { visit.repeated(.read, history) }
            Sim.sleep(milliseconds: (Ways.secondsPerChannel + 1) * 1000)
        }
        for history in open {
            let told = visit.once(.read, history)
            switch world.carrier.ways.end(of: history.id, number: history.number) {
            case .failed:
                world.figures.exhausted += 1
                world.promises.require(
                    told != .pending, "an app is told once every channel has failed (\(history.id))")
            case .waits:
                world.promises.require(
                    told != .everythingFailed, "an app waits while a channel has the code (\(history.id))")
            case .unknown: break
            }
        }
    }

    /// Codes that browsers were given a minute ago are not valid any more.
    private func redeemLate() {
        let open = world.requests.filter { !$0.isOver && !$0.givenCodes.isEmpty }
        guard !open.isEmpty else { return }
        Sim.sleep(milliseconds: Int(Self.lifetime / 1_000_000))
        let visit = RequestVisit(world: world)
        for history in open {
            for code in history.givenCodes.suffix(1) { visit.repeated(.redeem(code: code, isOwn: true), history) }
        }
    }

    private func look(at history: RequestHistory) {
        // Those whose message the carrier refused are looked at by the promises above.
        guard world.carrier.refused[history.id] == nil else { return }
        let longest = (Sim.now - history.began) / 1_000_000_000 + 5 * UInt64(world.lives)
        let known = RequestModel.World(
            codes: Set(world.carrier.messages(of: history.id).compactMap(\.code)),
            mayExpire: world.hasSteppedFar || longest > 200, ahead: world.ahead + 5_000_000_000 * UInt64(world.lives),
            movesOn: world.carrier.ways.taken.contains { $0.correlationID == history.id })
        let verdict = Linearisation.check(history.operations, from: RequestModel(), after: { $0.after($1, known) })
        switch verdict {
        case .holds: world.figures.histories += 1
        case .tooLong: Sim.note("a history is too long: \(history.id)")
        case .broken:
            for operation in history.operations { Sim.note("  \(operation.line)") }
            world.promises.broken("the calls of a request can be put in order (\(history.id))")
        }
    }
}
