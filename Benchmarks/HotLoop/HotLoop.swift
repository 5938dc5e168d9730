internal import Cases

/// Runs one step of the hot path so many times, for callgrind; or the store's writer, for its rate.
///
///     HotLoop NAME COUNT
///     HotLoop writer TRANSACTIONS-PER-COMMIT SESSIONS DIRECTORY MIGRATIONS
@main
struct HotLoop {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("writer", 5):
            guard let transactions = Int(arguments[1]), transactions > 0, let count = Int(arguments[2]) else {
                return usage()
            }
            try await write(count, transactions, arguments[3], arguments[4])
        case (let name?, 2):
            guard let step = Case.all.first(where: { $0.name == name }), let count = Int(arguments[1]) else {
                return usage()
            }
            let run = try step.prepare()
            for _ in 0..<count { run() }
        default: usage()
        }
    }

    /// Sixty-four at once, as that many connections would be.
    private static func write(
        _ count: Int, _ transactions: Int, _ directory: String, _ migrations: String
    ) async throws {
        let writer = try WriterCase(
            directory: directory, migrations: migrations, transactionsPerCommit: transactions)
        let began = ContinuousClock.now
        try await writer.insert(writers: 64, each: max(1, count / 64))
        let took = ContinuousClock.now - began
        await writer.close()
        print(#"{"rows":\#(max(1, count / 64) * 64),"seconds":\#(took / .seconds(1))}"#)
    }

    private static func usage() {
        print("usage: HotLoop NAME COUNT | HotLoop writer TRANSACTIONS-PER-COMMIT SESSIONS DIRECTORY MIGRATIONS")
        for one in Case.all { print("  \(one.name)") }
    }
}
