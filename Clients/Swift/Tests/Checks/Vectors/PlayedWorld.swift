import Foundation
import Holdfast

/// Something that the client does; the script answers it.
enum Event: Sendable {
    case call(HTTPRequest, answer: @ClientActor @Sendable (HTTPResponse?) -> Void)
    case hop(URL, answer: @ClientActor @Sendable (HopAnswer) -> Void)
    case step(Step)
    case ends((any Error)?)

    struct Step: Sendable {
        let name: String
        var phoneNumberNeeded: Bool?
        var error: PossessionError?
        var authID: String?
        /// Takes what the vector says under `gives`.
        let give: @ClientActor @Sendable (JSON) -> Void
    }
}

/// The error of a step of the app that gives up.
struct AppError: Error {}

/// Time that passes only when it is told to.
@ClientActor
final class PlayedClock {
    private struct Timer {
        let due: Double
        let fire: @ClientActor @Sendable () -> Void
    }

    private(set) var seconds: Double
    /// Seconds by which the device's clock is ahead of the true time.
    var deviceOff: Double
    private var timers: [Int: Timer] = [:]
    private var timersMade = 0

    init(_ seconds: Double, deviceOff: Double = 0) {
        self.seconds = seconds
        self.deviceOff = deviceOff
    }

    var nextDue: Double? { timers.values.map(\.due).min() }
    var count: Int { timers.count }

    func timer(seconds: Double, _ fire: @escaping @ClientActor @Sendable () -> Void) -> Cancellation {
        timersMade += 1
        let number = timersMade
        timers[number] = Timer(due: self.seconds + seconds, fire: fire)
        return Cancellation { self.timers[number] = nil }
    }

    func pass(_ seconds: Double) {
        self.seconds += seconds
        // A hair of tolerance: tenths of seconds have no exact sum.
        for (number, timer) in timers.sorted(by: { $0.value.due < $1.value.due }) where timer.due <= self.seconds + 1e-6
        {
            timers[number] = nil
            timer.fire()
        }
    }

    func clear() {
        timers = [:]
    }
}

/// Keys in memory, which outlive a killed process.
final class PlayedVault: KeyVault, @unchecked Sendable {
    private let lock = NSLock()
    private var records: [String: Data] = [:]

    private func locked<Value>(_ work: () -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return work()
    }

    func read(_ name: String) -> Data? { locked { records[name] } }

    func put(_ data: Data, name: String, inPlaceOf old: Data?) -> Data {
        locked {
            if let found = records[name], found != old { return found }
            records[name] = data
            return data
        }
    }

    func delete(_ name: String) { locked { records[name] = nil } }

    func names() -> [String] { locked { Array(records.keys) } }
}

/// One process. What it does goes to `notice`; a killed one is deaf and dumb.
@ClientActor
final class PlayedWorld: World {
    let keys: KeyStore
    let cellular: MobileNetworkAvailability
    private let clock: PlayedClock
    private let noticed: (Event) -> Void
    private var isAlive = true
    private var wakers: [Int: @ClientActor @Sendable () -> Void] = [:]
    private var wakersMade = 0

    init(
        clock: PlayedClock, keys: KeyStore, cellular: MobileNetworkAvailability,
        notice: @escaping (Event) -> Void
    ) {
        self.clock = clock
        self.keys = keys
        self.cellular = cellular
        noticed = notice
    }

    func notice(_ event: Event) {
        if isAlive { noticed(event) }
    }

    func noticeEnd(of going: RunUnderWay) {
        Task { @ClientActor in
            await anyOf([going.end])
            switch going.end.value {
            case .failure(let error): notice(.ends(error))
            default: notice(.ends(nil))
            }
        }
    }

    func kill() {
        isAlive = false
        clock.clear()
        wakers = [:]
    }

    func wake() {
        for (_, wake) in wakers.sorted(by: { $0.key < $1.key }) { wake() }
    }

    func now() -> Double { clock.seconds + clock.deviceOff }
    func elapsed() -> Double { clock.seconds }
    func random() -> Double { 0 }

    func timer(seconds: Double, _ fire: @escaping @ClientActor @Sendable () -> Void) -> Cancellation {
        isAlive ? clock.timer(seconds: seconds, fire) : Cancellation {}
    }

    func onWake(_ wake: @escaping @ClientActor @Sendable () -> Void) -> Cancellation {
        wakersMade += 1
        let number = wakersMade
        wakers[number] = wake
        return Cancellation { self.wakers[number] = nil }
    }

    func send(
        _ request: HTTPRequest, _ answer: @escaping @ClientActor @Sendable (HTTPResponse?) -> Void
    ) -> Cancellation {
        notice(.call(request, answer: answer))
        return Cancellation {}
    }

    func hop(to url: URL, _ answer: @escaping @ClientActor @Sendable (HopAnswer) -> Void) -> Cancellation {
        notice(.hop(url, answer: answer))
        return Cancellation {}
    }

    /// The app's steps that a vector names.
    func runner(of steps: [String]) -> StepRunner {
        var runner = StepRunner()
        if steps.contains("finish") {
            runner.finish = { authID, answer in
                self.notice(
                    .step(
                        Event.Step(name: "finish", authID: authID) { answer($0 == "reject" ? failed() : .success(())) })
                )
                return Cancellation {}
            }
        }
        if steps.contains("otpStart") {
            runner.otp = StepRunner.OTP(start: start("otpStart")) { error, answer in
                self.notice(.step(Event.Step(name: "otpFinish", error: error) { answer(codeEntry($0)) }))
                return Cancellation {}
            }
        }
        if steps.contains("linkStart") {
            var retry: (@ClientActor @Sendable (@escaping StepRunner.Answer<LinkRetry>) -> Cancellation)?
            if steps.contains("linkRetry") {
                retry = { answer in
                    self.notice(.step(Event.Step(name: "linkRetry") { answer(linkRetry($0)) }))
                    return Cancellation {}
                }
            }
            runner.link = StepRunner.Link(start: start("linkStart"), retry: retry)
        }
        if steps.contains("operatorToken") {
            runner.operatorToken = { answer in
                self.notice(.step(Event.Step(name: "operatorToken") { answer(operatorToken($0)) }))
                return Cancellation {}
            }
        }
        return runner
    }

    private func start(_ name: String) -> StepRunner.Start {
        { request, answer in
            let step = Event.Step(name: name, phoneNumberNeeded: request.isPhoneNumberNeeded, error: request.error) {
                answer($0 == "reject" ? failed() : .success($0["phoneNumber"]?.string))
            }
            self.notice(.step(step))
            return Cancellation {}
        }
    }
}

private func failed<Value>() -> Result<Value, any Error> {
    .failure(AppError())
}

private func operatorToken(_ gives: JSON) -> Result<OperatorToken?, any Error> {
    if gives == "reject" { return failed() }
    guard let text = gives["operatorToken"]?.string, let plmn = gives["plmn"]?.string else { return .success(nil) }
    return .success(OperatorToken(text, plmn: plmn))
}

private func codeEntry(_ gives: JSON) -> Result<CodeEntry, any Error> {
    switch gives {
    case "resend": .success(.resend)
    case "phone": .success(.otherNumber)
    case "reject": failed()
    default: .success(.code(gives["otp"]?.string ?? ""))
    }
}

private func linkRetry(_ gives: JSON) -> Result<LinkRetry, any Error> {
    switch gives {
    case "resend": .success(.resend)
    case "phone": .success(.otherNumber)
    default: failed()
    }
}
