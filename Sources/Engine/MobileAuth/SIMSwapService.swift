package import Possession

/// Answers API clients' questions about the SIM of a number (as CAMARA SIM Swap 2.1 requires).
///
/// Each answer is about a person and may cost money. So each API client has a limited number of questions about a
/// number, and the audit log records who asked about whom.
package struct SIMSwapService: Sendable {
    package enum Refusal: Error, Sendable, Equatable {
        /// The number is not possible, or this server does not serve it.
        case unknownNumber
        /// No operator answers for numbers like this one, or the API client may not ask about it.
        case notApplicable
        /// The operator may not report a swap from so long ago. Its limit in days; `nil`: it does not name the limit.
        case beyondMonitoring(days: Int?)
        /// The operator did not answer.
        case sourceUnavailable
        case rateLimited(LimitHit)
        case fault(EngineFault)
    }

    /// The origin of a call, for the audit log.
    package struct Origin: Sendable {
        let address: String?
        let requestID: String

        package init(address: String?, requestID: String) {
            self.address = address
            self.requestID = requestID
        }
    }

    private let engine: Engine

    package init(_ engine: Engine) {
        self.engine = engine
    }

    /// The number in a question.
    /// - Throws: `.unknownNumber`, `.notApplicable`.
    package func number(_ text: String, for tenant: Tenant) throws(Refusal) -> PhoneNumber {
        do throws(NumberRefusal) { return try engine.network.numbers.read(text, for: tenant.id).number } catch {
            switch error {
            case .malformed, .notServed, .otherProduct: throw .unknownNumber
            case .refusedKind: throw .notApplicable
            }
        }
    }

    /// Whether the number got another SIM in the last `hours` hours.
    /// - Throws: any `Refusal`.
    package func isSwapped(
        _ number: PhoneNumber, withinHours hours: Int, for tenant: Tenant, from origin: Origin
    ) async throws(Refusal) -> Bool {
        switch try await ask(.within(hours: hours), of: number, for: tenant, from: origin) {
        case .swapped(let isSwapped): return isSwapped
        case .untold(let days): throw .beyondMonitoring(days: days)
        case .last: throw .fault(.failed("sim swap: an answer to another question"))
        }
    }

    /// When the number got its SIM; `nil`: the operator does not say. `monitoredDays`: there was no swap in this number
    /// of days.
    /// - Throws: any `Refusal` except `.beyondMonitoring`.
    package func lastSwap(
        of number: PhoneNumber, for tenant: Tenant, from origin: Origin
    ) async throws(Refusal) -> (time: Timestamp?, monitoredDays: Int?) {
        switch try await ask(.last, of: number, for: tenant, from: origin) {
        case .last(let time): return (time, nil)
        case .untold(let days): return (nil, days)
        case .swapped: throw .fault(.failed("sim swap: an answer to another question"))
        }
    }

    private func ask(
        _ question: SIMSwapQuestion, of number: PhoneNumber, for tenant: Tenant, from origin: Origin
    ) async throws(Refusal) -> SIMSwapAnswer {
        guard let source = engine.network.simSwaps, engine.network.numbers.mayMessage(number, by: tenant.rules) else {
            throw .notApplicable
        }
        try await record(question, of: number, for: tenant.id, from: origin)
        do throws(ReputationFault) { return try await source.simSwap(question, of: number) } catch {
            switch error {
            case .notCovered: throw .notApplicable
            case .resting: throw .sourceUnavailable
            case .timeout: engine.reports.log("sim swap of \(number): no answer in time")
            case .failed(let reason): engine.reports.log("sim swap of \(number): \(reason)")
            case .cancelled: throw .fault(.failed("sim swap: the caller has gone"))
            }
            throw .sourceUnavailable
        }
    }

    /// Counts the question and records it in the audit log, in one transaction.
    /// - Throws: `.rateLimited`, `.fault`.
    private func record(
        _ question: SIMSwapQuestion, of number: PhoneNumber, for tenant: ClientID, from origin: Origin
    ) async throws(Refusal) {
        let (engine, now) = (engine, engine.now())
        let entry = AuditEntry(
            .simSwapAsked, by: .client, at: now, client: tenant, address: origin.address,
            requestID: origin.requestID, about: .number(number),
            detail: [("question", question == .last ? "date" : "check")])
        let result: Result<LimitHit?, StorageFault>
        if let limits = engine.limits.overSessions(of: tenant) {
            let keys = [LimitKey(.questionsAboutNumber, number, of: tenant)]
            result = await engine.reports.audit.recordingChange(entry) { () async -> Result<LimitHit?, StorageFault> in
                do throws(StorageFault) {
                    return .success(
                        try await engine.stores.limitCounts.count(keys) { tallies in
                            tallies.take(keys, by: limits, at: now)
                        })
                } catch { return .failure(error) }
            }
        } else {
            do throws(StorageFault) {
                try await engine.reports.audit.add(entry)
                result = .success(nil)
            } catch { result = .failure(error) }
        }
        switch result {
        case .success(nil): return
        case .success(let hit?):
            engine.reports.recordLimit(hit.limit, number)
            throw .rateLimited(hit)
        case .failure(let fault): throw .fault(EngineFault(fault))
        }
    }
}
