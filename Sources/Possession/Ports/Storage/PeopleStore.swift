/// A person and the number that leads to them.
package struct NumberedPerson: Sendable, Equatable, CustomStringConvertible {
    package let number: PhoneNumber
    package let person: Person
    /// The credentials that find the person; `nil`: none do.
    package let credentials: Identification?

    package init(_ number: PhoneNumber, _ person: Person, credentials: Identification? = nil) {
        self.number = number
        self.person = person
        self.credentials = credentials
    }

    package var description: String { "<person of \(number)>" }
}

/// Entry for one person in a list of the stored people: nothing that names them but the number.
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

/// Numbers of people that a batch has added and replaced.
package struct SavedPeople: Sendable, Equatable {
    package let new: Int
    package let replaced: Int

    package init(new: Int, replaced: Int) {
        self.new = new
        self.replaced = replaced
    }
}

/// The stored people whom an identification names.
package enum CredentialMatch: Sendable, Equatable {
    case nobody
    case one(PhoneNumber)
    case several
    /// Each thing that is said is said of more people than are looked at.
    case tooMany
}

/// Keeps the people that the operator imported, each under a number.
package protocol PeopleStore: Sendable {
    func person(_ number: PhoneNumber) async throws(StorageFault) -> Person?

    /// Finds the people who have all that is said among their credentials. Takes as many look-ups for nobody as for somebody.
    func match(_ said: Identification) async throws(StorageFault) -> CredentialMatch

    /// Stores a batch as one step. A number that has a person gets the new data whole, under the old id; of two
    /// with one number in the batch, the later one stays.
    func save(_ batch: [NumberedPerson]) async throws(StorageFault) -> SavedPeople

    /// Those behind `after` in the order of their ids, which is that of their first import; from the first one on
    /// when it is `nil`.
    func people(after: PersonID?, limit: Int) async throws(StorageFault) -> [ListedPerson]

    func count() async throws(StorageFault) -> Int

    /// The number of a stored person; `nil`: there is none with this id.
    func number(of id: PersonID) async throws(StorageFault) -> PhoneNumber?
}
