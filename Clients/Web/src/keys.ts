import { KeyStore, StoredKey } from "./environment";

const databaseName = "holdfast";
const sessions = "sessions";
const devices = "devices";
/** Longer than any session lives. */
const sessionMilliseconds = 20 * 60 * 1000;
/** A database that another tab holds up must not hold up the person. */
const openMilliseconds = 3000;

/** Keys in IndexedDB, which keeps them without ever showing them. Where there is none, keys live as long as the page. */
export class BrowserKeys implements KeyStore {
  private database?: Promise<IDBDatabase | undefined>;
  private readonly held = new Map<string, StoredKey>();

  isLasting(): Promise<boolean> {
    return this.open().then((database) => !!database);
  }

  async session(authID: string, make: () => Promise<StoredKey>): Promise<StoredKey> {
    const held = this.held.get(authID);
    if (held) return held;
    const database = await this.open();
    const stored = database && (await read(database, sessions, authID).catch(() => undefined));
    if (stored) return stored;
    const made = await make();
    try {
      if (!database) throw new Error("no database");
      await this.purge(database, made.madeAt);
      return await putOnce(database, sessions, authID, made);
    } catch {
      this.held.set(authID, made);
      return made;
    }
  }

  async forgetSession(authID: string): Promise<void> {
    this.held.delete(authID);
    const database = await this.open();
    if (database) await request(database, sessions, "readwrite", (store) => store.delete(authID));
  }

  async device(server: string): Promise<StoredKey | undefined> {
    const database = await this.open();
    return database && read(database, devices, server);
  }

  async keepDevice(server: string, key: StoredKey, old?: StoredKey): Promise<StoredKey> {
    const database = await this.open();
    return database ? putOnce(database, devices, server, key, old) : key;
  }

  private open(): Promise<IDBDatabase | undefined> {
    if (!this.database) this.database = openDatabase().catch(() => undefined);
    return this.database;
  }

  /** Takes away the keys of sessions that are long over. */
  private purge(database: IDBDatabase, now: number): Promise<unknown> {
    return request(database, sessions, "readwrite", (store) => {
      const walk = store.openCursor();
      walk.onsuccess = () => {
        const cursor = walk.result;
        if (!cursor) return;
        if (Math.abs(now - (cursor.value as StoredKey).madeAt) > sessionMilliseconds) cursor.delete();
        cursor.continue();
      };
      return walk;
    });
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("the key store does not open")), openMilliseconds);
    const opening = indexedDB.open(databaseName, 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore(sessions);
      opening.result.createObjectStore(devices);
    };
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      // A later version of the library in another tab may change the stores.
      opening.result.onversionchange = () => opening.result.close();
      resolve(opening.result);
    };
  });
}

function read(database: IDBDatabase, storeName: string, name: string): Promise<StoredKey | undefined> {
  return request(database, storeName, "readonly", (store) => store.get(name)) as Promise<StoredKey | undefined>;
}

/** Resolves when the whole transaction is through, so that what was put is kept. */
function request(
  database: IDBDatabase, storeName: string, mode: IDBTransactionMode, make: (store: IDBObjectStore) => IDBRequest,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(storeName, mode);
    const made = make(transaction.objectStore(storeName));
    transaction.oncomplete = () => resolve(made.result);
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
}

/** Puts a key where there is none but `old`, in one transaction. Gives the key that is there afterwards. */
function putOnce(
  database: IDBDatabase, storeName: string, name: string, key: StoredKey, old?: StoredKey,
): Promise<StoredKey> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(storeName, "readwrite");
    const store = transaction.objectStore(storeName);
    let kept = key;
    const reading = store.get(name);
    reading.onsuccess = () => {
      const found = reading.result as StoredKey | undefined;
      if (found && (!old || found.thumbprint !== old.thumbprint)) kept = found;
      else store.put(key, name);
    };
    transaction.oncomplete = () => resolve(kept);
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
}
