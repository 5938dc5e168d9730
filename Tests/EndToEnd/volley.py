"""Many requests at one moment: every connection has sent all but its last byte before the first last byte leaves."""
import http.client

from exchange import Answer
from parsing import read

ANSWER_SECONDS = 20.0


def volley(server, requests):
    """The answers to the raw requests, in their order; `None` where none came."""
    sockets = []
    try:
        for request in requests:
            connection = server.connect(ANSWER_SECONDS)
            sockets.append(connection)
            connection.sendall(request[:-1])
        for connection, request in zip(sockets, requests):
            connection.sendall(request[-1:])
        answers = [answer_on(connection) for connection in sockets]
        return [
            read(*request.decode("latin-1").split(" ", 2)[:2], answer) for request, answer in zip(requests, answers)]
    finally:
        for connection in sockets:
            connection.close()


def answer_on(connection):
    response = http.client.HTTPResponse(connection)
    try:
        response.begin()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
    except (OSError, http.client.HTTPException):
        return None


def counted(answers):
    """How often each outcome came: the error name, else the status."""
    counts = {}
    for answer in answers:
        name = "lost" if answer is None else answer["error"] or answer.status
        counts[name] = counts.get(name, 0) + 1
    return counts
