/// Prometheus text format 0.0.4, written family by family.
package struct MetricsText: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var openFamily = ""

    package init() {}

    package mutating func counter(_ name: String, _ help: String, _ value: Double, labels: String = "") {
        begin(name, help, "counter")
        sample(name, labels, value)
    }

    package mutating func gauge(_ name: String, _ help: String, _ value: Double, labels: String = "") {
        begin(name, help, "gauge")
        sample(name, labels, value)
    }

    mutating func histogram(_ name: String, _ help: String, _ snapshot: HistogramCell.Snapshot, labels: String = "") {
        histogram(name, help, bounds: snapshot.bounds, counts: snapshot.counts, sum: snapshot.sum, labels: labels)
    }

    /// - Parameter counts: one more than `bounds`, not cumulative.
    package mutating func histogram(
        _ name: String, _ help: String, bounds: [Double], counts: [Int], sum: Double, labels: String = ""
    ) {
        begin(name, help, "histogram")
        let separator = labels.isEmpty ? "" : ","
        var total = 0
        for (index, count) in counts.enumerated() {
            total &+= count
            let bound = index < bounds.count ? MetricsText.number(bounds[index]) : "+Inf"
            sample(name + "_bucket", "\(labels)\(separator)le=\"\(bound)\"", Double(total))
        }
        sample(name + "_sum", labels, sum)
        sample(name + "_count", labels, Double(total))
    }

    /// `name="value",...` with the escapes of the format.
    package static func labels(_ pairs: [(String, String)]) -> String {
        pairs.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func number(_ value: Double) -> String {
        if value == value.rounded(), abs(value) < 1e15 { return String(Int(value)) }
        return value.description
    }

    /// Samples of one family are written together, below one header.
    private mutating func begin(_ name: String, _ help: String, _ type: String) {
        guard openFamily != name else { return }
        openFamily = name
        line("# HELP \(name) \(help)")
        line("# TYPE \(name) \(type)")
    }

    private mutating func sample(_ name: String, _ labels: String, _ value: Double) {
        line(
            labels.isEmpty ? "\(name) \(MetricsText.number(value))" : "\(name){\(labels)} \(MetricsText.number(value))")
    }

    private mutating func line(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\n"))
    }
}
