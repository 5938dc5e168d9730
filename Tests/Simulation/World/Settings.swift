internal import Machine

/// Choices that the seed makes once for the whole run.
struct Settings {
    let seed: UInt64
    /// Where the configuration would be; paths in it count from there.
    let path: String
    let configuration: String
    /// Whether more is asked of the server at first than its disk can do.
    let isOverloaded: Bool
    /// Milliseconds between two strokes of fate, at most.
    let pause: Int
    /// Where the server's log goes.
    let log: Int32

    init(seed: UInt64, repository: String, log: Int32) {
        self.seed = seed
        self.log = log
        path = "/simulation.json"
        let loops = Sim.draw(1...2)
        isOverloaded = seed % 8 == 0
        pause = Sim.pick([3_000, 6_000, 20_000])
        let changes = isOverloaded ? 4 : Sim.pick([4, 16, 64, 512])
        let channels = Ways.names
        configuration = """
            {"mode":"sandbox","server":{"host":"127.0.0.1","port":\(World.port),"loops":\(loops),"drainSeconds":5,
             "drainNoticeSeconds":1},
             "data":{"directory":"/proc/self/cwd/\(World.folder)","migrations":"\(repository)/migrations","changesPerCommit":\(changes)},
             "otp":{"codeLength":6,"lifetimeSeconds":120},
             "app":{"clientId":"shop"},
             "sandbox":{"usersFile":"\(repository)/config/sandbox-users.json","unknownNumbers":"simulate",
             "clients":{"shop":{"secret":"shop-secret","apiKey":"hf_test_shop",
               "application":{"key":"\(SimulatedPhone.applicationKey)","secret":"\(SimulatedPhone.applicationSecret)",
                 "masterPrivateKey":"\(SimulatedPhone.masterPrivateKey)"},
               "smartChannels":\(channels),"secondsPerChannel":\(Ways.secondsPerChannel)},
              "bank":{"secret":"bank-secret"}}},
             "log":{"level":"warning","requests":false}}
            """
    }

    /// A control: syncs do nothing, and what was acknowledged must then be missed.
    nonisolated(unsafe) static var diskLies = false

    /// The folder that the run has to itself. No path that the server sees has its name.
    nonisolated(unsafe) static var directory = "."
}
