extension World {
    /// How often an attacker tries without a sign that a place is free.
    static var patience: Moment { 3 * .minute }

    /// Tries with each source that may, until a limit that holds for all of them.
    mutating func act(_ index: Int) {
        guard now < attackers[index].end else { return }
        attackers[index].wake(at: now)
        trySeconds(index)
        tryFirsts(index)
    }

    private mutating func tryFirsts(_ index: Int) {
        var triesLeft = attackers[index].readyCount
        var prefixesLeft = 20
        while triesLeft > 0, attackers[index].mayGoOn, let source = attackers[index].takeSource() {
            triesLeft -= 1
            let isOwn = attackers[index].random.happens(attackers[index].attack.ownShare)
            let number = attackers[index].nextNumber(places)
            let session = newSession(
                number, from: attackers[index].address(of: source, places), client: attackers[index].attack.client)
            switch rules.ask(session, at: now) {
            case .sent:
                sent(session, by: index, isOwn: isOwn)
                attackers[index].putBack(source)
                triesLeft += 1
            case .refused(let limit) where limit.isShared:
                attackers[index].putBack(source)
                prefixesLeft -= 1
                if attackers[index].isOfOnePrefix || limit == .country || prefixesLeft == 0 { return }
            case .refused(let limit):
                attackers[index].rest(source, until: now + attackers[index].rest(after: limit))
            }
        }
    }

    private mutating func sent(_ session: SimulatedSession, by index: Int, isOwn: Bool) {
        attackers[index].useNumber()
        attackers[index].sentAt.append(now)
        if isOwn {
            queue.add(.attackerAnswers(session), at: now + 20 * .second)
        } else {
            attackers[index].seconds.add(session, at: now + 61 * .second)
        }
    }

    /// More messages to numbers that have had one, oldest first, until one is refused.
    private mutating func trySeconds(_ index: Int) {
        while let due = attackers[index].seconds.nextAt, due <= now, attackers[index].mayGoOn,
            let (_, session) = attackers[index].seconds.removeFirst()
        {
            switch rules.ask(session, at: now) {
            case .sent:
                attackers[index].sentAt.append(now)
                attackers[index].seconds.add(session, at: now + 5 * .minute)
            case .refused(let limit):
                attackers[index].seconds.add(session, at: now + (limit.isShared ? 10 * .minute : 2 * .hour))
                if limit.isShared { return }
            }
        }
    }

    /// Makes an attacker's networks known: numbers of its own answer from each of them, spread over the country.
    mutating func proveOwnNumbers(of attack: Attack) {
        var attacker = Attacker(attack, end: now, places: places, seed: seed ^ 1000)
        var seen: Set<UInt64> = []
        for source in attacker.sources.indices {
            guard let address = attacker.sources[source].address, seen.insert(address.network).inserted else {
                continue
            }
            for _ in 0..<attack.ownNumbersForEachNetwork {
                let number = places.anyNumber(in: traffic.target, &attacker.random)
                let session = newSession(number, from: address, client: attack.client)
                if rules.ask(session, at: now) == .sent {
                    queue.add(.attackerAnswers(session), at: now + 20 * .second)
                }
                run(until: now + 2 * .minute)
            }
        }
    }
}
