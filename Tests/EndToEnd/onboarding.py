#!/usr/bin/env python3
"""Digital Onboarding, as a plain client calls it: processes from their start to their end.

Starts servers of its own. The last line is "N passed, M failed".
"""
import argparse
import sys
import threading

import scenes
from exchange import Caller
from holdfast import add_server_arguments, checked_arguments
from world import INGE, LANEY, World

# Users of config/sandbox-users.json: one who gets a code, one whom nothing reaches, one who is written to.
KNOWN, UNREACHED = {"clientNumber": "12345"}, {"clientNumber": "12347"}
WRITTEN = {"clientNumber": 12348, "birthDate": "1990-02-28"}
UNKNOWN = {"clientNumber": "99999"}
CODE = "12345678"
IMPORTED = f"""phoneNumber,firstName,lastName,credentials.clientNumber,credentials.email,credentials.birthDate,credentials.mobile
{LANEY},Laney,Example,98765,sam@example.com,1990-02-28,206-555-0123
{INGE},Inge,Example,98766 ,SAM@example.com,1991-02-28,200-100-4041
"""
LORANT, ORLA = "2001004014", "orla.keane@example.com"


class App:
    """An app without a server part: it keeps the id of its process."""

    def __init__(self, site):
        self.site, self.caller, self.process = site, Caller(site.server.base_url), None
        site.callers.append(self.caller)

    def call(self, path, **members):
        return self.caller.post("/api/onboarding" + path, {"requestObject": members})

    def start(self, identification):
        answer = ok(self.call("/start", identification=identification))
        self.process = answer["responseObject"]["processId"]
        return answer["responseObject"]

    def status(self):
        return ok(self.call("/status", processId=self.process))["responseObject"]["onboardingStatus"]

    def again(self):
        return self.call("/otp/resend", processId=self.process)

    def end(self):
        return self.call("/cleanup", processId=self.process)

    def code(self):
        answer = ok(self.call("/otp/detail", processId=self.process, otpType="ACTIVATION"))
        return answer["responseObject"]["otpCode"]

    def messages(self):
        everything = self.caller.call("GET", "/sandbox/messages")["messages"]
        return [message for message in everything if message["correlationId"] == self.process]


def ok(answer):
    assert answer.status == 200 and answer["status"] == "OK", answer
    return answer


def failed(answer, code, status=400):
    assert answer.status == status and answer["status"] == "ERROR", answer
    assert answer["responseObject"]["code"] == code, answer
    # The older SDKs take an answer without it for none.
    assert isinstance(answer["timestamp"], int), answer
    return answer


def a_process_is_started_sent_again_and_ended(world):
    app = App(world.plain)
    started = app.start(KNOWN)
    assert started["onboardingStatus"] == "ACTIVATION_IN_PROGRESS", started
    assert started["config"] == {"otpResendPeriod": "PT30S", "otpResendPeriodSeconds": 30}, started
    assert app.code() == CODE and [message["to"] for message in app.messages()] == [LORANT]
    failed(app.again(), "ONBOARDING_OTP_FAILED")
    world.plain.advance(30)
    ok(app.again())
    assert len(app.messages()) == 2
    ok(app.end())
    ok(app.end())
    assert app.status() == "FAILED"
    failed(app.again(), "ONBOARDING_FAILED")


def imported_people_are_found_by_declared_keys(world):
    site = world.site("imported", HOLDFAST_IDENTITY_KEYS="clientNumber,email:address+birthDate,mobile:number")
    people = site.server.directory / "people.csv"
    people.write_text(IMPORTED)
    site.server.command("people", "import", str(people))
    for identification, number in (
            ({"clientNumber": 98765}, LANEY), ({"clientNumber": " 98765\t"}, LANEY),
            ({"email": " Sam@Example.COM", "birthDate": "1990-02-28 "}, LANEY), ({"mobile": "(200) 100-4041"}, INGE),
            ({"mobile": "(206) 555-0123"}, LANEY), ({"mobile": "+1 206 555 0123"}, LANEY),
            ({"mobile": "+1 200 100 4041"}, INGE), ({"email": "sam", "birthDate": "1990-02-28"}, None),
            ({"email": "sam@example.com", "birthDate": "1991-02-28"}, INGE),
            ({"email": "sam@example.com"}, None), ({"email": "sam@example.com", "birthDate": "1992-02-28"}, None)):
        app = App(site)
        app.start(identification)
        assert [message["to"] for message in app.messages()] == ([number] if number else []), identification
        ok(app.end())


def the_same_credentials_go_on(world):
    app, other = App(world.plain), App(world.plain)
    first = app.start(KNOWN)["processId"]
    assert other.start({"clientNumber": 12345})["processId"] == first
    ok(app.end())
    assert other.start(KNOWN)["processId"] != first
    ok(other.end())


