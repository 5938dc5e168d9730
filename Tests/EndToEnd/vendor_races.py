#!/usr/bin/env python3
"""Twilio Verify's and Prelude's calls at one moment, around a kill, at the edge of time, and with the ids of others.

Speaks plain HTTP, so that every byte has its moment. Starts its own servers on free ports with fresh data. The last
line is "N passed, M failed".
"""
import argparse
import base64
import collections
import random
import sys
import time
import uuid

import scenes
import volley
from exchange import Answer, raw_request
from holdfast import add_server_arguments, checked_arguments, expected
from vendors import OWN, Prelude, Twilio, ask, outcome
from world import World

WRONG = "999999"
SENDS = CHECKS = 5
WINDOW_SECONDS = 600
CROWD = 200
KILLS = 12
KILL_SECONDS = (0.001, 0.012)  # after the calls have left; they take some milliseconds
NUMBERS = (f"+1201555{number}" for number in range(1000, 10000))
VENDORS = (Twilio, Prelude)


def raw(vendor, call):
    method, path, headers, body = call
    return raw_request(method, path, f"127.0.0.1:{vendor.site.server.port}", headers, body)


def race(vendor, calls):
    """The answers to calls at one moment, none of which may be lost or a fault of the server."""
    answers = volley.volley(vendor.site.server, [raw(vendor, call) for call in calls])
    failed = [answer for answer in answers if answer is None or answer.status >= 500]
    assert not failed, f"{len(failed)} of {len(answers)} lost or failed, first {failed[0]}"
    return answers


def counts(vendor, answers):
    return dict(collections.Counter(vendor.outcome(answer) for answer in answers))


def inbox(site, number):
    return site.sandbox.messages(number)


def in_turn(vendor, number, times):
    """So many creates, one after the other."""
    return collections.Counter(outcome(vendor, vendor.create(number)) for _ in range(times))


# At one moment


def of_many_creates_one_begins_and_five_send(world):
    site, notes = world.simulated, []
    for vendor in (kind(site) for kind in VENDORS):
        number = next(NUMBERS)
        answers = race(vendor, [vendor.create(number)] * CROWD)
        found = counts(vendor, answers)
        assert found == {vendor.sent: SENDS, vendor.no_sends: CROWD - SENDS}, (vendor.name, found)
        names = {vendor.identifier(answer) for answer in answers if answer.status in (200, 201)}
        assert len(names) == 1, names
        messages = inbox(site, number)
        assert len(messages) == SENDS and len({message["correlationId"] for message in messages}) == 1, messages
        notes.append(f"{vendor.name} {found}")
    return "; ".join(notes)


def of_many_right_codes_one_passes(world):
    site = world.simulated
    for vendor in (kind(site) for kind in VENDORS):
        number = next(NUMBERS)
        assert outcome(vendor, vendor.create(number)) == vendor.sent
        found = counts(vendor, race(vendor, [vendor.check(number, OWN)] * CROWD))
        assert found == {vendor.passed: 1, vendor.over: CROWD - 1}, (vendor.name, found)


def of_many_wrong_codes_five_are_looked_at(world):
    site = world.simulated
    for vendor in (kind(site) for kind in VENDORS):
        number = next(NUMBERS)
        assert outcome(vendor, vendor.create(number)) == vendor.sent
        found = counts(vendor, race(vendor, [vendor.check(number, WRONG)] * CROWD))
        assert found == {vendor.wrong: CHECKS, vendor.no_checks: CROWD - CHECKS}, (vendor.name, found)
        assert outcome(vendor, vendor.check(number, OWN)) == vendor.no_checks


def right_and_wrong_codes_never_pass_twice(world):
    site = world.simulated
    for vendor in (kind(site) for kind in VENDORS):
        for _ in range(5):
            number = next(NUMBERS)
            ask(vendor, vendor.create(number))
            codes = [WRONG, OWN, WRONG, OWN, WRONG, WRONG, OWN, WRONG, WRONG, WRONG]
            found = counts(vendor, race(vendor, [vendor.check(number, code) for code in codes]))
            assert found.get(vendor.passed, 0) <= 1 and found.get(vendor.wrong, 0) <= CHECKS, (vendor.name, found)
            assert found.get(vendor.passed) or found.get(vendor.wrong) == CHECKS, (vendor.name, found)


