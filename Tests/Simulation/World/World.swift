internal import Machine
internal import Observation
internal import Engine
internal import Possession
internal import StrictJSON
internal import Wiring

/// Everything around the server, and what was promised by it. One lane at a time touches it.
final class World: @unchecked Sendable {
    // Sendable: the machine lets one lane run at a time.

    static let port: UInt16 = 8080
    static let folder = "simulated-data"

    let settings: Settings
    let carrier: Carrier
    let directory: PersonDirectory
    let promises = Promises()
    private(set) var server: ServerLife = .down
    /// Counts the processes that were started.
    private(set) var lives = 0
    /// Counts what the callers did and what came of it.
    var figures = Figures()
    private(set) var assembly: Assembly?

    enum ServerLife: Equatable {
        case down, starting, up, stopping
        /// It could not start.
        case failed(String)
    }

    struct Figures {
        var calls = 0
        var answers = 0
        var kills = 0
        var powerLosses = 0
        var restarts = 0
        var fatalStops = 0
        var clockSteps = 0
        var foreignReaders = 0
        var sessions = 0
        var successes = 0
        var windows = 0
        var requests = 0
        /// Codes of links that ended their request.
        var redeemed = 0
        /// Requests of which every channel has failed.
        var exhausted = 0
        var processes = 0
        /// Signatures that were good.
        var signatures = 0
        var histories = 0
    }

    init(_ settings: Settings) {
        self.settings = settings
        carrier = Carrier(promises)
        directory = PersonDirectory(carrier)
        carrier.isExcused = { [unowned self] taken in
            // A process that has ended, or trouble with the disk, may have lost the note of it.
            guard let calmSince else { return true }
            return taken < servesSince || taken < calmSince + World.aftermath
        }
    }

    // MARK: Calls

    /// Milliseconds after which a caller gives up. Within these every call is answered while the server is up.
    static let patience = 4_000

    var histories: [History] = []
    var windows: [WindowHistory] = []
    var requests: [RequestHistory] = []
    var processes: [ProcessHistory] = []
    var activations: [ActivationHistory] = []
    /// Callers of onboarding begin nothing more.
    var isEnding = false
    /// The latest end of a token that anybody was told, in seconds.
    var latestTold: Int64 = 0
    private var numbersDrawn = 0
    /// The clock was stepped so far that tokens, codes or sessions may have outlived their time.
    var hasSteppedFar = false
    /// Nanoseconds by which it was stepped ahead.
    var ahead: UInt64 = 0
    /// When the disk last had a fault.
    var lastFault: UInt64 = 0

    func nextRequest() -> Int {
        numbersDrawn += 1
        return numbersDrawn
    }

    /// Makes a call, and looks at whether it was answered as promised.
    func observe(_ what: String, patience: Int, _ call: () -> Answer) -> Answer {
        figures.calls += 1
        let (life, wasUp, began) = (lives, server == .up, Sim.now)
        let faults = diskFaults
        let answer = call()
        if answer.reply != nil { figures.answers += 1 }
        observe(what, since: began, answer, isCalm: wasUp && life == lives)
        let isSame = wasUp && life == lives && server == .up
        if case .late = answer, isSame, patience >= World.patience {
            promises.broken("\(what) is answered within \(World.patience) ms (asked at \(began / 1_000_000) ms)")
        }
        // A carrier that is slow is waited for; a disk that fails is told.
        if answer.status == 500, isSame, faults == diskFaults, faults == faultsAtStart {
            promises.broken("\(what) is answered without 500 while nothing is wrong with the machine")
        }
        Sim.note("\(what): \(answer.word)")
        return answer
    }

    /// Since when nothing has been wrong with the machine and the carrier.
    var calmSince: UInt64?
    private var servesSince: UInt64 = 0
    /// How long after trouble its work may last.
    private static let aftermath: UInt64 = 5_000_000_000
    /// Nanoseconds in which a calm server answers a plain call.
    private static let calmAnswer: UInt64 = 700_000_000

    /// Without trouble every call is answered soon, and none refused as one too many.
    private func observe(_ what: String, since began: UInt64, _ answer: Answer, isCalm: Bool) {
        guard isCalm, server == .up, let calmSince, began > calmSince + World.aftermath,
            began > servesSince + World.aftermath, !what.hasPrefix("POST /control")
        else { return }
        if answer.status == 503, answer.reply?.isOfCarrier == false {
            promises.broken("\(what) is not refused while the machine is calm")
        }
        if answer.reply != nil, Sim.now - began > World.calmAnswer {
            promises.broken(
                "\(what) is answered soon while the machine is calm, and took \((Sim.now - began) / 1_000_000) ms")
        }
    }

