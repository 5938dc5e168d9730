internal import Possession

extension Administration {
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

    /// - Throws: `.unknownPerson`, `.failed`.
    func erase(_ name: PersonName) async throws(Refusal) {
        let isErased: Bool
        do throws(StorageFault) {
            isErased =
                switch name {
                case .id(let id): try await people.erase(id)
                case .number(let number): try await people.erase(number)
                }
        } catch { throw .failed("storage: \(error)") }
        guard isErased else { throw .unknownPerson }
    }
}
