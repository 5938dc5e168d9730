#!/usr/bin/env python3
"""Plays a day of verifications on cells, to check the plan of docs/operate/scale.md.

    cells.py [--verifications N] [--cells N] [--seed N]

A cell is a PostgreSQL with its servers. A cell has all numbers of a prefix. An API client may send a number of messages a day, its
budget, over all cells: its home cell has the budget, and lends parts of it to the others. The day has busy and quiet hours. API clients
and countries are of very different size. In a campaign a client sends 30 times its usual calls for a quarter of an hour, in one country.
The home cell of the largest client is away for ten minutes, and at noon a cell is added.

It prints what the cells had to do, and ends with 1 if one of the limits below is passed.
"""
import argparse
import collections
import dataclasses
import hashlib
import math
import random
import sys

DAY, STEP = 86_400, 10  # seconds; parts of a budget are lent once a step
CLIENTS, COUNTRIES, PREFIXES = 40, 40, 100_000
CAMPAIGNS, CAMPAIGN_SECONDS, CAMPAIGN_FACTOR = 12, 900, 30
CAMPAIGN_MOST = 0.5  # of all calls of a usual moment
# One client in five has a budget of 0.9 of the messages that it would send. The others have four times what they send.
TIGHT, TIGHT_BUDGET, WIDE_BUDGET = 5, 0.9, 4.0
AWAY_FROM, AWAY_UNTIL = 50_000, 50_600
ADDED_AT = 43_200
KEPT_SECONDS = 1_200  # a cell can do without the home cell of a client for so long, while much of the budget is left

# Measured (docs/operate/scale.md): what one verification costs its PostgreSQL.
PRIMARY_SECONDS = 0.0050  # of a processor
LOG_KB = 8.0
# Limits of a cell: processors of its primary that may be busy (0.6 of 16), and verifications in a second that count at one row.
MOST_PROCESSORS = 9.6
MOST_AT_ROW = 150.0
# Limits of the plan.
# Calls that are refused although another cell still has a part of the budget, by all calls. While a home cell is away, this happens to
# its clients whose calls rise in that time.
MOST_REFUSED, MOST_REFUSED_AWAY = 0.0001, 0.005
MOST_IMBALANCE = 1.5  # the fullest cell by the mean
MOST_MOVED = 0.02  # prefixes that move to an added cell, above its fair part


def cell_of(name, cells):
    """Rendezvous hashing: the cell with the largest hash. An added cell takes its part from all others, and no other prefix moves."""
    return max(range(cells), key=lambda cell: hashlib.blake2b(f"{cell}/{name}".encode(), digest_size=8).digest())


def zipf(count, exponent):
    """The parts of the members of a group, the largest first."""
    weights = [1 / (place + 1) ** exponent for place in range(count)]
    return [weight / sum(weights) for weight in weights]


def poisson(chance, mean):
    if mean > 50:
        return max(0, round(chance.gauss(mean, math.sqrt(mean))))
    limit, product, count = math.exp(-mean), chance.random(), 0
    while product > limit:
        product *= chance.random()
        count += 1
    return count


def split(chance, count, parts):
    """Splits calls by chance, in these parts on average."""
    if count <= 200:
        drawn = collections.Counter(chance.choices(range(len(parts)), parts, k=count))
        return [drawn[place] for place in range(len(parts))]
    found = [max(0, round(chance.gauss(count * part, math.sqrt(count * part * (1 - part))))) for part in parts]
    largest = max(range(len(parts)), key=found.__getitem__)
    found[largest] = max(0, found[largest] + count - sum(found))
    return found


