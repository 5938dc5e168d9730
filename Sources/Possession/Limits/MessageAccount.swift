internal import Text

/// The keys under which one message counts as unanswered (docs/limits.md), and the budgets that its answer refills. All
/// keys belong to one API client, so that clients neither see nor affect one another.
package struct MessageAccount: Sendable {
    package let target: Target
    let source: MessageSource
    /// Country of the number, if limits of places apply; `nil`: for an e-mail address and a sandbox number.
    let country: String?
    /// Whether this server learns that the person answers. It does not if another server checks the code or the backend
    /// made it. Such a message counts for the caller but not for shared budgets: it would close a prefix where people
    /// do answer.
    let isAnswerKnown: Bool

    private let address: LimitKey?
    let network: LimitKey
    private let site: LimitKey?
    /// Budget of the network for people who have proven their numbers. It has a row once a message was taken from it:
    /// see `unusedForKnown`.
    private let known: LimitKey
    /// Messages that the network has requested in the prefix. For an e-mail address: to that address.
    let inPrefix: LimitKey
    private let siteInPrefix: LimitKey?
    let prefix: LimitKey?
    let countryKey: LimitKey?
    /// The networks that have proven the target.
    let proofs: LimitKey

    init(
        _ target: Target, from source: MessageSource, of tenant: ClientID, country: String?, isAnswerKnown: Bool = true
    ) {
        self.isAnswerKnown = isAnswerKnown
        self.target = target
        self.source = source
        self.country = target.number == nil ? nil : country
        // An unknown person gets a place of its own, so that as much is read and stored as for a number.
        let places = target.isNobody ? target.canonical : self.country
        let beginning = target.number.map { LimitKey.prefix(of: $0) } ?? Array(target.counted.utf8)
        let networkBytes = source.network?.bytes ?? []
        address = source.address.map { LimitKey(.address, of: tenant, $0.bytes) }
        network = LimitKey(.network, of: tenant, networkBytes)
        known = LimitKey(.knownInNetwork, of: tenant, networkBytes)
        // If neither an answer nor an address is seen, count the number apart from numbers that can answer.
        let mark = isAnswerKnown || source.address != nil ? [] : Array("unseen".utf8)
        inPrefix = LimitKey(.networkInPrefix, of: tenant, networkBytes + beginning + mark)
        site = source.site.map { LimitKey(.site, of: tenant, $0.bytes) }
        siteInPrefix =
            places == nil ? nil : source.site.map { LimitKey(.siteInPrefix, of: tenant, $0.bytes + beginning) }
        prefix = places.map { _ in LimitKey(.prefix, of: tenant, beginning) }
        countryKey = places.map { LimitKey(.country, of: tenant, Array($0.utf8)) }
        proofs = LimitKey(.proofs, target, of: tenant)
    }

    /// All keys that must be read.
    var keys: [LimitKey] {
        [network, known, inPrefix, proofs] + [address, site, siteInPrefix, prefix, countryKey].compactMap { $0 }
    }

    /// Everything that a backend sends without an address is one network. It is not counted if answers are unknown too:
    /// nothing would refill its budget.
    private var sources: [LimitKey] {
        isAnswerKnown || source.address != nil ? [address, network, site].compactMap { $0 } : []
    }
    private var place: Int { target.number?.placeInPrefix ?? 0 }

    /// Facts about the person who gets the message.
    struct Standing: Sendable {
        /// The API client knows the person by an identity, a device key or an earlier answer.
        var isKnown = false
        /// The operator vouches for the network.
        var isTrusted = false
    }

    // MARK: may it be sent?

    /// Refuses if too many messages requested by the address or its networks are unanswered.
    ///
    /// Strangers nearby cannot lock out a person whom the API client knows: the network has a separate budget for such
    /// people, which their answers refill. Strangers who try numbers can use up only that budget, and then learn of no
    /// more known people.
    func checkSource(
        _ tallies: LimitTallies, _ standing: Standing, by limits: Limits.OverSessions, at now: Timestamp
    ) throws(LimitHit) {
        if source.address != nil, let earlier = try opened(tallies, at: now) {
            let end = earlier.at.adding(.seconds(86_400))
            if earlier.messages >= limits.unansweredPerNumber, now < end {
                throw LimitHit(.sendsPerNumber, until: end, at: now)
            }
        }
        // A person who has proven the number from this network needs no budget that strangers can use up.
        if isProvenHere(tallies, by: limits, at: now) { return }
        for key in sources {
            guard let full = try full(key, tallies, standing, by: limits, at: now) else { continue }
            if try hasRoomForKnown(tallies, standing, by: limits, at: now) { return }
            let (stored, bucket, most) = (try tallies.read(key).bucket, full.bucket, full.most)
            let hit = LimitHit(
                key.counter.limit, until: bucket.time(of: most, limits.sizes.size(of: key)), at: now)
            // Answers to its last messages may still arrive and refill the budget, so the wait is short.
            guard let last = stored?.at, now < last.adding(BucketSizes.answerTime) else { throw hit }
            throw LimitHit(
                hit.limit, retryAfterSeconds: min(hit.retryAfterSeconds, spread(over: 30...60, at: now)))
        }
    }

    /// The bucket of a source if it cannot pay, and how many tokens it would need; `nil`: it can pay.
    private func full(
        _ key: LimitKey, _ tallies: LimitTallies, _ standing: Standing, by limits: Limits.OverSessions,
        at now: Timestamp
    ) throws(LimitHit) -> (bucket: Bucket, most: Double)? {
        let size = limits.sizes.size(of: key)
        guard size.start > 0 else { return nil }
        let bucket = Bucket.settled(try tallies.read(key).bucket, size, at: now)
        let isKnown = key == network && source.address != nil && isKnownNetwork(tallies, standing, at: now)
        let most = 1 - (isKnown ? size.start * BucketSizes.moreOfKnownNetwork : 0)
        return bucket.tokens < most ? (bucket, most) : nil
    }

    private func hasRoomForKnown(
        _ tallies: LimitTallies, _ standing: Standing, by limits: Limits.OverSessions, at now: Timestamp
    ) throws(LimitHit) -> Bool {
        guard standing.isKnown else { return false }
        let bucket = try tallies.read(known).bucket ?? unusedForKnown(tallies, by: limits, at: now)
        return Bucket.settled(bucket, limits.sizes.size(of: known), at: now).tokens >= 1
    }

    /// The budget for people who have proven their numbers, before a message was taken from it: as much as the answers
    /// to the network's messages allow. Those answers are not counted a second time under `known`.
    private func unusedForKnown(
        _ tallies: LimitTallies, by limits: Limits.OverSessions, at now: Timestamp
    ) -> Bucket {
        let sizes = limits.sizes
        let ofNetwork = Bucket.settled(tallies[network]?.bucket, sizes.size(of: network), at: now)
        return .full(sizes.size(of: known), mean: ofNetwork.mean, at: now)
    }

    /// Refuses if the budget of the prefix or the country is used up. It refuses first a network with too many open
    /// numbers in the prefix, then unknown networks, then all people whom the API client does not know. A message whose
    /// answer stays unknown takes nothing from prefix and country, and is sent while either has anything left.
    func checkPlace(
        _ tallies: LimitTallies, _ standing: Standing, by limits: Limits.OverSessions, at now: Timestamp
    ) throws(LimitHit) {
        guard let prefix, let countryKey, limits.spend.mode != .off, !isProvenHere(tallies, by: limits, at: now)
        else { return }
        let sizes = limits.sizes
        let isKnownSource = isKnownNetwork(tallies, standing, at: now)
        let isKnownNetwork = !isAnswerKnown || isKnownSource
        let stored = try tallies.read(prefix)
        let bucket = Bucket.settled(stored.bucket, sizes.prefix, at: now)
        let isAgain = try opened(tallies, at: now) != nil
        func refuse(_ limit: LimitName) -> LimitHit { LimitHit(limit, retryAfterSeconds: delay(at: now)) }
        if !isAgain, sizes.prefix.start > 0 {
            let isFull = try isPairFull(tallies, standing, bucket, isKnownSource, by: limits, at: now)
            if isFull, !(try hasRoomForKnown(tallies, standing, by: limits, at: now)) {
                throw refuse(.sendsPerNetworkInPrefix)
            }
        }
        if standing.isKnown { return }
        if !isKnownNetwork {
            try checkWatched(tallies, stored, isAgain: isAgain, by: sizes, at: now)
        }
        func isEmpty(_ bucket: Bucket, _ size: Bucket.Size, _ floor: Double) -> Bool {
            size.start > 0 && bucket.tokens < 1 + (isKnownNetwork ? 0 : floor)
        }
        let again = Bucket.settled(stored.again, sizes.again, at: now)
        if isAgain ? isEmpty(again, sizes.again, sizes.againFloor) : isEmpty(bucket, sizes.prefix, sizes.prefixFloor) {
            throw refuse(.prefixClosed)
        }
        let ofCountry = Bucket.settled(try tallies.read(countryKey).bucket, sizes.country, at: now)
        if isEmpty(ofCountry, sizes.country, sizes.countryFloor) { throw refuse(.sendsPerCountry) }
    }

    /// Whether the network, or its IPv6 /32, has the maximum of open numbers in the prefix.
    private func isPairFull(
        _ tallies: LimitTallies, _ standing: Standing, _ ofPrefix: Bucket, _ isKnownSource: Bool,
        by limits: Limits.OverSessions, at now: Timestamp
    ) throws(LimitHit) -> Bool {
        let sizes = limits.sizes
        let base = sizes.prefix.cap(ofPrefix.mean) - ofPrefix.tokens < BucketSizes.watched ? 2 : 1
        let ofNetwork = Bucket.settled(try tallies.read(network).bucket, sizes.size(of: network), at: now)
        let pair = try tallies.read(inPrefix)
        let week = standing.isTrusted ? Double(BucketSizes.openOfNetwork) : ofNetwork.mean * 7
        // Without answers to make room, strangers would block the prefix for a week, so the lifetime is short.
        let lifetime = isAnswerKnown || source.address != nil ? OpenNumber.lifetime : BucketSizes.unseenAnswerTime
        if !pair.admits(from: source, base: base, isKnown: isKnownSource, week: week, lifetime: lifetime, at: now) {
            return true
        }
        guard let siteInPrefix else { return false }
        let tally = try tallies.read(siteInPrefix)
        let (open, answered) = (tally.open.count { now < $0.end }, tally.answered(at: now))
        return open >= max(BucketSizes.openOfSite, answered)
    }

    /// Whether a message to a known person exceeds the budget that the person shares with strangers.
    private func isBeyondRoom(
        _ tallies: LimitTallies, _ standing: Standing, by limits: Limits.OverSessions, at now: Timestamp
    ) throws(LimitHit) -> Bool {
        guard standing.isKnown else { return false }
        for key in sources where try full(key, tallies, standing, by: limits, at: now) != nil { return true }
        guard let prefix, limits.spend.mode != .off, limits.sizes.prefix.start > 0,
            try opened(tallies, at: now) == nil
        else { return false }
        let bucket = Bucket.settled(try tallies.read(prefix).bucket, limits.sizes.prefix, at: now)
        let isKnownSource = isKnownNetwork(tallies, standing, at: now)
        return try isPairFull(tallies, standing, bucket, isKnownSource, by: limits, at: now)
    }

    /// Refuses an unknown network in a watched prefix or country while budget is left, so that a few such networks
    /// cannot use it up.
    private func checkWatched(
        _ tallies: LimitTallies, _ ofPrefix: LimitTally, isAgain: Bool, by sizes: BucketSizes, at now: Timestamp
    ) throws(LimitHit) {
        func used(_ bucket: Bucket, _ size: Bucket.Size) -> Double { size.cap(bucket.mean) - bucket.tokens }
        let again = Bucket.settled(ofPrefix.again, sizes.again, at: now)
        let repeated = try tallies.read(inPrefix).open.reduce(0) { now < $1.end ? $0 + $1.messages - 1 : $0 }
        if isAgain, sizes.again.start > 0, used(again, sizes.again) >= BucketSizes.watchedAgain, repeated > 0 {
            throw LimitHit(.sendsPerNetworkInPrefix, retryAfterSeconds: delay(at: now))
        }
        guard let countryKey, sizes.country.start > 0, sizes.network.start > 0 else { return }
        let ofCountry = Bucket.settled(try tallies.read(countryKey).bucket, sizes.country, at: now)
        let ofNetwork = Bucket.settled(try tallies.read(network).bucket, sizes.network, at: now)
        if used(ofCountry, sizes.country) >= sizes.country.start * BucketSizes.watchedCountry,
            used(ofNetwork, sizes.network) >= BucketSizes.unansweredWhenWatched
        {
            throw LimitHit(.sendsPerCountry, retryAfterSeconds: delay(at: now))
        }
    }

    /// The entry of this number if the network has requested messages to it and it has not answered.
    private func opened(_ tallies: LimitTallies, at now: Timestamp) throws(LimitHit) -> OpenNumber? {
        try tallies.read(inPrefix).open.first { $0.place == place && now < $0.end }
    }

    /// Seconds to wait when other callers have used up the budget: 10 to 20 minutes. It is independent of when budget
    /// returns.
    func delay(at now: Timestamp) -> Int { spread(over: 600...1200, at: now) }

    /// A value in `seconds`, the same one for an hour, so that repeated requests reveal nothing.
    private func spread(over seconds: ClosedRange<Int>, at now: Timestamp) -> Int {
        let hour = now.milliseconds / 3_600_000
        var hash = UInt64(bitPattern: hour) &* 0x9E37_79B9_7F4A_7C15
        for byte in inPrefix.subject { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return seconds.lowerBound + Int((hash >> 33) % UInt64(seconds.count))
    }

    /// The network is known if people have proven numbers from it, or the operator vouches for it, or its address is
    /// unknown.
    func isKnownNetwork(_ tallies: LimitTallies, _ standing: Standing, at now: Timestamp) -> Bool {
        if standing.isTrusted || source.address == nil { return true }
        guard let tally = tallies[network] else { return false }
        return tally.tags(at: now, reach: network.counter.reach).count >= BucketSizes.proofsOfKnownNetwork
    }

    /// Any network has proven the target in the last 90 days.
    func isProven(_ tallies: LimitTallies, at now: Timestamp) -> Bool {
        guard let tally = tallies[proofs] else { return false }
        return !tally.tags(at: now, reach: proofs.counter.reach).isEmpty
    }

    /// The target was proven from the source's network, and not too many messages since then are unanswered. One answer
    /// does not lift the limit for good.
    func isProvenHere(_ tallies: LimitTallies, by limits: Limits.OverSessions, at now: Timestamp) -> Bool {
        guard let proof = proofHere(tallies, at: now) else { return false }
        return proof.count <= limits.unansweredPerNumber
    }

    /// The proof of the target from the source's network. Its count is one for the proof and one for each message
    /// since.
    func proofHere(_ tallies: LimitTallies, at now: Timestamp) -> LimitTally.Entry? {
        guard source.address != nil, let tally = tallies[proofs] else { return nil }
        let tag = source.networkTag
        return tally.entries.first { $0.tag == tag && now < $0.at.adding(proofs.counter.reach) }
    }

    // MARK: what a message takes and an answer returns

    /// Counts a message that is sent.
    func take(
        from tallies: inout LimitTallies, _ standing: Standing, by limits: Limits.OverSessions, at now: Timestamp
    ) {
        if isProvenHere(tallies, by: limits, at: now) {
            let tag = source.networkTag
            return tallies.change(proofs) { $0.addOne { $0.tag == tag } }
        }
        let sizes = limits.sizes
        // The checks have read all keys, so this does not throw.
        let isBeyond = (try? isBeyondRoom(tallies, standing, by: limits, at: now)) ?? false
        let unused = isBeyond ? unusedForKnown(tallies, by: limits, at: now) : nil
        for key in isBeyond ? [known] : sources {
            change(key, in: &tallies, sizes.size(of: key), from: unused, at: now) { bucket, _ in bucket.take() }
        }
        let isCounted = isAnswerKnown && countryKey != nil && !standing.isKnown && limits.spend.mode != .off
        var isAgain = false
        for key in [inPrefix, siteInPrefix].compactMap({ $0 }) {
            tallies.change(key) { tally in
                let isSecond = tally.open(place, address: source.placeInNetwork, isCounted: isCounted, at: now)
                if key == inPrefix { isAgain = isSecond }
            }
        }
        guard isCounted, let prefix, let countryKey else { return }
        change(prefix, in: &tallies, isAgain ? sizes.again : sizes.prefix, isAgain: isAgain, at: now) { $0.take() }
        change(countryKey, in: &tallies, sizes.country, at: now) { $0.take() }
        guard !target.isNobody else { return }
        report(prefix, sizes.prefixFloor, &tallies, by: limits, at: now)
        report(countryKey, sizes.countryFloor, &tallies, by: limits, at: now)
    }

    /// Counts an answer: returns the tokens that the number's messages took, and one more.
    /// - Parameter isNew: the API client did not know the target before.
    func pay(
        into tallies: inout LimitTallies, isNew: Bool, by limits: Limits.OverSessions, at now: Timestamp
    ) {
        let sizes = limits.sizes
        // The answer also covers the messages since the last proof, so the count of that proof starts again.
        if proofHere(tallies, at: now) != nil { note(source.networkTag, under: proofs, in: &tallies, at: now) }
        guard let closed = tallies[inPrefix]?.open.first(where: { $0.place == place && now < $0.end }) else { return }
        for key in sources {
            change(key, in: &tallies, sizes.size(of: key), at: now) { $0.pay(closed.messages, $1) }
        }
        // Where the network's own budget does not count the answer, the other one must.
        if tallies[known]?.bucket != nil || sources.isEmpty {
            let unused = unusedForKnown(tallies, by: limits, at: now)
            change(known, in: &tallies, sizes.size(of: known), from: unused, at: now) { $0.pay(closed.messages, $1) }
        }
        // A person whose identity was deleted is not new if a proof is still recorded.
        let isFirst = isNew && !isProven(tallies, at: now)
        // Only if the network is known: a proof belongs to a network.
        if source.address != nil { note(source.networkTag, under: proofs, in: &tallies, at: now) }
        if isFirst, target.number != nil { note(place, under: network, in: &tallies, at: now) }
        for key in [inPrefix, siteInPrefix].compactMap({ $0 }) {
            tallies.change(key) { $0.close(place, address: source.placeInNetwork, at: now, reach: key.counter.reach) }
        }
        guard closed.counted > 0, let prefix, let countryKey else { return }
        change(prefix, in: &tallies, sizes.prefix, at: now) { $0.pay(1, $1) }
        if closed.counted > 1 {
            change(prefix, in: &tallies, sizes.again, isAgain: true, at: now) { $0.pay(closed.counted - 1, $1) }
        }
        change(countryKey, in: &tallies, sizes.country, at: now) { $0.pay(closed.counted, $1) }
        report(prefix, sizes.prefixFloor, &tallies, by: limits, at: now)
        report(countryKey, sizes.countryFloor, &tallies, by: limits, at: now)
    }

    /// All keys that must be read for a proof by Mobile Auth.
    package var proofKeys: [LimitKey] { [network, proofs] }

    /// Counts a proof by Mobile Auth. No message was sent, so no tokens return and no open number closes.
    /// - Parameter isNew: as for `pay`.
    func noteMobileAuth(in tallies: inout LimitTallies, isNew: Bool, at now: Timestamp) {
        guard source.address != nil, tallies[network] != nil, tallies[proofs] != nil else { return }
        let isFirst = isNew && !isProven(tallies, at: now)
        note(source.networkTag, under: proofs, in: &tallies, at: now)
        if isFirst, target.number != nil { note(place, under: network, in: &tallies, at: now) }
    }

    /// Takes back one message that the person could not answer.
    /// - Parameter isTaken: the carrier accepted the message and later reported it undelivered. A fraudulent carrier
    ///   that is paid for messages could report this too, so prefix and country get tokens back only if people in the
    ///   prefix answer.
    func giveBack(
        to tallies: inout LimitTallies, isTaken: Bool, by limits: Limits.OverSessions, at now: Timestamp
    ) {
        let sizes = limits.sizes
        guard let earlier = tallies[inPrefix]?.open.first(where: { $0.place == place && now < $0.end }) else { return }
        for key in sources {
            change(key, in: &tallies, sizes.size(of: key), at: now) { $0.giveBack(1, $1) }
        }
        for key in [inPrefix, siteInPrefix].compactMap({ $0 }) { tallies.change(key) { $0.takeBack(place) } }
        guard earlier.counted > 0, let prefix, let countryKey else { return }
        if isTaken {
            let people = Bucket.settled(tallies[prefix]?.bucket, sizes.prefix, at: now)
            guard people.mean >= BucketSizes.answersOfLivePrefix else { return }
        }
        let isAgain = earlier.counted > 1
        change(prefix, in: &tallies, isAgain ? sizes.again : sizes.prefix, isAgain: isAgain, at: now) {
            $0.giveBack(1, $1)
        }
        change(countryKey, in: &tallies, sizes.country, at: now) { $0.giveBack(1, $1) }
        report(prefix, sizes.prefixFloor, &tallies, by: limits, at: now)
    }

    private func note(_ tag: Int, under key: LimitKey, in tallies: inout LimitTallies, at now: Timestamp) {
        let most = BucketSizes.proofsOfKnownNetwork
        tallies.change(key) { $0.remember(tag, at: now, reach: key.counter.reach, most: most) }
    }

    /// - Parameter unused: the bucket if none is stored; `nil`: a new one.
    private func change(
        _ key: LimitKey, in tallies: inout LimitTallies, _ size: Bucket.Size, isAgain: Bool = false,
        from unused: Bucket? = nil, at now: Timestamp, _ body: (inout Bucket, Bucket.Size) -> Void
    ) {
        guard size.start > 0 else { return }
        tallies.change(key) { tally in
            var bucket = Bucket.settled((isAgain ? tally.again : tally.bucket) ?? unused, size, at: now)
            body(&bucket, size)
            if isAgain { tally.again = bucket } else { tally.bucket = bucket }
        }
    }

    private func change(
        _ key: LimitKey, in tallies: inout LimitTallies, _ size: Bucket.Size, isAgain: Bool = false,
        at now: Timestamp, _ body: (inout Bucket) -> Void
    ) {
        change(key, in: &tallies, size, isAgain: isAgain, at: now) { bucket, _ in body(&bucket) }
    }

    /// Reports that a place has no budget left for unknown callers, or has plenty again. The two thresholds differ, so
    /// that single messages do not cause a report each.
    private func report(
        _ key: LimitKey, _ floor: Double, _ tallies: inout LimitTallies, by limits: Limits.OverSessions,
        at now: Timestamp
    ) {
        guard let bucket = tallies[key]?.bucket else { return }
        let isScarce = bucket.tokens < floor + 1
        let isPlenty = bucket.tokens >= floor + BucketSizes.plenty
        guard bucket.isTold ? isPlenty : isScarce else { return }
        tallies.change(key) { $0.bucket?.isTold.toggle() }
        let news = LimitTallies.PlaceNews(key: key, at: now, isEnforced: limits.spend.mode == .block)
        if isScarce { tallies.closings.append(news) } else { tallies.openings.append(news) }
    }
}

extension LimitTally {
    /// Whether a network may request messages to one more number of a prefix.
    /// - Parameters:
    ///   - base: open numbers allowed in addition to the answered ones.
    ///   - isKnown: the network is known: the limit `base` then holds for each address, and `week` for all of them
    ///     together.
    ///   - week: answers of the network in a week.
    ///   - lifetime: how long a number stays open after its last message.
    fileprivate func admits(
        from source: MessageSource, base: Int, isKnown: Bool, week: Double, lifetime: Duration, at now: Timestamp
    ) -> Bool {
        let open = open.filter { now < $0.at.adding(lifetime) }
        let answered = answered(at: now)
        guard isKnown else { return open.count < base + answered }
        let room = source.address == nil ? BucketSizes.openOfNetwork : min(Int(week), BucketSizes.openOfNetwork)
        guard open.count < max(base, room, answered) else { return false }
        guard source.address != nil else { return true }
        let own = source.placeInNetwork
        let ownAnswers = entries.reduce(0) {
            $1.tag == own && now < $1.at.adding(OpenNumber.lifetime) ? $0 + $1.count : $0
        }
        return open.count { $0.address == own } < base + ownAnswers
    }

    /// Answers in seven days.
    fileprivate func answered(at now: Timestamp) -> Int { counted(within: OpenNumber.lifetime, at: now) }

    /// Counts a message to a number.
    /// - Returns: whether the number was already open.
    fileprivate mutating func open(_ place: Int, address: Int, isCounted: Bool, at now: Timestamp) -> Bool {
        open.removeAll { now >= $0.end }
        guard let index = open.firstIndex(where: { $0.place == place }) else {
            if open.count >= Self.maxEntries { open.removeFirst() }
            open.append(OpenNumber(place: place, address: address, messages: 1, counted: isCounted ? 1 : 0, at: now))
            return false
        }
        var number = open.remove(at: index)
        number.messages += 1
        if isCounted { number.counted += 1 }
        number.at = max(number.at, now)
        open.append(number)
        return true
    }

    /// Counts the answer of a number.
    fileprivate mutating func close(_ place: Int, address: Int, at now: Timestamp, reach: Duration) {
        open.removeAll { $0.place == place }
        // Rounded to the hour, so that a busy network needs no more entries than a quiet one.
        let hour = Timestamp(milliseconds: now.milliseconds / 3_600_000 * 3_600_000)
        add(Entry(at: hour, tag: address), now: now, reach: reach)
    }

    fileprivate mutating func takeBack(_ place: Int) {
        guard let index = open.firstIndex(where: { $0.place == place }) else { return }
        open[index].messages -= 1
        if open[index].counted > 0 { open[index].counted -= 1 }
        if open[index].messages <= 0 { open.remove(at: index) }
    }

    /// Records the tag at `now`, and keeps only the `most` newest tags.
    fileprivate mutating func remember(_ tag: Int, at now: Timestamp, reach: Duration, most: Int) {
        forget { $0.tag == tag }
        add(Entry(at: now, tag: tag), now: now, reach: reach, joins: false)
        while entries.count > most, let first = entries.first { forget { $0 == first } }
    }
}
