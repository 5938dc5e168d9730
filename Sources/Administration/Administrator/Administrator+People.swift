internal import Engine
internal import Possession

extension Administrator {
    /// - Throws: `.overloaded`, `.failed`.
    func save(_ people: [NumberedPerson]) async throws(Refusal) -> SavedPeople {
        do { return try await self.people.save(people) } catch {
            throw error == .overloaded ? .overloaded : .failed("storage: \(error)")
        }
    }

    /// A page of the list, and the total number of people.
    func people(after: PersonID?, limit: Int) async throws(Refusal) -> (people: [ListedPerson], count: Int) {
        try await stored { (try await people.people(after: after, limit: limit), try await people.count()) }
    }

    /// Erases all data of a number or an address. If a person is named by id, erases the data of that person's number.
    /// - Parameter client: erases only the data of this API client; `nil`: the data of all, and the imported person.
    /// - Throws: `.unknownPerson`: no data is stored about it; `.overloaded`, `.failed`.
    func erase(_ name: PersonName, at client: ClientID?) async throws(Refusal) -> ErasedData {
        let erased: ErasedData?
        do throws(StorageFault) {
            let target: Target? =
                switch name {
                case .id(let id): try await people.number(of: id).map(Target.number)
                case .target(let target): target
                }
            erased = if let target { try await erasure.erase(target, at: client) } else { nil }
        } catch {
            throw error == .overloaded ? .overloaded : .failed("storage: \(error)")
        }
        guard let erased, !erased.isNothing else { throw .unknownPerson }
        return erased
    }
}
