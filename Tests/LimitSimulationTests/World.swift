/// Honest people and attackers before the rules under test, in virtual time.
///
/// A value: after some days of ordinary traffic it is copied, and each copy goes on with another attacker. Honest people do
/// the same in each copy as far as the rules let them.
///
///     var world = World(rules: ReferenceRules(), traffic: Traffic(), seed: 1)
///     world.run(until: 28 * .day)
///     world.begin(Attack(.strangers(50), .prefix), for: 4 * .day)
///     world.run(until: 32 * .day)
struct World<Rules: SendRules>: Sendable {
    enum Event: Sendable {
        /// Somebody new comes; `nil`: in the prefix that is attacked.
        case arrival(country: Int?)
        case returns(country: Int)
        case joinsCrowd
        case asks(person: Int)
        case answers(person: Int, SimulatedSession)
        case receipt(SimulatedSession)
        case attackerActs(Int)
        case attackerAnswers(SimulatedSession)
        case sample
    }

    var rules: Rules
    var traffic: Traffic { didSet { places = Places(traffic, seed: seed) } }
    private(set) var places: Places
    let seed: UInt64
    private(set) var now: Moment = 0
    var queue = EventQueue<Event>()
    var people: [Person] = []
    var attackers: [Attacker] = []
    /// Proven numbers of a country, with the address of the proof.
    private var proven: [[(number: SimulatedNumber, address: CallerAddress)]]
    private var arrivals: [SimulatedRandom]
    private var sessions = 0
    /// How often the target prefix and the target country stood so, every ten minutes of an attack.
    private(set) var prefixTimes = [Int](repeating: 0, count: Standing.allCases.count)
    private(set) var countryTimes = [Int](repeating: 0, count: Standing.allCases.count)
    private var sampleUntil: Moment = 0

    init(rules: Rules, traffic: Traffic, seed: UInt64) {
        self.rules = rules
        self.traffic = traffic
        self.seed = seed
        places = Places(traffic, seed: seed)
        let count = traffic.countries.count
        proven = Array(repeating: [], count: count)
        arrivals = (0..<2 * count + 1).map { SimulatedRandom(seed: seed, stream: -100 - $0) }
        for country in 0..<count {
            addArrival(.arrival(country: country), stream: country)
            addArrival(.returns(country: country), stream: count + 1 + country)
        }
        addArrival(.arrival(country: nil), stream: count)
        guard let crowd = traffic.crowd else { return }
        for person in 0..<crowd.people {
            queue.add(.joinsCrowd, at: crowd.at + Moment(person) * 5 * .minute / Moment(crowd.people))
        }
    }

    mutating func run(until end: Moment) {
        while let at = queue.nextAt, at < end, let (_, event) = queue.removeFirst() {
            now = at
            handle(event)
        }
        now = end
    }

    private mutating func handle(_ event: Event) {
        let count = traffic.countries.count
        switch event {
        case .arrival(let country):
            addArrival(event, stream: country ?? count)
            arrive(in: country)
        case .returns(let country):
            addArrival(event, stream: count + 1 + country)
            comeBack(in: country)
        case .joinsCrowd: joinCrowd()
        case .asks(let person): ask(person)
        case .answers(let person, let session): answer(person, session)
        case .receipt(let session): rules.undelivered(session, at: now)
        case .attackerActs(let index):
            act(index)
            if now < attackers[index].end { queue.add(event, at: now + Self.patience) }
        case .attackerAnswers(let session): rules.answered(session, at: now)
        case .sample: sample()
        }
    }

    mutating func newSession(
        _ number: SimulatedNumber, from address: CallerAddress?, client: Int = 0, proof: SimulatedSession.Proof? = nil
    ) -> SimulatedSession {
        sessions += 1
        return SimulatedSession(id: sessions, client: client, number: number, address: address, proof: proof)
    }

    // MARK: honest people

    /// Adds the next arrival of a stream: a Poisson process whose rate follows the hours of the day.
    private mutating func addArrival(_ event: Event, stream: Int) {
        let count = traffic.countries.count
        let perDay =
            switch stream {
            case count: traffic.peopleOfTargetADay
            case ..<count: traffic.countries[stream].newPeopleADay
            default: traffic.countries[stream - count - 1].newPeopleADay * traffic.returningShare
            }
        guard perDay > 0 else { return }
        // So much of the expected number of people has to pass.
        var left = arrivals[stream].exponential()
        var at = now
        while true {
            let hourEnd = (at / .hour + 1) * .hour
            let surge = traffic.surges.first { $0.from <= at && at < $0.to }?.factor ?? 1
            let rate = perDay * Traffic.hours[Int(at / .hour % 24)] * surge / Double(Moment.day)
            let inHour = rate * Double(hourEnd - at)
            guard left > inHour else { return queue.add(event, at: at + Int64(left / max(rate, 1e-12))) }
            left -= inHour
            at = hourEnd
        }
    }

    private mutating func arrive(in country: Int?) {
        var random = SimulatedRandom(seed: seed, stream: people.count + 1)
        let home = country ?? traffic.target
        let number =
            country.map { places.number(in: $0, &random) } ?? places.targetNumber(&random)
        var person = Person(
            number: number, address: places.personAddress(in: home, &random), arrivedAt: now, proof: nil, random: random
        )
        if person.random.happens(traffic.mistypes) {
            person.wrongNumber =
                person.random.happens(traffic.mistypesInPrefix)
                ? places.number(number.prefix, home, &person.random) : places.anyNumber(in: home, &person.random)
        }
        people.append(person)
        ask(people.count - 1)
    }