class Budget:
    """The messages that an API client may send in a day. A cell sends only from what the home cell has lent to it."""

    def __init__(self, amount, cells):
        self.amount = self.left = int(amount)
        self.lent, self.usual = [0] * cells, [0.0] * cells
        self.sent = self.refused = self.refused_too_early = self.refused_away = 0

    def add_cell(self):
        self.lent.append(0)
        self.usual.append(0.0)

    def lend_to(self, cell, amount):
        given = min(self.left, max(0, amount))
        self.lent[cell] += given
        self.left -= given

    def send(self, cell, count, is_home_away):
        """The calls that may send. A cell that has used up its part asks the home cell at once."""
        if not is_home_away and count > self.lent[cell]:
            self.lend_to(cell, count - self.lent[cell] + int(3 * self.usual[cell]))
        passed = min(count, self.lent[cell])
        self.lent[cell] -= passed
        self.sent += passed
        self.refused += count - passed
        too_early = min(count - passed, self.left + sum(self.lent))
        if is_home_away:
            self.refused_away += too_early
        else:
            self.refused_too_early += too_early
        self.usual[cell] = max(count, self.usual[cell] * 0.8)
        return passed

    def share_out(self):
        """Each cell gets what it usually needs in KEPT_SECONDS, but all together not more than half of what is left, and at least
        what it needs in three steps. It gives back the rest."""
        most = self.left / (2 * len(self.lent))
        wanted = [int(max(3, 3 * usual, min(KEPT_SECONDS / STEP * usual, most))) for usual in self.usual]
        for cell, amount in enumerate(wanted):
            if self.lent[cell] > amount:
                self.left += self.lent[cell] - amount
                self.lent[cell] = amount
        missing = [amount - have for amount, have in zip(wanted, self.lent)]
        part = min(1.0, self.left / max(1, sum(missing)))
        for cell, amount in enumerate(missing):
            self.lend_to(cell, int(amount * part))

    def is_overrun(self):
        return self.sent > self.amount or self.left + sum(self.lent) + self.sent != self.amount


class Prefixes:
    """The cells of all prefixes. A country has as many prefixes as its part of the calls, and at least 20."""

    def __init__(self, parts, cells):
        names = [[f"{country}/{place}" for place in range(max(20, round(PREFIXES * part)))] for country, part in enumerate(parts)]
        self.before = [[cell_of(name, cells) for name in country] for country in names]
        self.after = [[cell_of(name, cells + 1) for name in country] for country in names]

    def parts(self, country, is_added, cells):
        """Of the calls to a country, the part of each cell."""
        cells_of = (self.after if is_added else self.before)[country]
        found = collections.Counter(cells_of)
        return [found[cell] / len(cells_of) for cell in range(cells)]

    def moved(self):
        pairs = [pair for before, after in zip(self.before, self.after) for pair in zip(before, after)]
        return sum(before != after for before, after in pairs) / len(pairs)


@dataclasses.dataclass
class Found:
    sent: int = 0
    busiest: float = 0.0  # calls of one cell in a second
    hottest: float = 0.0  # calls of one client and country in a cell in a second
    imbalance: float = 0.0