def a_process_ends_after_three_hours(world):
    app = App(world.plain)
    app.start(KNOWN)
    world.plain.advance(10_799)
    assert app.status() == "ACTIVATION_IN_PROGRESS"
    world.plain.advance(1)
    assert app.status() == "FAILED"


def a_code_may_go_by_email(world):
    app = App(world.plain)
    app.start(WRITTEN)
    message, = app.messages()
    assert message["to"] == ORLA and message["channel"] == "email" and CODE in message["text"], message
    ok(app.end())


def who_is_unknown_gets_the_same_answers_and_no_message(world):
    seen = []
    for identification in (KNOWN, UNKNOWN):
        app, answers = App(world.plain), []
        answers.append(app.call("/start", identification=identification))
        app.process = answers[0]["responseObject"]["processId"]
        answers += [app.call("/status", processId=app.process), app.again()]
        world.plain.advance(30)
        answers += [app.again(), app.end(), app.again(), app.call("/status", processId=app.process)]
        seen.append([(answer.status, sorted(answer.headers), plain(answer.json, app.process)) for answer in answers])
        assert len(app.messages()) == (2 if identification == KNOWN else 0)
    assert seen[0] == seen[1], seen


def plain(value, process):
    """An answer without what differs in any two of them."""
    if isinstance(value, dict):
        return {name: plain(member, process) for name, member in value.items() if name != "timestamp"}
    return "the process" if value == process else value


def a_carriers_refusal_is_told_in_the_sandbox(world):
    failed(App(world.plain).call("/start", identification=UNREACHED), "ONBOARDING_OTP_FAILED")


def many_starts_at_once_make_one_process(world):
    apps, barrier, processes = [App(world.plain) for _ in range(16)], threading.Barrier(16), []

    def run(app):
        barrier.wait()
        processes.append(app.start(KNOWN)["processId"])

    threads = [threading.Thread(target=run, args=(app,)) for app in apps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(processes) == 16 and len(set(processes)) == 1, processes
    assert len(apps[0].messages()) == 1
    ok(apps[0].end())


def kill(site):
    site.hang_up()
    site.server.kill()
    site.server.start()


def a_process_outlives_the_server(world):
    site = world.site("killed")
    app = App(site)
    process = app.start(KNOWN)["processId"]
    kill(site)
    assert app.status() == "ACTIVATION_IN_PROGRESS" and app.start(KNOWN)["processId"] == process
    ok(app.end())
    kill(site)
    assert app.status() == "FAILED"


def the_sixth_process_of_a_day_is_refused_whoever_it_names(world):
    site = world.limited
    for identification in (KNOWN, UNKNOWN):
        app = App(site)
        for _ in range(5):
            site.advance(120)
            app.start(identification)
            ok(app.end())
        refused = failed(app.call("/start", identification=identification), "TOO_MANY_ONBOARDING_PROCESSES", 429)
        assert 86_000 <= int(refused.headers["retry-after"]) + 600 and int(refused.headers["retry-after"]) <= 86_400
    site.advance(86_400)
    app.start(KNOWN)


def what_cannot_be_read_is_named(world):
    app = App(world.plain)
    large = {f"n{number}": "v" * 200 for number in range(1000)}
    for identification in ({}, [], "12345", {"a": {"b": 1}}, {"a": [1]}, {"a": 1.5}, {f"n{n}": "" for n in range(33)}):
        answer = failed(app.call("/start", identification=identification), "INVALID_REQUEST")
        assert "requestObject.identification" in answer["responseObject"]["message"], answer
    failed(app.call("/start", identification=large), "INVALID_REQUEST", 413)
    answer = failed(app.call("/status", processId="x"), "INVALID_REQUEST")
    assert "requestObject.processId" in answer["responseObject"]["message"], answer
    failed(app.call("/status", processId="019b7907-8d58-7500-8000-000000000001"), "ONBOARDING_FAILED")


def plain_calls_can_be_turned_off(world):
    site = world.site("sealed", HOLDFAST_ONBOARDING_ACCEPT_PLAIN="false")
    failed(App(site).call("/start", identification=KNOWN), "ERR_ENCRYPTION")


def the_description_is_its_own(world):
    answer = world.plain.sandbox.caller.call("GET", "/onboarding/openapi.json")
    assert answer.status == 200 and "/api/onboarding/start" in answer["paths"], answer


def codes_and_credentials_show_nowhere(world):
    for name, site in world.sites.items():
        output = site.server.output()
        for hidden in (CODE, "99999", "98765", "sam@example.com", "1990-02-28", *site.secrets):
            assert hidden not in output, f"a code, a credential or a secret is in the log of {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_server_arguments(parser)
    parser.add_argument("--only", default="", help="scenes whose name has this text")
    options = checked_arguments(parser)
    world = World(options)
    try:
        scenes.run(scenes.of(sys.modules[__name__]), world, options.only)
    finally:
        world.close()


if __name__ == "__main__":
    main()
