internal import Engine
internal import Possession
internal import StrictJSON
internal import Text

/// Reads operators' answers about a number (CAMARA SIM Swap 2.1.0, Number Recycling 0.2.0). Errors contain the call,
/// the status and the operator's error code, and nothing else of the answer.
enum RiskAnswers {
    /// Reads the answer of `POST /check`: whether the SIM was swapped within the requested hours. An operator that may
    /// not look back so far answers `OUT_OF_RANGE`.
    static func swapped(in response: OperatorResponse) throws(RiskFailure) -> SIMSwapAnswer {
        if response.status == 400, let object = try? JSONObject.parse(response.body),
            object["code"]?.string?.isSame(as: "OUT_OF_RANGE") == true
        {
            return .untold(monitoredDays: nil)
        }
        return .swapped(try flag("swapped", in: response))
    }

    /// Reads the answer of Number Recycling's `POST /check`: whether the number has had another subscriber since the
    /// requested day.
    static func recycled(in response: OperatorResponse) throws(RiskFailure) -> Bool {
        try flag("phoneNumberRecycled", in: response)
    }

    /// Reads the answer of `POST /retrieve-date`. A SIM that was never swapped has the date of its activation. If the
    /// law forbids the operator to report a date, there was no swap within `monitoredPeriod` days.
    static func lastSwap(in response: OperatorResponse) throws(RiskFailure) -> SIMSwapAnswer {
        let object = try object(in: response)
        guard let value = object["latestSimChange"] else { throw broken(response, "200 without latestSimChange") }
        if value == .null {
            let days = object["monitoredPeriod"]?.integer.flatMap { (1...100_000).contains($0) ? Int($0) : nil }
            return .untold(monitoredDays: days)
        }
        // A time zone may move the time outside the years with four digits.
        guard let text = value.string, let milliseconds = RFC3339.milliseconds(text.utf8),
            (-62_135_596_800_000...253_402_300_799_999).contains(milliseconds)
        else {
            throw broken(response, "200 with a latestSimChange that is no time")
        }
        return .last(Timestamp(milliseconds: milliseconds))
    }

    private static func flag(_ name: String, in response: OperatorResponse) throws(RiskFailure) -> Bool {
        guard let flag = try object(in: response)[name]?.bool else { throw broken(response, "200 without \(name)") }
        return flag
    }

    private static func object(in response: OperatorResponse) throws(RiskFailure) -> JSONObject {
        guard response.status == 200 else { throw failure(response) }
        do throws(OperatorFailure) { return try OperatorAnswers.object(in: response) } catch {
            throw RiskFailure(error)
        }
    }

    /// CAMARA `ErrorInfo`. Only a rate limit, or a status that says that the operator is down, counts against it.
    private static func failure(_ response: OperatorResponse) -> RiskFailure {
        switch response.status {
        case 404, 422: return .notCovered
        default: return RiskFailure(OperatorAnswers.apiFailure(response))
        }
    }

    private static func broken(_ response: OperatorResponse, _ what: String) -> RiskFailure {
        .broken("\(response.call.rawValue): \(what)")
    }
}
