package import Possession
internal import StrictJSON

/// The description of a backup, at the start of its content: one JSON object.
///
///     {"madeAtMs":1790000000000,"program":"0.9.0","mode":"live","migration":10,"commits":4711,
///      "databaseBytes":1048576,"rows":[{"table":"sessions","rows":12}]}
package struct BackupManifest: Sendable, Equatable {
    /// A longer one is damaged: a table takes about 40 bytes.
    package static let mostBytes = 64 * 1024
    private static let counts: ClosedRange<Int64> = 0...1 << 60

    package struct Table: Sendable, Equatable {
        package let name: String
        package let rows: Int

        package init(name: String, rows: Int) {
            self.name = name
            self.rows = rows
        }

        package static func == (left: Table, right: Table) -> Bool {
            left.rows == right.rows && left.name.utf8.elementsEqual(right.name.utf8)
        }
    }

    /// When the copy was begun: it contains nothing later.
    package let madeAt: Timestamp
    /// The version of the program that made it.
    package let program: String
    /// `live` or `sandbox`.
    package let mode: String
    /// The number of the last migration.
    package let migration: Int
    /// The number of the last commit.
    package let commits: Int
    package let databaseBytes: Int
    package let tables: [Table]

    package init(
        madeAt: Timestamp, program: String, mode: String, migration: Int, commits: Int, databaseBytes: Int,
        tables: [Table]
    ) {
        self.madeAt = madeAt
        self.program = program
        self.mode = mode
        self.migration = migration
        self.commits = commits
        self.databaseBytes = databaseBytes
        self.tables = tables
    }

    package var rows: Int { tables.reduce(0) { $0 + $1.rows } }

    var bytes: [UInt8] {
        var object = JSONObject()
        object.set("madeAtMs", madeAt.milliseconds)
        object.set("program", program)
        object.set("mode", mode)
        object.set("migration", migration)
        object.set("commits", commits)
        object.set("databaseBytes", databaseBytes)
        object.set(
            "rows",
            tables.map { table in
                var row: JSONObject = ["table": .string(table.name)]
                row.set("rows", table.rows)
                return row
            })
        return object.serialized()
    }

    /// Unknown members are ignored, for later versions. `nil`: a required member is missing or invalid.
    init?(_ bytes: [UInt8]) {
        func count(_ value: JSONValue?) -> Int? {
            value?.integer.flatMap { Self.counts.contains($0) ? Int($0) : nil }
        }
        guard bytes.count <= Self.mostBytes, let object = try? JSONObject.parse(bytes),
            let madeAt = object["madeAtMs"]?.integer, Self.counts.contains(madeAt),
            let program = object["program"]?.string, let mode = object["mode"]?.string,
            let migration = count(object["migration"]), let commits = count(object["commits"]),
            let databaseBytes = count(object["databaseBytes"]), let rows = object["rows"]?.array
        else { return nil }
        var tables: [Table] = []
        for row in rows {
            guard let name = row.object?["table"]?.string, let number = count(row.object?["rows"]) else { return nil }
            tables.append(Table(name: name, rows: number))
        }
        // Limited, because their sum is printed.
        guard tables.count < 1000, tables.allSatisfy({ $0.rows < 1 << 50 }) else { return nil }
        self.init(
            madeAt: Timestamp(milliseconds: madeAt), program: program, mode: mode, migration: migration,
            commits: commits, databaseBytes: databaseBytes, tables: tables)
    }
}