def a_create_and_the_right_code_leave_one_verification(world):
    """The create falls into the verification, or begins the next one. In both cases its answer tells the truth."""
    site = world.simulated
    for vendor in (kind(site) for kind in VENDORS):
        for _ in range(5):
            number = next(NUMBERS)
            first = vendor.identifier(ask(vendor, vendor.create(number)))
            checked, created = race(vendor, [vendor.check(number, OWN), vendor.create(number)])
            assert vendor.outcome(created) == vendor.sent, (vendor.name, created)
            begins = vendor.identifier(created) != first
            # A check that comes after a new verification has begun is one of that verification.
            assert vendor.outcome(checked) == vendor.passed, (vendor.name, checked)
            assert len(inbox(site, number)) == 2
            left = outcome(vendor, vendor.check(number, OWN))
            assert left in ((vendor.passed, vendor.over) if begins else (vendor.over,)), (vendor.name, begins, left)


def where_one_message_may_leave_one_of_many_creates_sends_it(world):
    """In live the next message of a number waits. A call that is refused takes nothing from the one that sent."""
    site = world.site(
        "held", HOLDFAST_LIMITS_ENFORCE_IN_SANDBOX="true", HOLDFAST_SANDBOX_UNKNOWN_NUMBERS="simulate",
        HOLDFAST_LIMITS_SECONDS_BETWEEN_SENDS="30")
    for vendor, exchanges in ((Twilio(site), range(200, 208)), (Prelude(site), range(208, 216))):
        for exchange in exchanges:
            number = f"+1201{exchange}0123"
            found = counts(vendor, race(vendor, [vendor.create(number)] * 8))
            refused = "too soon" if vendor.name == "twilio" else "blocked"
            assert found == {vendor.sent: 1, refused: 7}, (vendor.name, found)
            assert len(inbox(site, number)) == 1
            assert outcome(vendor, vendor.check(number, OWN)) == vendor.passed, vendor.name


def twilio_ends_are_not_taken_twice(world):
    """Of cancel, the backend's word and the right code one ends the verification."""
    site = world.simulated
    twilio = Twilio(site)
    for _ in range(5):
        number = next(NUMBERS)
        sid = ask(twilio, twilio.create(number))["sid"]
        calls = [twilio.update(sid, "canceled"), twilio.update(sid, "approved"), twilio.check_of(sid, OWN)] * 4
        found = counts(twilio, race(twilio, calls))
        assert sum(found.get(word, 0) for word in ("approved", "canceled")) == 1, found
        assert found["unknown"] == len(calls) - 1, found


# A crash between the message and the answer


def answered(connection):
    """The answer that had come before the kill, if there was one."""
    answer = volley.answer_on(connection)
    return answer if isinstance(answer, Answer) else None


def kill_amid(vendor, calls, chance):
    """The answers that came although the server was killed while it worked."""
    server, sockets = vendor.site.server, []
    try:
        for call in calls:
            connection = server.connect(volley.ANSWER_SECONDS)
            sockets.append(connection)
            connection.sendall(raw(vendor, call))
        time.sleep(chance.uniform(*KILL_SECONDS))
        server.kill()
        return [answered(connection) for connection in sockets]
    finally:
        for connection in sockets:
            connection.close()
        vendor.site.hang_up()
        vendor.caller.close()
        server.start()


def a_kill_amid_creates_charges_each_once(world):
    """After the restart a repeated call goes on with what is there: five messages in all, and the code passes."""
    site, chance = world.site("killed", HOLDFAST_SANDBOX_UNKNOWN_NUMBERS="simulate"), random.Random(world.options.seed)
    lost = kept = 0
    for kind in VENDORS:
        vendor = kind(site)
        for _ in range(KILLS):
            numbers = [next(NUMBERS) for _ in range(6)]
            answers = kill_amid(vendor, [vendor.create(number) for number in numbers], chance)
            # Right away: Prelude takes a call as repeated for two minutes.
            more = {"repeated": True} if kind is Prelude else {}
            before = [charged(vendor, number) for number in numbers] if kind is Twilio else [None] * len(numbers)
            again = [ask(vendor, vendor.create(number, **more)) for number in numbers]
            for number, answer, charge, repeated in zip(numbers, answers, before, again):
                lost += answer is None
                kept += bool(charge) and answer is None
                assert vendor.outcome(repeated) == vendor.sent, (vendor.name, repeated)
                if answer is not None:
                    assert vendor.identifier(answer) == vendor.identifier(repeated), (answer, repeated)
                if kind is Twilio:
                    assert charge == 1 or answer is None, f"{number} was answered, and has {charge} messages"
                    assert len(repeated["send_code_attempts"]) == charge + 1, (charge, repeated)
                    left = SENDS - charge - 1
                else:
                    # The repeated call sends nothing where the first one had.
                    left = SENDS - 1
                found = in_turn(vendor, number, SENDS)
                assert found == {vendor.sent: left, vendor.no_sends: SENDS - left}, (vendor.name, charge, found)
                # The inbox starts empty: what the kill left queued, the repeated call's, and the others.
                count = len(inbox(site, number))
                assert count <= SENDS, f"{number} got {count} messages"
                assert outcome(vendor, vendor.check(number, OWN)) == vendor.passed, vendor.name
                assert outcome(vendor, vendor.check(number, OWN)) == vendor.over, vendor.name
    assert lost, "no kill came before an answer: the scene shows nothing"
    return f"{lost} of {2 * KILLS * 6} calls were not answered; of Twilio's {kept} had sent"


