/** Versions of flows in SQLite. */
import type {
  FlowVersion,
  FlowVersionStore,
  KeptVersion,
  ListedVersion,
} from '../../calls/flow-files/flow-version-store.ts';
import { recordOf } from './rows.ts';
import type { StoreParts } from './store-parts.ts';

const MAX_VERSIONS_PER_FLOW = 300;
/** Bounded, because counting reads the records. */
const CALLS_COUNTED = 5000;

export function sqliteFlowVersions({
  database,
  transaction,
}: Pick<StoreParts, 'database' | 'transaction'>): FlowVersionStore {
  const end = database.prepare(
    'UPDATE flow_versions SET in_force = 0, last_ms = ? WHERE name = ? AND hash <> ? AND in_force = 1',
  );
  const put = database.prepare(
    `INSERT INTO flow_versions (hash, name, text, author, first_ms, last_ms, version_no, in_force)
     VALUES (?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT (hash) DO UPDATE SET text = excluded.text, last_ms = excluded.last_ms, in_force = 1`,
  );
  const forget = database.prepare(
    `DELETE FROM flow_versions WHERE hash IN
     (SELECT hash FROM flow_versions WHERE name = ? ORDER BY in_force DESC, last_ms DESC, rowid DESC LIMIT -1 OFFSET ?)
     AND hash NOT IN (SELECT version FROM canaries WHERE is_on = 1)`,
  );
  const add = database.prepare(
    `INSERT INTO flow_versions (hash, name, text, author, first_ms, last_ms, version_no, in_force)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (hash) DO UPDATE SET text = excluded.text, last_ms = excluded.last_ms WHERE in_force = 0`,
  );
  const isKept = database.prepare('SELECT 1 FROM flow_versions WHERE hash = ? AND text = ? AND in_force = 1');
  const known = database.prepare('SELECT version_no FROM flow_versions WHERE hash = ?');
  const next = database.prepare(
    `INSERT INTO flow_version_counts (name, latest) VALUES (?, 1)
     ON CONFLICT (name) DO UPDATE SET latest = latest + 1 RETURNING latest`,
  );
  const find = database.prepare(
    'SELECT hash, name, text, author, first_ms, version_no AS number FROM flow_versions WHERE hash = ?',
  );
  const list = database.prepare(
    `SELECT hash, text, author, first_ms, version_no AS number, in_force FROM flow_versions WHERE name = ?
     ORDER BY in_force DESC, last_ms DESC, rowid DESC`,
  );
  const count = database.prepare(
    `SELECT record ->> '$.flowHash' AS hash, count(*) AS calls
     FROM (SELECT record FROM calls ORDER BY call_no DESC LIMIT ?) WHERE record ->> '$.flow' = ? GROUP BY 1`,
  );
  const numberOf = (hash: string): number | undefined => {
    const row = known.get(hash);
    return row && Number(row['version_no']);
  };
  const numberFor = ({ hash, name }: FlowVersion): number => numberOf(hash) ?? Number(next.get(name)!['latest']);
  return {
    numberOf,
    keep(versions) {
      const changed = versions.filter(({ hash, text }) => isKept.get(hash, text) === undefined);
      if (changed.length === 0) return;
      transaction(() => {
        for (const version of changed) {
          const { hash, name, text, author, firstMs } = version;
          end.run(firstMs, name, hash);
          put.run(hash, name, text, author ?? null, firstMs, firstMs, numberFor(version));
          forget.run(name, MAX_VERSIONS_PER_FLOW);
        }
      });
    },
    add: (version) =>
      transaction(() => {
        const { hash, name, text, author, firstMs } = version;
        add.run(hash, name, text, author ?? null, firstMs, firstMs, numberFor(version));
        forget.run(name, MAX_VERSIONS_PER_FLOW);
      }),
    end(name, atMs) {
      end.run(atMs, name, '');
    },
    find(hash) {
      const row = find.get(hash);
      return row && recordOf<KeptVersion>(row);
    },
    list(name) {
      const calls = new Map(count.all(CALLS_COUNTED, name).map((row) => [row['hash'], Number(row['calls'])]));
      return list.all(name).map(({ in_force: inForce, ...row }): ListedVersion => {
        return { ...recordOf<KeptVersion>(row), isInForce: inForce === 1, calls: calls.get(row['hash']!) ?? 0 };
      });
    },
  };
}