class Day:
    def __init__(self, options):
        self.chance = random.Random(options.seed)
        self.cells, self.verifications = options.cells, options.verifications
        self.clients, self.countries = zipf(CLIENTS, 1.0), zipf(COUNTRIES, 1.2)
        self.prefixes = Prefixes(self.countries, options.cells)
        self.budgets = [
            Budget(options.verifications * part * (TIGHT_BUDGET if place % TIGHT == TIGHT - 1 else WIDE_BUDGET), options.cells)
            for place, part in enumerate(self.clients)]
        self.homes = [cell_of(f"client {place}", options.cells) for place in range(CLIENTS)]
        self.campaigns = [
            (self.chance.randrange(CLIENTS), self.chance.randrange(COUNTRIES), self.chance.randrange(DAY - CAMPAIGN_SECONDS))
            for _ in range(CAMPAIGNS)]
        self.found = Found()
        self._spread(is_added=False)

    def _spread(self, is_added):
        self.by_country = [self.prefixes.parts(country, is_added, self.cells) for country in range(COUNTRIES)]
        self.by_cell = [
            sum(part * parts[cell] for part, parts in zip(self.countries, self.by_country)) for cell in range(self.cells)]

    def play(self):
        for second in range(0, DAY, STEP):
            if second == ADDED_AT:
                self.cells += 1
                for budget in self.budgets:
                    budget.add_cell()
                self._spread(is_added=True)
            self._play_step(second)

    def _play_step(self, second):
        # From 0.3 of the mean at night to 1.7 in the busiest hour.
        usual = self.verifications / DAY * (1 + 0.7 * math.sin(2 * math.pi * (second / DAY - 0.25)))
        of_cells = [0] * self.cells
        for client in range(CLIENTS):
            is_away = self.homes[client] == self.homes[0] and AWAY_FROM <= second < AWAY_UNTIL
            sent = self._send(client, usual * self.clients[client], self.by_cell, is_away)
            self._note_row(max(sent) * self.countries[0])
            of_cells = [have + more for have, more in zip(of_cells, sent)]
            for of, country, start in self.campaigns:
                if of == client and start <= second < start + CAMPAIGN_SECONDS:
                    more = min((CAMPAIGN_FACTOR - 1) * self.clients[client], CAMPAIGN_MOST) * usual
                    sent = self._send(client, more, self.by_country[country], is_away)
                    self._note_row(max(sent))
                    of_cells = [have + more for have, more in zip(of_cells, sent)]
            if not is_away:
                self.budgets[client].share_out()
        found, total = self.found, sum(of_cells)
        found.sent += total
        found.busiest = max(found.busiest, max(of_cells) / STEP)
        if total > 5_000:
            found.imbalance = max(found.imbalance, max(of_cells) * self.cells / total)

    def _send(self, client, rate, parts, is_away):
        calls = split(self.chance, poisson(self.chance, rate * STEP), parts)
        return [self.budgets[client].send(cell, count, is_away) for cell, count in enumerate(calls)]

    def _note_row(self, count):
        self.found.hottest = max(self.found.hottest, count / STEP)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verifications", type=int, default=100_000_000, help="in the day (default %(default)s)")
    parser.add_argument("--cells", type=int, default=8, help="before noon (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    day = Day(options)
    day.play()
    found, budgets = day.found, day.budgets
    processors = found.busiest * PRIMARY_SECONDS
    calls = sum(budget.sent + budget.refused for budget in budgets)
    too_early, away = (sum(getattr(budget, name) for budget in budgets) for name in ("refused_too_early", "refused_away"))
    moved, fair = day.prefixes.moved(), 1 / (options.cells + 1)
    overrun = sum(budget.is_overrun() for budget in budgets)
    print(f"{found.sent:,} verifications in a day, on {options.cells} cells, and on {day.cells} from noon on")
    print(f"busiest ten seconds of a cell: {found.busiest:,.0f} a second, {processors:.1f} processors of its primary, "
          f"{found.busiest * LOG_KB / 1000:.1f} MB of log a second")
    print(f"most for one client and country in a cell: {found.hottest:,.0f} a second; one row takes {MOST_AT_ROW:,.0f}")
    print(f"fullest cell: {found.imbalance:.2f} times the mean")
    print(f"budgets overrun: {overrun} of {len(budgets)}; refused although another cell had a part: {too_early:,} of {calls:,}, "
          f"and {away:,} while the home cell was away")
    print(f"prefixes that moved to the added cell: {moved * 100:.1f} %; its fair part is {fair * 100:.1f} %")
    faults = [text for is_broken, text in (
        (overrun, "a budget is overrun"),
        (processors > MOST_PROCESSORS, f"the primary of a cell has {MOST_PROCESSORS} processors for PostgreSQL"),
        (found.hottest > MOST_AT_ROW, "too many verifications count at one row"),
        (too_early > calls * MOST_REFUSED, "too many calls are refused although another cell has a part of the budget"),
        (away > calls * MOST_REFUSED_AWAY, "too many calls are refused while the home cell is away"),
        (found.imbalance > MOST_IMBALANCE, f"a cell has more than {MOST_IMBALANCE} times the mean"),
        (moved > fair + MOST_MOVED, "too many prefixes move"),
    ) if is_broken]
    if faults:
        sys.exit("\n".join(f"cells: {fault}" for fault in faults))


if __name__ == "__main__":
    main()
