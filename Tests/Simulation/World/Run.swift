internal import Glibc
internal import Machine

/// One seed, from the first start of the server to the last look at what it has kept.
enum Run {
    static func main() {
        machine_settle(CommandLine.unsafeArgv)
        var seed: UInt64 = 1
        var repository = "."
        var logs: Int32 = -1
        var words = CommandLine.arguments.dropFirst()
        while let word = words.popFirst() {
            switch word {
            case "--seed": seed = words.popFirst().flatMap { UInt64($0) } ?? seed
            case "--repository": repository = words.popFirst() ?? repository
            case "--directory": Settings.directory = words.popFirst() ?? Settings.directory
            case "--lying-disk": Settings.diskLies = true
            case "--trace": machine_print_trace(true)
            case "--log": logs = 2
            default:
                print("unknown argument \(word)")
                exit(64)
            }
        }
        guard chdir(Settings.directory) == 0 else { exit(66) }
        let log = logs >= 0 ? logs : open("/dev/null", O_WRONLY)
        machine_begin(seed, 1_795_000_000_000, World.folder)
        let world = World(Settings(seed: seed, repository: repository, log: log))
        let began = machine_now()
        Fate(world).begin()
        let ended = machine_run()
        if !ended { world.promises.broken("the world comes to its end") }
        if !world.promises.broken.isEmpty { Run.tellLastLines() }
        print(Report(world, seed: seed, began: began).line)
        exit(world.promises.broken.isEmpty ? 0 : 1)
    }

    private static func tellLastLines() {
        var index = 0
        while let line = machine_trace_line(index) {
            print(String(cString: line))
            index += 1
        }
    }
}
