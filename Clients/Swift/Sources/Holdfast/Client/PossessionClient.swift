import Foundation

/// Proves to a Holdfast server that the person holds a phone number.
///
///     let client = PossessionClient(steps: PossessionSteps(
///         finish: { authID in try await backend.verify(authID) },
///         otp: .init(start: { _ in nil }, finish: { error in .code(await askForCode(error)) })))
///     try await client.authenticate(authToken)
public final class PossessionClient: Sendable {
    public static let version = "1.0.0"

    /// How runs go. The defaults are right for an app on a phone.
    public struct Options: Sendable {
        /// The servers that a token may name, such as `https://auth.example`. Empty: every https server.
        public var servers: [String] = []
        /// Sentences for the person in another language.
        public var messages: [ErrorName: String] = [:]
        /// Whether a key of this device may stand in for a code at later visits.
        public var usesDeviceKey = true
        /// Sandbox: Mobile Auth without a mobile network.
        public var testMode = false
        /// This device waits while the link is opened on another one.
        public var isSecondary = false
        /// Transport of calls.
        public var transport: any HTTPTransport = URLSessionTransport()
        /// Transport of Mobile Auth. `nil`: the device's mobile network, if the platform can name it.
        public var mobileNetwork: (any MobileNetworkTransport)?
        /// Where keys are kept as files, on platforms without a Keychain. `nil`: below the user's application data.
        public var keyDirectory: URL?

        public init() {}
    }

    private let settings: Settings
    private let world: any World
    private let runs = Runs()

    public convenience init(steps: PossessionSteps, options: Options = Options()) {
        self.init(runner: steps.runner, options: options)
    }

    init(runner: StepRunner, options: Options) {
        var settings = Settings()
        settings.steps = runner
        settings.servers = options.servers
        settings.messages = options.messages
        settings.usesDeviceKey = options.usesDeviceKey
        settings.testMode = options.testMode
        settings.isSecondary = options.isSecondary
        self.settings = settings
        world = LiveWorld(
            transport: options.transport,
            mobileNetwork: options.mobileNetwork ?? platformMobileNetwork()
                ?? (options.testMode ? options.transport : nil),
            keys: platformKeys(directory: options.keyDirectory))
    }

    /// With a world that a test plays.
    package init(settings: Settings, world: any World) {
        self.settings = settings
        self.world = world
    }

    /// Runs the checks of one session. When it returns, the session is over and the finish step has run.
    ///
    /// With the token of a run that is under way, it joins that run. With that of a run that broke, whose finish step
    /// failed, or whose process was killed, it goes on with the session. To cancel its task cancels the session.
    ///
    /// - Throws: `PossessionError` if the run was given up or could not go on; what the finish step threw.
    @ClientActor
    public func authenticate(_ authToken: String) async throws {
        let going = begin(authToken)
        await withTaskCancellationHandler {
            await anyOf([going.end])
        } onCancel: {
            Task { @ClientActor in going.run.cancel() }
        }
        try going.end.value?.get()
    }

    /// Begins a run, or joins the one of this token.
    @ClientActor
    package func begin(_ authToken: String) -> RunUnderWay {
        runs.join(authToken) { Run(world: world, settings: settings, token: authToken) }
    }

    /// Hands over the URL that has opened the app after an instant link.
    ///
    /// - Returns: `false` if it is not meant for a run that is under way; the run goes on waiting.
    @ClientActor
    public func open(_ url: String) -> Bool {
        runs.all.contains { $0.open(target: url) }
    }

    /// Cancels the sessions of all runs that are under way.
    @ClientActor
    public func cancel() {
        for run in runs.all { run.cancel() }
    }
}

/// A run, and how it ends.
package struct RunUnderWay: Sendable {
    package let run: Run
    package let end: Promise<Result<Void, any Error>>
}

/// The runs that are under way, by token.
@ClientActor
private final class Runs {
    private var going: [String: RunUnderWay] = [:]

    nonisolated init() {}

    var all: [Run] { going.values.map(\.run) }

    func join(_ token: String, orBegin make: () -> Run) -> RunUnderWay {
        if let found = going[token] { return found }
        let new = RunUnderWay(run: make(), end: Promise())
        going[token] = new
        Task { @ClientActor in
            let result: Result<Void, any Error>
            do { result = .success(try await new.run.go()) } catch { result = .failure(error) }
            going[token] = nil
            new.end.resolve(result)
        }
        return new
    }
}
