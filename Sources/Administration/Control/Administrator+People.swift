internal import Possession

extension Administrator {
    /// - Throws: `.overloaded`, `.failed`.
    func save(_ people: [NumberedPerson]) async throws(Refusal) -> SavedPeople {
        do { return try await self.people.save(people) } catch {
            throw error == .overloaded ? .overloaded : .failed("storage: \(error)")
        }
    }

    /// A page of the list, and how many people there are in all.
    func people(_ page: PeoplePage) async throws(Refusal) -> (people: [ListedPerson], count: Int) {
        do {
            return (try await people.people(after: page.after, limit: page.limit), try await people.count())
        } catch { throw .failed("storage: \(error)") }
    }

    /// Erases all that belongs to a number or an address: a person's number, if they are named by id.
    /// - Throws: `.unknownPerson` when nothing is kept of it, `.overloaded`, `.failed`.
    func erase(_ order: NumberErasure) async throws(Refusal) -> ErasedData {
        let erased: ErasedData?
        do throws(StorageFault) {
            let target: Target? =
                switch order.name {
                case .id(let id): try await people.number(of: id).map(Target.number)
                case .target(let target): target
                }
            erased = if let target { try await erasure.erase(target, at: order.client) } else { nil }
        } catch {
            throw error == .overloaded ? .overloaded : .failed("storage: \(error)")
        }
        guard let erased, !erased.isNothing else { throw .unknownPerson }
        return erased
    }
}
