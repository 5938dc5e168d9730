/// The wait for an instant link.
extension Run {
    private static let pollSeconds = 40.0
    /// A poll that ends sooner without news is followed by a pause.
    private static let fullSeconds = 20.0
    private static let pauseSeconds = [1.0, 2, 4, 8]
    /// So many polls in a row may bring news early before there are pauses after those, too.
    private static let freeNews = 3

    /// How many polls in a row have ended early: with a pause after them, and with news.
    private struct Pace {
        var pauses = 0
        var news = 0
    }

    /// Waits for the other device, with the retry step beside it. Ends when the session is elsewhere, or the link was
    /// sent again.
    func waitForLink() async throws(Interruption) {
        guard let steps = settings.steps.link else { throw try calls.missing(.link) }
        let isRefused = takeError() != nil
        var answer: Promise<Result<LinkRetry, any Error>>?
        // After a refusal the step is run again only if it can do something.
        if let retry = steps.retry, !isRefused || calls.can("link.resend") { answer = try begin(retry) }
        var pace = Pace()
        while try calls.state().step == "linkWait" {
            try await watch(beside: answer.map { [$0] } ?? [], &pace)
            if opened.isSet {
                opened.reset()
                try await calls.read()
            }
            guard let result = answer?.value else { continue }
            answer = nil
            let entry = try given(result)
            guard calls.can(entry == .resend ? "link.resend" : "link.phone") else { continue }
            return try await sendAgain(entry)
        }
    }

    private func sendAgain(_ entry: LinkRetry) async throws(Interruption) {
        do {
            switch entry {
            case .resend: try await sendMessage("/session/link/resend")
            case .otherNumber: try await start(.link, isChange: true)
            }
        } catch .refusal(let refusal) {
            pendingError = refusal
        } catch {
            throw error
        }
    }

    /// Polls until there is a newer state, or the step has answered, or the app was opened by the link.
    private func watch(beside answer: [Signal], _ pace: inout Pace) async throws(Interruption) {
        let rev = try calls.state().rev
        let others = answer + [opened]
        let woken = Signal()
        let waking = world.onWake { woken.set() }
        defer { waking.cancel() }
        while !others.contains(where: \.isSet) {
            try checkTime()
            let began = world.elapsed()
            let reading = try await calls.exchange(
                "GET", "/session?after=\(rev)&wait=25", seconds: Self.pollSeconds, or: others + [woken])
            let state = try calls.state()
            if state.isDone || others.contains(where: \.isSet) { return }
            let hasNews = state.rev > rev
            var toldSeconds: Double?
            switch reading {
            case .refused(let error) where !hasNews: throw .refusal(error)
            case .again(_, afterSeconds: 0) where !hasNews: continue
            case .again(_, let afterSeconds): toldSeconds = afterSeconds
            case .ok where world.elapsed() - began >= Self.fullSeconds:
                pace = Pace()
                if hasNews { return }
                woken.reset()
                continue
            case .ok, .refused: break
            }
            if hasNews { pace.news += 1 }
            if hasNews && pace.news <= Self.freeNews { return }
            pace.pauses += 1
            let seconds = toldSeconds ?? Self.pauseSeconds[min(pace.pauses, Self.pauseSeconds.count) - 1]
            // One that was woken in its poll does not pause.
            try await calls.pause(seconds: seconds, or: others + [woken])
            if hasNews { return }
            woken.reset()
        }
    }

    private func checkTime() throws(Interruption) {
        let state = try calls.state()
        let isLate = state.link?.error == ErrorName.linkExpired.rawValue && settings.steps.link?.retry == nil
        let end = seconds(ofMoment: state.link?.waitUntil ?? state.expiresAt)
        if isLate || calls.isTokenOver || calls.storedNow() >= end ?? .infinity { throw calls.giveUp(.linkExpired) }
    }
}
