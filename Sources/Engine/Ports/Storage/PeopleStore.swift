package import Possession

/// A person and the number by which they are found.
package struct NumberedPerson: Sendable, Equatable, CustomStringConvertible {
    package let number: PhoneNumber
    package let person: Person
    /// The credentials by which the person is found; `nil`: only the number.
    package let credentials: Identification?

    package init(_ number: PhoneNumber, _ person: Person, credentials: Identification? = nil) {
        self.number = number
        self.person = person
        self.credentials = credentials
    }

    package var description: String { "<person of \(number)>" }
}

/// Entry for one person in a list of stored people. Only the number identifies them.
package struct ListedPerson: Sendable, Equatable {
    package let id: PersonID
    package let number: PhoneNumber
    package let createdAt: Timestamp
    /// When the data was last replaced.
    package let updatedAt: Timestamp

    package init(id: PersonID, number: PhoneNumber, createdAt: Timestamp, updatedAt: Timestamp) {
        self.id = id
        self.number = number
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// Counts of people that a batch has added and replaced.
package struct SavedPeople: Sendable, Equatable {
    package let new: Int
    package let replaced: Int

    package init(new: Int, replaced: Int) {
        self.new = new
        self.replaced = replaced
    }
}

/// The stored people who match an identification.
package enum CredentialMatch: Sendable, Equatable {
    case nobody
    case one(PhoneNumber)
    case several
    /// Each part of the identification fits more people than are compared.
    case tooMany
}

/// Stores the people that the operator imported, each under a number.
package protocol PeopleStore: Sendable {
    func person(_ number: PhoneNumber) async throws(StorageFault) -> Person?

    /// Finds the people whose credentials include all of `said`. It takes the same number of look-ups whether or not a
    /// person is found.
    func match(_ said: Identification) async throws(StorageFault) -> CredentialMatch

    /// Stores a batch as one step. If a number already has a person, the new data replaces the old and the id is kept.
    /// If a number is twice in the batch, the later entry is stored.
    func save(_ batch: [NumberedPerson]) async throws(StorageFault) -> SavedPeople

    /// People after `after`, in the order of their ids, which is the order of their first import; `nil`: from the first
    /// one on.
    func people(after: PersonID?, limit: Int) async throws(StorageFault) -> [ListedPerson]

    func count() async throws(StorageFault) -> Int

    /// The number of a stored person; `nil`: there is no such id.
    func number(of id: PersonID) async throws(StorageFault) -> PhoneNumber?
}
