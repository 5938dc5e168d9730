internal import HTTPServer
internal import Possession
internal import StrictJSON

// The orders about what limits have counted for a number.

extension ControlSurface {
    var numberRoutes: [Route] {
        [
            route("/control/numbers/show") { .showNumber($0) },
            route("/control/numbers/unlock") { .unlockNumber($0) },
        ]
    }

    private func route(_ path: String, _ order: @escaping @Sendable (PhoneNumber) -> ControlOrder) -> Route {
        Route(.post, path) { request in
            guard let number = NumberOrders.number(request.body) else { return ControlAnswer.malformed.response }
            return await answer(order(number)).response
        }
    }

    func show(_ number: PhoneNumber) async throws(Administration.Refusal) -> ControlAnswer {
        let checks = try await administration.standing(of: number).checks.map { check in
            var object = JSONObject()
            object.set("limit", check.limit.rawValue)
            object.set("counted", check.counted)
            object.set("failuresInARow", check.failuresInARow)
            return JSONValue.object(object)
        }
        return ControlAnswer(200, ["checks": .array(checks)])
    }

    func unlock(_ number: PhoneNumber) async throws(Administration.Refusal) -> ControlAnswer {
        ControlAnswer(200, ["forgotten": .integer(Int64(try await administration.unlock(number)))])
    }
}

/// Bodies of the orders: `{"phoneNumber":"+12015550123"}`.
enum NumberOrders {
    static func body(_ number: PhoneNumber) -> [UInt8] {
        (["phoneNumber": .string(number.e164)] as JSONObject).serialized()
    }

    static func number(_ body: [UInt8]) -> PhoneNumber? {
        guard let object = try? JSONObject.parse(body), object.count == 1 else { return nil }
        return object["phoneNumber"]?.string.flatMap { PhoneNumber(e164: $0) }
    }
}

extension Administration {
    /// - Throws: `.failed`.
    func standing(of number: PhoneNumber) async throws(Refusal) -> NumberStanding {
        do { return NumberStanding(number, try await limits.tallies(NumberStanding.keys(of: number)), at: now()) } catch
        {
            throw .failed("storage: \(error)")
        }
    }

    /// Forgets the failures of a number; how many counts there were.
    /// - Throws: `.failed`.
    func unlock(_ number: PhoneNumber) async throws(Refusal) -> Int {
        do { return try await limits.forgetTallies(NumberStanding.failures(of: number)) } catch {
            throw .failed("storage: \(error)")
        }
    }
}
