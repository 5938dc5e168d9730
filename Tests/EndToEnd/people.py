"""The published people behind the sandbox users of Pre-Fill and Identity (fictional), as `individual` shows them."""


def person(name, dob, ssn, email_address, *addresses):
    first, last = name.split()
    return {
        "firstName": first, "lastName": last, "dob": dob, "ssn": ssn, "emailAddresses": [email_address],
        "addresses": [dict(zip(("address", "city", "region", "postalCode"), address)) for address in addresses]}


MILO, MARCIA, NEVIN, AGRETHA = "2001001695", "2001001693", "2001001688", "2001001687"
CATHEE, VAN = "5550000000", "5555555555"
MARTINA, OTTOLINE, BENJI, ENID, CARNEY = "2001004000", "2001004090", "2001004009", "2001001698", "2001001699"

PEOPLE = {
    MILO: person("Milo Pinson", "1981-01-17", "847350596", "mpinsonm@dyndns.org",
                 ("6377 Birchwood Hill", "Littleton", "CO", "80161-2001")),
    MARCIA: person("Marcia Longo", "1982-07-19", "470806227", "mlongok@amazonaws.com",
                   ("00 Mallard Park", "New Orleans", "LA", "70165"), ("71 Walton Trail", "Memphis", "TN", "38150")),
    NEVIN: person("Nevin Chattey", "1980-03-20", "542742985", "nchatteyf@techcrunch.com",
                  ("9398 Scott Plaza", "Austin", "TX", "78744")),
    AGRETHA: person("Agretha Chene", "1994-12-29", "369956933", "achenee@printfriendly.com",
                    ("4861 Jay Junction", "Boston", "MS", "02208")),
    CATHEE: person("Cathee Simmonett", "1962-10-06", "771240999", "csimmonettj@toplist.cz",
                   ("49 Moulton Plaza", "Athens", "GA", "30610")),
    # SSN and e-mail address were not published.
    VAN: person("Van Moors", "1976-01-07", "987654320", "vmoors@example.com",
                ("9 Prairie Rose Court", "Columbus", "MS", "39705")),
    MARTINA: person("Martina Goodram", "1995-07-26", "490959347", "mgoodram0@nasa.gov",
                    ("28965 Homewood Plaza", "Little Rock", "AR", "72204")),
    OTTOLINE: person("Ottoline Varga", "1971-11-05", "900451273", "ovarga@example.com",
                     ("17 Nowhere Lane", "Fargo", "ND", "58102")),
    BENJI: person("Benji Harper", "1994-09-02", "565252770", "bharperd@superstars.com",
                  ("27 Financial Place", "Bakersfield", "CA", "93301-2425")),
    ENID: person("Enid Wildt", "1996-06-18", "212285822", "ewildtp@eepurl.com",
                 ("861 Karstens Circle", "Washington", "DC", "20409")),
    CARNEY: person("Carney Reinisch", "2000-03-03", "166521601", "creinischq@php.net",
                   ("582 Coleman Point", "San Antonio", "TX", "78230")),
}


def name_of(number):
    """The least that `complete` takes."""
    return {member: PEOPLE[number][member] for member in ("firstName", "lastName")}
