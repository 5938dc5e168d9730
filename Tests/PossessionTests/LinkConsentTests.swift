import Possession
import Testing

@Suite struct LinkConsentTests {
    private static let now = Fixture.start
    private static let later = now.adding(.seconds(5))

    /// Holds the value, so that an expectation can change it.
    private final class Pair {
        var consent = LinkConsent()

        init(_ scopes: [String]...) {
            for scopes in scopes { #expect(ask(scopes) == .asked) }
        }

        var requests: [LinkConsent.Request] { consent.requests }
        var standing: [[String]] { requests.filter { $0.state == .standing }.map(\.scopes) }

        func ask(_ scopes: [String]) -> LinkConsent.AskOutcome { consent.ask(scopes, at: LinkConsentTests.now) }
        func accept(_ scopes: [String]?) -> LinkConsent.AcceptOutcome {
            consent.accept(scopes, at: LinkConsentTests.later)
        }
        func withdraw() -> Bool { consent.withdraw() }
        func decline() -> Bool { consent.decline() }
    }

    @Test func `the first request stands when the other side agrees without naming scopes`() {
        let pair = Pair(["loyalty"], ["everything"])
        #expect(pair.accept(nil) == .accepted)
        #expect(pair.standing == [["loyalty"]])
        #expect(pair.requests.map(\.acceptedAt) == [Self.later, nil])
        // Agreeing once more must not widen it.
        #expect(pair.accept(nil) == .accepted)
        #expect(pair.standing == [["loyalty"]])
    }

    @Test func `named scopes choose their request, in any order, and no other`() {
        let pair = Pair(["a"], ["b", "c"])
        #expect(pair.accept(["b"]) == .unknown)
        #expect(pair.accept([]) == .unknown)
        #expect(pair.accept(["c", "b"]) == .accepted)
        #expect(pair.standing == [["b", "c"]])
        #expect(pair.accept(["a"]) == .accepted)
        #expect(pair.standing == [["a"]], "one link at a time")
    }

    @Test func `scopes are compared byte for byte`() {
        let pair = Pair(["caf\u{e9}"])
        #expect(pair.accept(["cafe\u{301}"]) == .unknown)
        #expect(pair.ask(["cafe\u{301}"]) == .asked)
        #expect(pair.requests.count == 2)
    }

    @Test func `a request that was taken back cannot be agreed to`() {
        let pair = Pair(["a"])
        #expect(pair.withdraw())
        #expect(!pair.withdraw() && !pair.consent.isSeen)
        #expect(pair.accept(nil) == .unknown)
        #expect(pair.accept(["a"]) == .unknown)
        #expect(pair.ask(["a"]) == .asked)
        #expect(pair.accept(nil) == .accepted, "the same as before")
    }

    @Test func `other scopes after one was taken back must be named`() {
        let pair = Pair(["loyalty"])
        #expect(pair.withdraw())
        #expect(pair.ask(["everything"]) == .asked)
        #expect(pair.accept(nil) == .scopesNeeded)
        #expect(pair.standing == [])
        var named = pair.consent
        let outcome = named.accept(["everything"], at: Self.now)
        #expect(outcome == .accepted)
        // Declining ends the doubt.
        #expect(pair.decline())
        #expect(pair.ask(["everything"]) == .asked)
        #expect(pair.accept(nil) == .accepted)
    }

    @Test func `a standing link keeps its scopes, and counts as taken back when the asker ends it`() {
        let pair = Pair(["a"])
        #expect(pair.accept(nil) == .accepted)
        #expect(pair.ask(["a"]) == .asked)
        #expect(pair.ask(["b"]) == .alreadyLinked)
        #expect(pair.withdraw())
        #expect(pair.ask(["b"]) == .asked)
        #expect(pair.accept(nil) == .scopesNeeded)
    }

    @Test func `five requests wait, and no more until the other side decides`() {
        let pair = Pair(["1"], ["2"], ["3"], ["4"], ["5"])
        #expect(pair.ask(["6"]) == .tooMany)
        #expect(pair.ask(["5"]) == .asked)
        #expect(pair.withdraw())
        #expect(pair.ask(["6"]) == .tooMany)
        #expect(!pair.decline())
        #expect(pair.ask(["1"]) == .asked)
        #expect(pair.decline())
        #expect(pair.ask(["6"]) == .asked)
    }

    /// Every way in which an asker can ask, ask for something else and take back around the other side's look.
    @Test func `what is agreed to without scopes is what the last look showed first`() {
        enum Step: CaseIterable { case askX, askY, withdraw, look, accept }
        func play(_ steps: [Step]) {
            let pair = Pair()
            var shown: [String]?
            for step in steps {
                switch step {
                case .askX: _ = pair.ask(["x"])
                case .askY: _ = pair.ask(["y"])
                case .withdraw: _ = pair.withdraw()
                case .look:
                    // A standing link is what was agreed to already.
                    shown =
                        (pair.requests.first { $0.state == .standing } ?? pair.requests.first(where: \.isWaiting))?
                        .scopes
                case .accept:
                    guard let shown, pair.accept(nil) == .accepted else { continue }
                    #expect(pair.standing == [shown], "\(steps)")
                }
            }
        }
        var all: [[Step]] = [[]]
        for _ in 0..<6 { all = all.flatMap { steps in Step.allCases.map { steps + [$0] } } }
        for steps in all { play(steps) }
    }
}
