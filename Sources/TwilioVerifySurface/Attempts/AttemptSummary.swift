internal import SurfaceKit

/// The number of messages, and of those that led to a right code.
struct AttemptSummary: Sendable {
    let url: String
    private(set) var converted = 0
    private(set) var unconverted = 0

    init(url: String) { self.url = url }

    mutating func count(_ conversion: AttemptDocument.Conversion) {
        switch conversion {
        case .converted: converted += 1
        case .unconverted: unconverted += 1
        }
    }

    private var total: Int { converted + unconverted }

    /// Percent with two decimals, rounded down.
    private var rate: String {
        let hundredths = total == 0 ? 0 : converted * 10_000 / total
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    static let reply = Reply<Self>(name: "AttemptsSummary", example: example) {
        ReplyMember.always(
            "total_attempts", .integer(0...Int.max),
            "All messages that the parameters select, of the newest 2,000 verifications."
        ) { $0.total }
        ReplyMember.always("total_converted", .integer(0...Int.max), "The converted ones of them.") { $0.converted }
        ReplyMember.always("total_unconverted", .integer(0...Int.max), "The unconverted ones of them.") {
            $0.unconverted
        }
        ReplyMember.always(
            "conversion_rate_percentage", .text(.text(pattern: "^[0-9]{1,3}\\.[0-9]{2}$")),
            "total_converted in percent of total_attempts, rounded down. 0.00 without attempts."
        ) {
            $0.rate
        }
        ReplyMember.always("url", .text(.text(format: "uri")), "The URL of this call, without parameters.") { $0.url }
    }

    private static let example: StaticString = """
        {"total_attempts":4,"total_converted":3,"total_unconverted":1,"conversion_rate_percentage":"75.00",\
        "url":"http://127.0.0.1:8080/twilio-verify/v2/Attempts/Summary"}
        """
}