    /// Another program reads the database, and takes its time.
    func readFromOutside(seconds: Int) {
        figures.foreignReaders += 1
        Sim.note("another program reads for \(seconds) s")
        Sim.spawn("reader") { machine_read_database(World.folder + "/holdfast.db", UInt64(seconds) * 1_000_000_000) }
    }

    var diskFaults: UInt64 { machine_get_figures().faults }
    /// Before this life of the server.
    private var faultsAtStart: UInt64 = 0

    // MARK: The server's life

    /// Starts a server process, and returns when it serves or has failed. In a lane of the world.
    func start() {
        lives += 1
        carrier.ways.life = lives
        let life = lives
        server = .starting
        faultsAtStart = diskFaults
        Sim.note("start \(life)")
        Task { await self.bringUp(life) }
        while server == .starting, lives == life { Sim.sleep(milliseconds: 1) }
        if case .failed(let why) = server { Sim.note("not started: \(why)") }
    }

    private func bringUp(_ life: Int) async {
        do {
            let configuration = try Configuration(
                ConfigurationSources(file: (path: settings.path, text: Array(settings.configuration.utf8))))
            let assembly = try await Assembly(
                configuration, sink: LogSink(descriptor: settings.log), gateway: carrier, finder: directory
            ) { reason in self.failedFatally(reason, life) }
            receipts = ReceiptService(assembly.engine)
            _ = try assembly.start()
            self.assembly = assembly
            server = .up
            servesSince = Sim.now
            Sim.note("serves")
            await assembly.runUpkeep()
        } catch {
            server = .failed("\(error)")
        }
    }

    private var receipts: ReceiptService?

    /// Tells the server what has become of messages, as far as the carrier's channels say so by now.
    func tellReceipts() {
        guard server == .up, let receipts else { return }
        while let receipt = carrier.ways.nextDue(isSettled: Sim.now > servesSince + World.aftermath) {
            Task { await self.tell(receipt, to: receipts) }
        }
    }

    private func tell(_ receipt: Ways.Receipt, to receipts: ReceiptService) async {
        guard let message = receipts.message(of: receipt.token, from: receipt.gateway) else {
            return promises.broken("a receipt names its message")
        }
        do {
            try await receipts.take(MessageReceipt(receipt.end), for: message, from: receipt.gateway)
            carrier.ways.wasTaken(receipt)
        } catch { carrier.ways.wasRefused(receipt) }
    }

    /// As the process does: it says so, and is gone.
    private func failedFatally(_ reason: String, _ life: Int) {
        guard life == lives else { return }
        Sim.note("fatal: \(reason)")
        figures.fatalStops += 1
        machine_sleep(UInt64(Sim.draw(20_000)) * 1000)
        guard life == lives, server != .down else { return }
        server = .down
        assembly = nil
        machine_die()
    }

    /// Ends the process, from a lane of the world.
    func crash(losingPower: Bool) {
        server = .down
        // The assembly is never freed: a process that is gone runs no more code.
        if let assembly { _ = Unmanaged.passRetained(assembly) }
        assembly = nil
        if losingPower { figures.powerLosses += 1 } else { figures.kills += 1 }
        machine_crash(losingPower ? MACHINE_POWER_LOST : MACHINE_KILLED)
    }

    /// Ends it in good order.
    func stop() {
        guard let assembly, server == .up else { return }
        server = .stopping
        let life = lives
        Sim.note("stops")
        let isDone = Flag()
        Task {
            await assembly.shutDown(notice: .milliseconds(200))
            isDone.value = true
        }
        let deadline = Sim.now + 60_000_000_000
        while !isDone.value, lives == life, server == .stopping, Sim.now < deadline { Sim.sleep(milliseconds: 5) }
        if server == .stopping {
            if !isDone.value { promises.broken("a stop in good order ends within a minute") }
            figures.restarts += 1
            _ = Unmanaged.passRetained(assembly)
            self.assembly = nil
            server = .down
            machine_crash(MACHINE_KILLED)
        }
    }

    private final class Flag: @unchecked Sendable {
        // Sendable: as the world.
        var value = false
    }
}
