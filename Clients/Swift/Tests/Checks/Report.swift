import Foundation

/// Counts what passes and what does not.
actor Report {
    private let only: String
    private var passed = 0
    private var failed = 0

    init(only: String) {
        self.only = only
    }

    nonisolated func covers(_ name: String) -> Bool {
        only.isEmpty || name.contains(only)
    }

    func add(_ name: String, _ failure: (any Error)?) {
        if let failure {
            failed += 1
            say("FAILED \(name)\n       \(failure)")
        } else {
            passed += 1
        }
    }

    /// Whether all is well. Nothing tried is not, unless only a part was asked for.
    func finish() -> Bool {
        say("\(passed) passed, \(failed) failed")
        return failed == 0 && (passed > 0 || !only.isEmpty)
    }
}

/// A line of output, which is out at once: the process may be killed.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

func same<Value: Equatable>(_ given: Value, _ expected: Value, _ what: String) throws {
    guard given == expected else { throw Failure("\(what) is \(given), not \(expected)") }
}
