/// How many messages may go unanswered, and for whom (docs/limits.md). The one place where the figures of the model stand.
package struct BucketSizes: Sendable, Equatable {
    package let address: Bucket.Size
    package let network: Bucket.Size
    /// Where a backend does not say whose call it is: all its people are one network.
    package let unnamed: Bucket.Size
    /// An IPv6 /32.
    package let site: Bucket.Size
    package let prefix: Bucket.Size
    /// Messages to a prefix that are not the first to their number.
    package let again: Bucket.Size
    package let country: Bucket.Size
    /// Unknown networks leave so many to the others.
    package let prefixFloor: Double
    package let againFloor: Double
    package let countryFloor: Double

    /// Most people who answer do so within it.
    static let answerTime = Duration.seconds(180)
    /// Numbers that were proven first from a network make it a known one.
    static let proofsOfKnownNetwork = 3
    /// Numbers of one prefix that may be open for a known network, and for an IPv6 /32.
    package static let openOfNetwork = 18
    static let openOfSite = 6
    /// For so long a number counts as open where neither its answer nor an address is seen.
    static let unseenAnswerTime = Duration.seconds(3600)
    /// Messages that a known network may send beyond its own, as a share of its start.
    static let moreOfKnownNetwork = 1.0
    /// Once so many messages to a prefix that are not the first to their number are not answered, an unknown network may have
    /// one of those.
    static let watchedAgain = 1.5
    /// Once such a share of a country's messages is not answered, unknown networks of which so many are not answered get no more.
    static let watchedCountry = 0.25
    static let unansweredWhenWatched = 4.0
    /// So many messages without an answer make a prefix a watched one.
    static let watched = 5.0
    /// A place is told to be open again when so many more may go.
    static let plenty = 10.0
    /// Answers a day of a prefix whose receipts are believed.
    static let answersOfLivePrefix = 1.0

    /// - Parameters: what may go unanswered at first; 0: no limit.
    package init(address: Int = 6, network: Int = 60, prefix: Int = 75, country: Int = 400) {
        func size(_ start: Int, _ perDay: Double, _ days: Double, share: Double = 0.25) -> Bucket.Size {
            Bucket.Size(start: Double(start), perDay: Double(start) * perDay, days: days, share: share)
        }
        self.address = size(address, 1 / 3, 7)
        self.network = size(network, 2 / 60, 7)
        unnamed = size(network * 5 / 3, 8 / 60, 7)
        site = size(network * 10, 8 / 60, 7)
        self.prefix = size(prefix, 2 / 75, 1, share: 0)
        // 0 would be no limit.
        again = size(prefix > 0 ? max(1, prefix / 5) : 0, 1 / 30, 1, share: 0)
        self.country = size(country, 1 / 8, 7)
        prefixFloor = Double(prefix / 3)
        againFloor = Double(prefix * 2 / 15)
        countryFloor = Double(country / 8)
    }

    /// Messages that may still go to a place.
    package func left(of counter: LimitKey.Counter, _ tally: LimitTally?, at now: Timestamp) -> Int {
        Int(Bucket.settled(tally?.bucket, size(of: counter), at: now).tokens.rounded(.down))
    }

    /// Messages that may still go to people of whom an API client names no address, and when the last one went or was
    /// answered; `nil`: none went.
    package func leftWithoutAddress(_ tally: LimitTally?, at now: Timestamp) -> (messages: Int, last: Timestamp)? {
        tally?.bucket.map { (Int(Bucket.settled($0, unnamed, at: now).tokens.rounded(.down)), $0.at) }
    }

    /// Strangers leave so many of it.
    package func floor(of counter: LimitKey.Counter) -> Int {
        Int(counter == .country ? countryFloor : prefixFloor)
    }

    /// A network without a name is all that a client's backend sends without an address.
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
