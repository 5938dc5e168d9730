/// Budget of messages that may go unanswered: a bucket of tokens (docs/limits.md). A message takes one token. An answer
/// returns that token and one more, and some tokens return with time. A value without clock or I/O.
package struct Bucket: Sendable, Equatable {
    /// Messages that may still be sent.
    package internal(set) var tokens: Double
    /// Answers a day, with a half-life of seven days.
    package internal(set) var mean: Double
    /// The time at which `tokens` and `mean` were last brought up to date.
    package internal(set) var at: Timestamp
    /// The operator was notified that the bucket is nearly empty, and not yet that it has plenty of tokens again.
    package internal(set) var isTold: Bool
    /// Tokens that a new bucket had by the limits in force when this one was last changed; `nil`: by the current
    /// limits.
    package internal(set) var start: Double?

    package init(tokens: Double, mean: Double, at: Timestamp, isTold: Bool = false, start: Double? = nil) {
        self.start = start
        self.tokens = tokens
        self.mean = mean
        self.at = at
        self.isTold = isTold
    }

    /// How much a bucket holds, and how fast it fills.
    package struct Size: Sendable, Equatable {
        /// Tokens of a new bucket; 0: there is no limit.
        package let start: Double
        /// Tokens that return in a day.
        package let perDay: Double
        /// The cap is `start` plus this many days of answers.
        package let days: Double
        /// The share of a day's answers that returns each day, in addition to `perDay`.
        package let share: Double

        package init(start: Double, perDay: Double, days: Double, share: Double = 0.25) {
            self.start = start
            self.perDay = perDay
            self.days = days
            self.share = share
        }

        /// The most that it holds.
        func cap(_ mean: Double) -> Double { start + days * mean }
    }

    private static let millisecondsPerDay = 86_400_000.0
    private static let halfLife = 7.0
    /// Maximum days to wait that a bucket reports, whatever its stored row holds.
    private static let mostDays = 3_650.0
    /// The amount that one answer adds to the mean: ln 2 / 7.
    private static let step = 0.099_021_025_794_277_5
    /// When the mean falls below this, the bucket can be deleted.
    private static let leastMean = 0.5

    /// The bucket at `now`. Without a stored bucket, a full one. If the clock went back, no tokens return.
    static func settled(_ bucket: Bucket?, _ size: Size, at now: Timestamp) -> Bucket {
        guard var bucket else { return full(size, mean: 0, at: now) }
        bucket.resize(to: size)
        let days = Double(now.milliseconds - bucket.at.milliseconds) / millisecondsPerDay
        guard days > 0 else { return bucket }
        bucket.mean *= half(days / halfLife)
        bucket.tokens += days * (size.perDay + bucket.mean * size.share)
        bucket.tokens = min(bucket.tokens, size.cap(bucket.mean))
        bucket.at = now
        return bucket
    }

    static func full(_ size: Size, mean: Double, at now: Timestamp) -> Bucket {
        Bucket(tokens: size.cap(mean), mean: mean, at: now, start: size.start)
    }

    /// 0.5 to the power of `count`, which is not negative.
    private static func half(_ count: Double) -> Double {
        guard count < 60 else { return 0 }
        let whole = count.rounded(.down)
        // The series of the exponential function, for an argument of at most ln 2.
        let x = -(count - whole) * 0.693_147_180_559_945_3
        var (sum, term) = (1.0, 1.0)
        for n in 1...10 {
            term *= x / Double(n)
            sum += term
        }
        return Double(sign: .plus, exponent: -Int(whole), significand: sum)
    }

    mutating func take() { tokens -= 1 }

    /// Applies the current size, if an operator has changed it. The number of messages already unanswered stays the
    /// same.
    private mutating func resize(to size: Size) {
        if let start { tokens += size.start - start }
        start = size.start
    }

    /// Returns the tokens that messages took, when no answer was received.
    mutating func giveBack(_ messages: Int, _ size: Size) {
        tokens = min(tokens + Double(messages), size.cap(mean))
    }

    /// Counts an answer: returns the tokens of its messages, and one more.
    mutating func pay(_ messages: Int, _ size: Size) {
        mean += Self.step
        giveBack(messages + 1, size)
    }

    /// When the bucket will hold `wanted` tokens if no message is sent and no answer arrives.
    func time(of wanted: Double, _ size: Size) -> Timestamp {
        guard tokens < wanted else { return at }
        let days = min((wanted - tokens) / max(size.perDay, 0.001), Self.mostDays)
        return at.adding(.milliseconds(Int64((days * Self.millisecondsPerDay).rounded(.up))))
    }

    /// When the bucket is the same as a new one, so that it can be deleted.
    func end(_ size: Size) -> Timestamp {
        var bucket = self
        bucket.resize(to: size)
        var days = max(0, (size.cap(mean) - bucket.tokens) / max(size.perDay, 0.001))
        var left = mean
        while left > Self.leastMean {
            left /= 2
            days += Self.halfLife
        }
        days = min(days, Self.mostDays)
        return at.adding(.milliseconds(Int64((days * Self.millisecondsPerDay).rounded(.up))))
    }
}
