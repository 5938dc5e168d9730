/// How many messages may go unanswered, and for which callers and destinations (docs/limits.md). All figures of the
/// model are here.
package struct BucketSizes: Sendable, Equatable {
    package let address: Bucket.Size
    package let network: Bucket.Size
    /// All messages of an API client for which its backend names no address count as one network.
    package let unnamed: Bucket.Size
    /// An IPv6 /32.
    package let site: Bucket.Size
    package let prefix: Bucket.Size
    /// Messages to a number of a prefix after the first one to that number.
    package let again: Bucket.Size
    package let country: Bucket.Size
    /// Messages in a bucket that unknown networks must leave to the others.
    package let prefixFloor: Double
    package let againFloor: Double
    package let countryFloor: Double

    /// Most people who answer do so within this time.
    static let answerTime = Duration.seconds(180)
    /// A network is known once this many people first proved their numbers from it.
    static let proofsOfKnownNetwork = 3
    /// Maximum open numbers in one prefix, for a known network and for an IPv6 /32. An open number has not answered
    /// yet.
    package static let openOfNetwork = 18
    static let openOfSite = 6
    /// How long a number counts as open if the server sees neither its answer nor an address.
    static let unseenAnswerTime = Duration.seconds(3600)
    /// Messages that a known network may send beyond its own budget, as a share of its `start`.
    static let moreOfKnownNetwork = 1.0
    /// When this many repeat messages to a prefix are unanswered, an unknown network may have only one of them.
    static let watchedAgain = 1.5
    /// When this share of a country's messages is unanswered, an unknown network with `unansweredWhenWatched`
    /// unanswered messages gets no more there.
    static let watchedCountry = 0.25
    static let unansweredWhenWatched = 4.0
    /// With this many unanswered messages a prefix is watched: each network, or each address of a known network, may
    /// then have one open number there instead of two.
    static let watched = 5.0
    /// The operator is notified that a place is open again when this many tokens above the floor are left.
    static let plenty = 10.0
    /// Answers a day that a prefix must have before the server believes its failed delivery receipts.
    static let answersOfLivePrefix = 1.0

    /// - Parameters: messages that may go unanswered at first; 0: no limit.
    package init(address: Int = 6, network: Int = 60, prefix: Int = 75, country: Int = 400) {
        func size(_ start: Int, _ perDay: Double, _ days: Double, share: Double = 0.25) -> Bucket.Size {
            Bucket.Size(start: Double(start), perDay: Double(start) * perDay, days: days, share: share)
        }
        self.address = size(address, 1 / 3, 7)
        self.network = size(network, 2 / 60, 7)
        unnamed = size(network * 5 / 3, 8 / 60, 7)
        site = size(network * 10, 8 / 60, 7)
        self.prefix = size(prefix, 2 / 75, 1, share: 0)
        // At least 1, because 0 means no limit.
        again = size(prefix > 0 ? max(1, prefix / 5) : 0, 1 / 30, 1, share: 0)
        self.country = size(country, 1 / 8, 7)
        prefixFloor = Double(prefix / 3)
        againFloor = Double(prefix * 2 / 15)
        countryFloor = Double(country / 8)
    }

    /// Messages that may still be sent to a place.
    package func left(of counter: LimitKey.Counter, _ tally: LimitTally?, at now: Timestamp) -> Int {
        Int(Bucket.settled(tally?.bucket, size(of: counter), at: now).tokens.rounded(.down))
    }

    /// Messages that an API client may still send without naming an address, and the time of the last change of that
    /// budget; `nil`: no such message was sent.
    package func leftWithoutAddress(_ tally: LimitTally?, at now: Timestamp) -> (messages: Int, last: Timestamp)? {
        tally?.bucket.map { (Int(Bucket.settled($0, unnamed, at: now).tokens.rounded(.down)), $0.at) }
    }

    /// Messages that unknown networks must leave to the others.
    package func floor(of counter: LimitKey.Counter) -> Int {
        Int(counter == .country ? countryFloor : prefixFloor)
    }

    /// The key of a network without an address stands for everything that a client's backend sends without one.
    package func size(of key: LimitKey) -> Bucket.Size { key.isOfUnnamed ? unnamed : size(of: key.counter) }

    private func size(of counter: LimitKey.Counter) -> Bucket.Size {
        switch counter {
        case .address: address
        case .site: site
        case .prefix: prefix
        case .country: country
        default: network
        }
    }
}
