"""The database of the servers under test: SQLite in the data directory, or the PostgreSQL that scripts/with-postgres starts.

`ENGINE` is that of this run. Both answer the same questions about a server's data.
"""
import os
import re
import secrets
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

SEALED = "\\_sealed"


class SQLite:
    name = "SQLite"

    def prepare(self, server):
        """Settings for a server, whose data directory may be new."""
        return {}

    def files(self, data):
        """Every file with data of the server."""
        return [file for file in sorted(data.rglob("*")) if file.is_file()]

    def faults(self, data):
        """`PRAGMA integrity_check` on a copy of the data, so that the files under test stay as a kill left them."""
        with tempfile.TemporaryDirectory(prefix="holdfast-copy-") as directory:
            copy = Path(directory) / "data"
            # A socket or a pipe of the dead process is no data.
            shutil.copytree(data, copy, ignore=lambda folder, names: [
                name for name in names if not (Path(folder, name).is_file() or Path(folder, name).is_dir())])
            databases = [
                file for file in copy.rglob("*") if file.is_file() and file.open("rb").read(15) == b"SQLite format 3"]
            faults = [] if databases else ["no database among the data"]
            for file in databases:
                # It may have to roll back a journal first.
                connection = sqlite3.connect(f"file:{file}?mode=rw", uri=True)
                try:
                    result = connection.execute("PRAGMA integrity_check").fetchone()[0]
                except sqlite3.DatabaseError as error:
                    result = str(error)
                finally:
                    connection.close()
                if result != "ok":
                    faults.append(f"{file.name}: {result}")
            return faults

    def generations(self, data):
        """The first bytes of every sealed value, by column, of a stopped server's database."""
        with tempfile.TemporaryDirectory(prefix="holdfast-copy-") as directory:
            copy = Path(directory) / "copy.db"
            shutil.copy(data / "holdfast.db", copy)
            database = sqlite3.connect(copy)
            try:
                columns = database.execute(
                    "SELECT t.name, c.name FROM pragma_table_list() t JOIN pragma_table_xinfo(t.name) c"
                    f" WHERE t.schema = 'main' AND c.name LIKE '%{SEALED}' ESCAPE '\\' AND t.name <> 'keysets'").fetchall()
                return {f"{table}.{column}": {
                    int(row[0], 16) for row in database.execute(
                        f"SELECT DISTINCT hex(substr({column}, 1, 1)) FROM {table} WHERE {column} IS NOT NULL")}
                    for table, column in columns}
            finally:
                database.close()


class Postgres:
    """A database for each data directory; the servers have a role that only reads and writes rows."""

    name = "PostgreSQL"

    def __init__(self):
        self.superuser = os.environ["HOLDFAST_TEST_DATABASE_SUPERUSER_URL"]
        self.owner = os.environ["HOLDFAST_TEST_DATABASE_URL"]
        self.programs = Path(os.environ["HOLDFAST_TEST_DATABASE_PROGRAMS"])
        self.cluster = Path(os.environ["HOLDFAST_TEST_DATABASE_DIRECTORY"]) / "primary"
        # Another script of the same run has its own.
        self.role, self.password = f"holdfast_{secrets.token_hex(4)}", secrets.token_hex(16)
        # The primary first. Which one takes changes is found at each connect.
        self.hosts = ",".join([
            re.search(r"@([^/]+)/", self.owner)[1],
            *(f"127.0.0.1:{port}" for port in os.environ.get("HOLDFAST_TEST_STANDBY_PORTS", "").split())])
        self.prepared = {}
        self.has_role = False

    def prepare(self, server):
        """The settings of one data directory: a server that starts again, or another one, finds its database."""
        place = str(server.data)
        if place not in self.prepared:
            self.prepared[place] = self._make(server)
        return self.prepared[place]

    def _make(self, server):
        if not self.has_role:
            self.query(f"CREATE ROLE {self.role} LOGIN PASSWORD '{self.password}'")
            self.has_role = True
        name = f"e{secrets.token_hex(8)}"
        owner, _, password = re.search(r"//([^:]+)(:)([^@]+)@", self.owner).groups()
        # A copy of files leaves less in the log, which scripts read for what must not be there.
        self.query(f"CREATE DATABASE {name} OWNER {owner} STRATEGY FILE_COPY")
        files = {"server.password": self.password, "owner.password": password}
        for file, text in files.items():
            path = server.directory / file
            path.touch(mode=0o600)
            path.write_text(text)
        host = self.hosts
        settings = {
            "HOLDFAST_DATABASE_URL": f"postgresql://{self.role}@{host}/{name}",
            "HOLDFAST_DATABASE_PASSWORD_FILE": str(server.directory / "server.password"),
            "HOLDFAST_DATABASE_OWNER_URL": f"postgresql://{owner}@{host}/{name}",
            "HOLDFAST_DATABASE_OWNER_PASSWORD_FILE": str(server.directory / "owner.password"),
            "HOLDFAST_DATABASE_ALLOW_NO_STANDBY": server.environment.get("HOLDFAST_DATABASE_ALLOW_NO_STANDBY", "true"),
        }
        command = [server.binary, "database", "migrate", "--config", server.config, "--data", str(server.data)]
        made = subprocess.run(command, capture_output=True, text=True, env={**server.environment, **settings})
        if made.returncode != 0:
            raise RuntimeError(f"{' '.join(command[1:3])} ended with {made.returncode}: {made.stderr[-500:]}")
        return settings

    def query(self, sql, database="postgres", hosts=None):
        """Runs a statement as the superuser on the first host that takes changes; the rows, a line for each."""
        url = re.sub(r"@.*$", f"@{hosts or self.hosts}/{database}?target_session_attrs=read-write", self.superuser)
        ended = subprocess.run(
            [self.programs / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", url], input=sql, capture_output=True, text=True)
        if ended.returncode != 0:
            raise RuntimeError(f"psql ended with {ended.returncode}: {ended.stderr[-500:]}")
        return ended.stdout.splitlines()

    def _database(self, data):
        return self.prepared[str(data)]["HOLDFAST_DATABASE_URL"].rpartition("/")[2]

    def files(self, data):
        """Those of the data directory, of the database and of the log of the cluster."""
        self.query("CHECKPOINT")
        number = self.query(f"SELECT oid FROM pg_database WHERE datname = '{self._database(data)}'")[0]
        folders = (data, self.cluster / "base" / number, self.cluster / "pg_wal")
        # PostgreSQL removes its cache of the catalog at any time.
        return [file for folder in folders for file in sorted(folder.rglob("*"))
                if file.is_file() and not file.name.startswith("pg_internal.init")]

    def faults(self, data):
        """PostgreSQL was not killed. Each table is read, so that a row that cannot be read is found."""
        name = self._database(data)
        tables = self.query("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace", name)
        self.query(";".join(f"COPY {table} TO STDOUT" for table in tables), name)
        return [] if tables else ["no tables in the database"]

    def generations(self, data):
        name = self._database(data)
        columns = self.query(
            "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'"
            f" AND column_name LIKE '%{SEALED}' AND table_name <> 'keysets'", name)
        found = {}
        for column in columns:
            table, _, field = column.partition(".")
            rows = self.query(f"SELECT DISTINCT get_byte({field}, 0) FROM {table} WHERE {field} IS NOT NULL", name)
            found[column] = {int(row) for row in rows}
        return found


ENGINE = Postgres() if "HOLDFAST_TEST_DATABASE_URL" in os.environ else SQLite()