def charged(twilio, number):
    """How many messages the verification of a number has, as the server knows after the crash."""
    found = ask(twilio, twilio.read(number))
    return len(found["send_code_attempts"]) if found.status == 200 else 0


def a_kill_amid_checks_passes_once(world):
    site, chance = world.site("killed", HOLDFAST_SANDBOX_UNKNOWN_NUMBERS="simulate"), random.Random(world.options.seed)
    for kind in VENDORS:
        vendor = kind(site)
        for _ in range(KILLS // 2):
            numbers = [next(NUMBERS) for _ in range(6)]
            for number in numbers:
                assert outcome(vendor, vendor.create(number)) == vendor.sent
            answers = kill_amid(vendor, [vendor.check(number, OWN) for number in numbers], chance)
            for number, answer in zip(numbers, answers):
                again = outcome(vendor, vendor.check(number, OWN))
                if answer is not None:
                    assert (vendor.outcome(answer), again) == (vendor.passed, vendor.over), (vendor.name, answer, again)
                else:
                    assert again in (vendor.passed, vendor.over), (vendor.name, again)
                    assert outcome(vendor, vendor.check(number, OWN)) == vendor.over


# The edge of time


def a_code_and_its_verification_end_together(world):
    """At 599 seconds the first code passes; at 600 the newest one does not."""
    site = world.simulated
    for kind in VENDORS:
        vendor = kind(site)
        early, late = next(NUMBERS), next(NUMBERS)
        names = {number: vendor.identifier(ask(vendor, vendor.create(number, "111222"))) for number in (early, late)}
        site.advance(WINDOW_SECONDS // 2)
        for number in (early, late):
            again = ask(vendor, vendor.create(number, "333444"))
            assert vendor.identifier(again) == names[number], "another verification"
        # The clock goes on by itself: a few seconds are left for the calls above.
        site.advance(WINDOW_SECONDS // 2 - 5)
        assert outcome(vendor, vendor.check(early, "111222")) == vendor.passed, vendor.name
        site.advance(5)
        for code in ("111222", "333444"):
            assert outcome(vendor, vendor.check(late, code)) == vendor.over, (vendor.name, code)
        new = ask(vendor, vendor.create(late, "555666"))
        assert vendor.outcome(new) == vendor.sent and vendor.identifier(new) != names[late], new
        assert outcome(vendor, vendor.check(late, "333444")) == vendor.wrong, "a code of the earlier verification"
        assert outcome(vendor, vendor.check(late, "555666")) == vendor.passed


def used_up_checks_and_sends_come_back_with_time(world):
    site = world.simulated
    for kind in VENDORS:
        vendor = kind(site)
        number = next(NUMBERS)
        assert in_turn(vendor, number, SENDS + 1) == {vendor.sent: SENDS, vendor.no_sends: 1}
        for _ in range(CHECKS):
            assert outcome(vendor, vendor.check(number, WRONG)) == vendor.wrong
        assert outcome(vendor, vendor.check(number, OWN)) == vendor.no_checks
        site.advance(WINDOW_SECONDS)
        assert outcome(vendor, vendor.check(number, OWN)) == vendor.over
        assert outcome(vendor, vendor.create(number)) == vendor.sent
        assert outcome(vendor, vendor.check(number, OWN)) == vendor.passed


# Foreign ids


def another_clients_verification_is_not_there(world):
    site = world.simulated
    for kind in VENDORS:
        mine, other, number = kind(site), kind(site, "sandbox-2"), next(NUMBERS)
        name = mine.identifier(ask(mine, mine.create(number)))
        calls = [other.check(number, OWN), other.read(name)]
        if kind is Twilio:
            calls += [
                other.check_of(name, OWN), other.update(name, "canceled"), other.update(name, "approved"),
                other.read(number)]
            calls += [
                (method, path.replace(other.service, mine.service), headers, body)
                for method, path, headers, body in calls]
            assert ask(other, other.attempts(name))["attempts"] == []
        for call in calls:
            assert outcome(other, call) in (other.over, "not_found"), (kind.name, call[1], ask(other, call))
        # It has a verification of its own for the same number, and neither disturbs the other.
        assert outcome(other, other.create(number, "777888")) == other.sent
        assert outcome(mine, mine.check(number, "777888")) == mine.wrong
        assert outcome(mine, mine.check(number, OWN)) == mine.passed
        assert outcome(other, other.check(number, "777888")) == other.passed


def a_session_belongs_to_the_surface_that_began_it(world):
    site, number = world.simulated, next(NUMBERS)
    twilio, prelude = Twilio(site), Prelude(site)
    started = site.unify(number)
    client = started.client()
    client.to_code_entry()
    code = started.messages()[-1]["code"]
    of_prove = started.correlation_id
    for vendor in (twilio, prelude):
        assert outcome(vendor, vendor.check(number, code)) == vendor.over, vendor.name
    judge_foreign(twilio, prelude, site, of_prove, but="prove")
    assert started.status("pending")

    of_twilio = str(uuid.UUID(ask(twilio, twilio.create(number, "111222"))["sid"][2:]))
    assert outcome(prelude, prelude.check(number, "111222")) == prelude.over
    judge_foreign(twilio, prelude, site, of_twilio, but="twilio")

    ask(prelude, prelude.create(number, "333444"))
    of_prelude = inbox(site, number)[-1]["correlationId"]
    assert outcome(twilio, twilio.check(number, "333444")) == twilio.wrong, "a code of Prelude is one of Twilio"
    judge_foreign(twilio, prelude, site, of_prelude, but="prelude")

    # All three are as they were.
    assert len({of_prove, of_twilio, of_prelude}) == 3
    assert outcome(twilio, twilio.check(number, "111222")) == twilio.passed
    assert outcome(prelude, prelude.check(number, "333444")) == prelude.passed
    expected(client.verify(code), 200, outcome="succeeded")
    started.status("true")


def judge_foreign(twilio, prelude, site, correlation_id, but):
    """The session is unknown at every surface but its own."""
    if but != "twilio":
        sid = twilio.of(correlation_id)
        for call in (
                twilio.read(sid), twilio.check_of(sid, OWN), twilio.update(sid, "canceled"),
                twilio.update(sid, "approved")):
            assert outcome(twilio, call) == "unknown", (but, call[1])
        assert ask(twilio, twilio.attempts(sid))["attempts"] == []
    if but != "prelude":
        answer = ask(prelude, prelude.read(prelude.of(correlation_id)))
        assert (answer.status, answer["code"]) == (404, "not_found"), (but, answer)
    if but != "prove":
        platform = site.platform
        for answer in (
                platform.status(correlation_id), platform.bind(correlation_id, "2015551000"),
                platform.validate(correlation_id), platform.challenge(correlation_id)):
            assert answer.status in (400, 403, 404), (but, answer)


def no_number_and_no_secret_is_in_a_log(world):
    for name, site in world.sites.items():
        log = site.server.output()
        assert "+1201555" not in log and "1201555" not in log, f"a number is in the log of {name}"
        # The sandbox greets with its secret.
        for secret in (f'"{OWN}"', "Bearer ", "hf_test_sandbox", base64.b64encode(b"sandbox:sandbox-secret").decode()):
            assert secret not in log, f"{secret} is in the log of {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_server_arguments(parser)
    parser.add_argument("--only", default="", help="scenes whose name has this text")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the moments of the kills")
    options = checked_arguments(parser)
    print(f"seed {options.seed}")
    world = World(options)
    try:
        scenes.run(scenes.of(sys.modules[__name__]), world, options.only, seconds=60.0)
    finally:
        world.close()


if __name__ == "__main__":
    main()
