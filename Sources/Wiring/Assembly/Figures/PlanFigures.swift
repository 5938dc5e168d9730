internal import Observation
internal import PhoneNumbers
internal import Possession

/// The age of the numbering plan.
enum PlanFigures {
    static func collect(_ plan: PlanFile, at now: Timestamp, _ text: inout MetricsText) {
        text.gauge(
            "holdfast_numbering_plan_age_seconds", "How long ago the numbering plan was released.",
            Double(plan.ageSeconds(at: now)), labels: MetricsText.labels([("version", plan.version)]))
    }
}
