import Benchmark
import Cases
import Foundation

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration.metrics = [.wallClock, .throughput]
    Benchmark.defaultConfiguration.scalingFactor = .kilo
    Benchmark.defaultConfiguration.maxDuration = .seconds(2)

    for one in Case.all {
        Benchmark(one.name) { benchmark in
            let step = try one.prepare()
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations { step() }
            benchmark.stopMeasurement()
        }
    }

    // A thousand durable inserts by 64 at once, with the server's group commit and each alone.
    for (name, transactionsPerCommit) in [("writer, group commit", 512), ("writer, one transaction a commit", 1)] {
        Benchmark(name, configuration: .init(scalingFactor: .one, maxDuration: .seconds(5), maxIterations: 20)) {
            benchmark in
            let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../.build-run/writer-\(UUID().uuidString)").standardizedFileURL
            defer { try? FileManager.default.removeItem(at: directory) }
            let migrations = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../../migrations").standardizedFileURL
            let writer = try WriterCase(
                directory: directory.path, migrations: migrations.path, transactionsPerCommit: transactionsPerCommit)
            benchmark.startMeasurement()
            try await writer.insert(writers: 64, each: 16)
            benchmark.stopMeasurement()
            await writer.close()
        }
    }
}