    private mutating func joinCrowd() {
        guard let crowd = traffic.crowd else { return }
        var random = SimulatedRandom(seed: seed, stream: people.count + 1)
        let number = crowd.isOfOnePrefix ? places.targetNumber(&random) : places.number(in: traffic.target, &random)
        var person = Person(
            number: number, address: places.strangeAddress(50_000, host: random.below(crowd.addresses)), arrivedAt: now,
            proof: nil, random: random)
        (person.isOfCrowd, person.minutesOfPatience) = (true, 20)
        people.append(person)
        ask(people.count - 1)
    }

    private mutating func comeBack(in country: Int) {
        var random = SimulatedRandom(seed: seed, stream: people.count + 1)
        guard !proven[country].isEmpty else { return }
        let (number, address) = proven[country][random.below(proven[country].count)]
        let isAtHome = random.happens(0.7)
        people.append(
            Person(
                number: number, address: isAtHome ? address : places.personAddress(in: country, &random),
                arrivedAt: now, proof: SimulatedSession.Proof(address: traffic.hidesAddresses ? nil : address),
                random: random))
        ask(people.count - 1)
    }

    private mutating func ask(_ index: Int) {
        let person = people[index]
        var session = newSession(
            person.numberNow, from: traffic.hidesAddresses ? nil : person.address, proof: person.proof)
        // The second message belongs to the session of the first.
        if person.messages > 0 {
            session = SimulatedSession(
                id: person.session, client: session.client, number: session.number, address: session.address,
                proof: session.proof)
        }
        people[index].session = session.id
        switch rules.ask(session, at: now) {
        case .refused(let limit): refuse(index, limit)
        case .sent:
            if person.refusals > 0 { people[index].waited = now - person.arrivedAt }
            receive(index, session)
        }
    }

    private mutating func refuse(_ index: Int, _ limit: SimulatedLimit) {
        let refusals = people[index].refusals
        people[index].refusals += 1
        if people[index].minutesOfPatience > 0 {
            people[index].minutesOfPatience -= 1
            return queue.add(.asks(person: index), at: now + people[index].random.between(.minute / 2, .minute))
        }
        let chance = refusals < traffic.comesBack.count ? traffic.comesBack[refusals] : 0
        guard people[index].random.happens(chance) else {
            people[index].lockedOutBy = limit
            return
        }
        queue.add(.asks(person: index), at: now + people[index].random.between(8 * .minute, 25 * .minute))
    }

    private mutating func receive(_ index: Int, _ session: SimulatedSession) {
        if people[index].wrongNumber != nil {
            // Nobody answers; the person sees the mistake.
            people[index].wrongNumber = nil
            queue.add(.asks(person: index), at: now + people[index].random.between(.minute, 3 * .minute))
            return
        }
        people[index].messages += 1
        let isFirst = people[index].messages == 1
        let isLost = traffic.outage?.contains(now) ?? false
        if isLost, people[index].random.happens(traffic.receipts) {
            queue.add(.receipt(session), at: now + people[index].random.between(5 * .second, 50 * .second))
        }
        let chance = isFirst ? traffic.conversion : traffic.answersSecond
        if people[index].random.happens(people[index].isNew ? chance : 0.95), !isLost {
            let wait = Double(traffic.answerTime) * people[index].random.exponential()
            queue.add(.answers(person: index, session), at: now + 4 * .second + Int64(wait))
        } else if isFirst, people[index].random.happens(traffic.asksOnceMore) {
            queue.add(.asks(person: index), at: now + people[index].random.between(.minute, 2 * .minute))
        }
    }

    private mutating func answer(_ index: Int, _ session: SimulatedSession) {
        let person = people[index]
        rules.answered(session, at: now)
        if person.isNew { proven[person.number.country].append((person.number, person.address)) }
        // Attackers see at once that a place may be free: the worst case.
        for attacker in attackers.indices where person.number.country == traffic.target { act(attacker) }
    }

    // MARK: attackers

    /// Starts an attack now. - Parameter duration: how long it tries.
    mutating func begin(_ attack: Attack, for duration: Moment) {
        let attacker = Attacker(
            attack, end: now + duration, places: places, seed: seed ^ UInt64(1000 + attackers.count))
        attackers.append(attacker)
        queue.add(.attackerActs(attackers.count - 1), at: now)
    }

    /// Notes how the target stands from now on.
    mutating func watchTarget(until end: Moment) {
        sampleUntil = end
        queue.add(.sample, at: now)
    }

    private mutating func sample() {
        let number = SimulatedNumber(digits: traffic.targetPrefix * 10_000, country: traffic.target)
        prefixTimes[rules.standing(ofPrefixOf: number, client: 0, at: now).rawValue] += 1
        countryTimes[rules.standing(ofCountryOf: number, client: 0, at: now).rawValue] += 1
        if now + 10 * .minute < sampleUntil { queue.add(.sample, at: now + 10 * .minute) }
    }
}
