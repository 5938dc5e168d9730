internal import Engine
internal import Possession
internal import StrictJSON
internal import Text

/// Reads operators' answers about a number (CAMARA SIM Swap 2.1.0, Number Recycling 0.2.0). Errors contain the call,
/// the status and the operator's error code, and nothing else of the answer.
enum StandingAnswers {
    /// Reads the answer of `POST /check`: whether the SIM was swapped within the requested hours. An operator that may
    /// not look back so far answers `OUT_OF_RANGE`.
    static func swapped(in response: CAMARAResponse) throws(CAMARAFailure) -> SIMSwapAnswer {
        if response.status == 400, response.errorCode?.isSame(as: "OUT_OF_RANGE") == true {
            return .untold(monitoredDays: nil)
        }
        return .swapped(try flag("swapped", in: response))
    }

    /// Reads the answer of Number Recycling's `POST /check`: whether the number has had another subscriber since the
    /// requested day.
    static func recycled(in response: CAMARAResponse) throws(CAMARAFailure) -> Bool {
        try flag("phoneNumberRecycled", in: response)
    }

    /// Reads the answer of `POST /retrieve-date`. A SIM that was never swapped has the date of its activation. If the
    /// law forbids the operator to report a date, there was no swap within `monitoredPeriod` days.
    static func lastSwap(in response: CAMARAResponse) throws(CAMARAFailure) -> SIMSwapAnswer {
        let object = try answer(response)
        guard let value = object["latestSimChange"] else { throw response.broken("200 without latestSimChange") }
        if value == .null {
            let days = object["monitoredPeriod"]?.integer.flatMap { (1...100_000).contains($0) ? Int($0) : nil }
            return .untold(monitoredDays: days)
        }
        // A time zone may move the time outside the years with four digits.
        guard let text = value.string, let milliseconds = RFC3339.milliseconds(text.utf8),
            (-62_135_596_800_000...253_402_300_799_999).contains(milliseconds)
        else {
            throw response.broken("200 with a latestSimChange that is no time")
        }
        return .last(Timestamp(milliseconds: milliseconds))
    }

    private static func flag(_ name: String, in response: CAMARAResponse) throws(CAMARAFailure) -> Bool {
        guard let flag = try answer(response)[name]?.bool else { throw response.broken("200 without \(name)") }
        return flag
    }

    private static func answer(_ response: CAMARAResponse) throws(CAMARAFailure) -> JSONObject {
        if response.status == 404 || response.status == 422 { throw .notServed }
        return try response.answer()
    }
}
