import Testing

@testable import Possession

/// Messages that may go unanswered: the figures of docs/limits.md.
@Suite struct BucketTests {
    private static let now = Fixture.start
    private static let size = BucketSizes().address

    private static func day(_ days: Double) -> Timestamp { now.adding(.milliseconds(Int64(days * 86_400_000))) }

    @Test func `a new one is full, and time brings back two a day up to the start`() {
        var bucket = Bucket.settled(nil, Self.size, at: Self.now)
        #expect(bucket.tokens == 6)
        for _ in 0..<6 { bucket.take() }
        #expect(bucket.tokens == 0)
        #expect(bucket.time(of: 1, Self.size) == Self.day(0.5))
        #expect(abs(Bucket.settled(bucket, Self.size, at: Self.day(1)).tokens - 2) < 1e-9)
        #expect(Bucket.settled(bucket, Self.size, at: Self.day(90)).tokens == 6)
    }

    @Test func `an answer gives back what was taken, and one more where there is room`() {
        var bucket = Bucket.settled(nil, Self.size, at: Self.now)
        for _ in 0..<4 { bucket.take() }
        bucket.pay(2, Self.size)
        #expect(bucket.tokens == 5)
        bucket.pay(2, Self.size)
        // No more than its start and a week of answers.
        #expect(abs(bucket.tokens - (6 + 7 * 2 * 0.099)) < 0.01)
    }

    /// Two hundred people behind one address that is new (a lecture): the room grows with each round of answers.
    @Test func `room grows with each round of answers`() {
        var bucket = Bucket.settled(nil, Self.size, at: Self.now)
        var rounds: [Int] = []
        for _ in 0..<4 {
            let most = Int(bucket.tokens)
            rounds.append(most)
            for _ in 0..<most { bucket.take() }
            for _ in 0..<most { bucket.pay(1, Self.size) }
        }
        #expect(rounds == [6, 10, 17, 28])
    }

    @Test func `the mean has a half-life of seven days`() {
        var bucket = Bucket.settled(nil, Self.size, at: Self.now)
        for _ in 0..<100 { bucket.pay(1, Self.size) }
        let mean = bucket.mean
        #expect(abs(mean - 9.9) < 0.01)
        for (days, share) in [(7.0, 0.5), (14, 0.25), (3.5, 0.70710678), (70, 0.0009765625), (700, 0)] {
            let later = Bucket.settled(bucket, Self.size, at: Self.day(days)).mean
            #expect(abs(later / mean - share) < 1e-6, "\(days)")
        }
    }

    @Test func `time that goes back returns nothing and takes nothing`() {
        var bucket = Bucket.settled(nil, Self.size, at: Self.now)
        for _ in 0..<6 { bucket.take() }
        let before = Bucket.settled(bucket, Self.size, at: Self.day(-10))
        #expect(before == bucket)
        #expect(Bucket.settled(before, Self.size, at: Self.day(0.5)).tokens == 1)
    }

    /// A damaged row may hold anything: no sum leaves its range.
    @Test(arguments: [-1e9, 1e9]) func `never takes longer than ten years`(tokens: Double) {
        let never = Bucket.Size(start: 0, perDay: 0, days: 1)
        let bucket = Bucket(tokens: tokens, mean: 1e9, at: Self.now)
        #expect(bucket.end(never) <= Self.day(3_650) && bucket.time(of: 1e12, never) <= Self.day(3_650))
    }

    @Test func `is over when it is as good as new`() {
        var bucket = Bucket.settled(nil, Self.size, at: Self.now)
        bucket.take()
        #expect(bucket.end(Self.size) == Self.day(0.5))
        for _ in 0..<20 { bucket.pay(1, Self.size) }
        let end = bucket.end(Self.size)
        let then = Bucket.settled(bucket, Self.size, at: end)
        #expect(then.mean < 0.5 && then.tokens >= 6)
    }

    // MARK: sizes that an operator changes

    private static func size(_ start: Double) -> Bucket.Size {
        Bucket.Size(start: start, perDay: start / 8, days: 7, share: 0.25)
    }

    private static func after(_ messages: Int, of size: Bucket.Size, at now: Timestamp) -> Bucket {
        var bucket = Bucket.settled(nil, size, at: now)
        for _ in 0..<messages { bucket.take() }
        return bucket
    }

    @Test(arguments: [(400.0, 4000.0), (6, 600), (400, 40), (75, 7)])
    func `what went unanswered stays so by another size, and by the first one again`(from: Double, to: Double) {
        let bucket = Self.after(5, of: Self.size(from), at: Self.now)
        let other = Bucket.settled(bucket, Self.size(to), at: Self.now)
        #expect(other.tokens == to - 5)
        #expect(Bucket.settled(other, Self.size(from), at: Self.now).tokens == from - 5)
    }

    @Test func `one that is empty has room at once by a larger size`() {
        let bucket = Self.after(6, of: Self.size(6), at: Self.now)
        #expect(Bucket.settled(bucket, Self.size(600), at: Self.now).tokens == 594)
        #expect(bucket.end(Self.size(600)) > Self.now)
    }

    @Test func `it ends no earlier than its last change, whatever the size`() {
        let bucket = Bucket(tokens: 70, mean: 0, at: Self.now)
        #expect(bucket.end(Self.size(60)) >= Self.now)
    }
}
