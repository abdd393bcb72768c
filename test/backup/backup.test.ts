/** Backups of a data directory with a bit of everything: what is in them, what is refused, and what an interruption leaves. */
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Archive } from '../../src/media/rooms/archive/archive.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { openDataDirectory } from '../../src/service/store/sqlite/open-data-directory.ts';
import { callweave, folderOf, ROOT } from '../cli/command.ts';
import { deliveryOf, recordOf, T0, writeOf } from '../contracts/store/call-fixtures.ts';
import { filesBelow } from '../files.ts';

const clock = new VirtualClock(T0);

const ARCHIVE: Archive = {
  ...{ archiveId: 'a', projectId: 'shop', roomId: 'daily', confNum: '7', room: { name: 'Daily', ownerRef: 'me' } },
  ...{ beganMs: T0, atMs: T0, state: 'work', isSingleFile: false, transcoding: { state: 'queued' }, transcoded: [] },
  recordings: [{ file: 'ada.mka', participant: 'p', kind: 'camera', sources: ['audio'], startedAtMs: T0 }],
  chat: 'chat.json',
};

/** Files that a backup must contain in addition to the database. */
const KEPT = {
  'models/vosk/words': 'words',
  'prompts/hello.wav': 'hello',
  'recordings/done.wav': 'a whole recording',
  'recordings/rooms/7/ada.mka': 'a whole session',
  'recordings/rooms/7/chat.json': '[]',
  'voices/pico/en.bin': 'a voice',
};
const LEFT_OUT = {
  'recordings/half.wav': 'half a rec',
  'recordings/nobody-knows.wav': 'begun later',
  'recordings/rooms/7/composite.part.webm': 'being made',
  'recordings/rooms/8/ben.mka': 'goes on',
  'speech/cache.wav': 'a cache',
  'broadcasts/8/live.ts': 'a live stream',
};

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/** A service's data at rest, and a folder for backups; gone after the test. */
async function site() {
  const folder = folderOf({});
  onTestFinished(() => folder[Symbol.dispose]());
  const data = join(folder.path, 'data');
  const store = openDataDirectory({ dataDirectory: data }, clock);
  await store.calls.commit(
    writeOf('over', [1], { record: recordOf('over', { endedMs: T0 }), deliveries: [deliveryOf('d1', 'over')] }),
  );
  await store.calls.commit(writeOf('live', [1]));
  for (const [recordingId, state] of [
    ['done', 'completed'],
    ['half', 'open'],
    ['elsewhere', 'completed'],
  ] as const) {
    const file =
      state === 'completed' && recordingId !== 'done' ? '/srv/old/elsewhere.wav' : `recordings/${recordingId}.wav`;
    store.recordings.add({ recordingId, projectId: 'shop', callId: 'over', file, state, createdMs: T0 });
  }
  store.archives.close(ARCHIVE);
  store.archives.put({ ...ARCHIVE, archiveId: 'b', confNum: '8', state: 'open' });
  await store.close();
  for (const [name, text] of Object.entries({ ...KEPT, ...LEFT_OUT })) write(join(data, name), text);
  const config = join(folder.path, 'callweave.yaml');
  writeFileSync(config, 'data_directory: data\n');
  const command = (...args: string[]) => callweave([...args], { cwd: folder.path });
  return { path: folder.path, data, command };
}

const namesBelow = (path: string): string[] => filesBelow(path).map((file) => file.slice(path.length + 1));

interface WrittenManifest {
  [key: string]: unknown;
  files: { name: string; sha256: string }[];
}

const manifestIn = (backup: string): WrittenManifest =>
  JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')) as WrittenManifest;

const changeManifest = (backup: string, change: (manifest: WrittenManifest) => unknown): void => {
  const manifest = manifestIn(backup);
  change(manifest);
  writeFileSync(join(backup, 'manifest.json'), JSON.stringify(manifest));
};

describe('a backup', () => {
  it('has what is whole and belongs together, for its owner alone, and becomes the same data elsewhere', async () => {
    const { path, command } = await site();
    const taken = await command('backup', 'monday', '--json');
    expect(taken.json()).toMatchObject({ calls: 2, liveCalls: 1, waitingEvents: 1, unfinished: 2, missing: [] });
    const backup = join(path, 'monday');
    expect(namesBelow(backup)).toEqual(['callweave.db', 'manifest.json', ...Object.keys(KEPT)].sort());
    expect((await command('backup', '--verify', 'monday')).out).toContain(
      'monday is complete: 2 calls, 1 waiting event and 6 files',
    );

    const restored = await command('restore', 'monday', '--to', 'copy');
    expect(restored.out).toContain('starting with it ends 1 live call, sends 1 event; to inspect it first');
    const copy = join(path, 'copy');
    for (const [name, text] of Object.entries(KEPT)) expect(readFileSync(join(copy, name), 'utf8')).toBe(text);
    for (const place of [backup, copy]) {
      expect(statSync(place).mode & 0o777).toBe(0o700);
      expect(statSync(join(place, 'callweave.db')).mode & 0o777).toBe(0o600);
    }
    expect(statSync(join(copy, 'recordings')).mode & 0o777).toBe(0o700);
    const store = openDataDirectory({ dataDirectory: copy }, clock);
    expect([(await store.calls.call('over'))?.endedMs, (await store.outbox.counts()).waiting]).toEqual([T0, 1]);
    await store.close();
    // The copy has its own bytes.
    writeFileSync(join(copy, 'recordings/done.wav'), 'changed');
    expect((await command('backup', '--verify', 'monday')).code).toBe(0);
  });

  it('takes no space for recordings, and by an earlier one no time either', async () => {
    const { path, data, command } = await site();
    await command('backup', 'monday');
    const inode = (file: string): number => lstatSync(join(path, file)).ino;
    expect(inode('monday/recordings/done.wav')).toBe(inode('data/recordings/done.wav'));
    // A file that was not read again has the checksum of the earlier backup.
    const pretended = 'a'.repeat(64);
    changeManifest(join(path, 'monday'), ({ files }) =>
      files.map((file) => Object.assign(file, { sha256: pretended })),
    );
    utimesSync(join(data, 'prompts/hello.wav'), 1, 1);
    await command('backup', 'tuesday', '--previous', 'monday');
    const again = manifestIn(join(path, 'tuesday')).files.filter(({ sha256 }) => sha256 !== pretended);
    expect(again.map(({ name }) => name).sort()).toEqual(['callweave.db', 'prompts/hello.wav']);
  });

  it('includes recordings of an older database, which are stored by path', async () => {
    const { path, data, command } = await site();
    const database = new DatabaseSync(join(data, 'callweave.db'));
    database
      .prepare('UPDATE recordings SET file = ? WHERE recording_id = ?')
      .run(join(data, 'recordings/done.wav'), 'done');
    database.exec('DROP TABLE archives; DELETE FROM migrations WHERE number > 8');
    database.close();
    expect((await command('backup', 'monday')).code).toBe(0);
    const { migration, files } = manifestIn(join(path, 'monday'));
    expect([migration, files.map(({ name }) => name)]).toEqual([8, expect.arrayContaining(['recordings/done.wav'])]);
  });

  it('says which files were not there', async () => {
    const { data, command } = await site();
    rmSync(join(data, 'recordings/done.wav'));
    const { code, out } = await command('backup', 'monday');
    expect([code, out]).toEqual([0, expect.stringContaining('missing: recordings/done.wav')]);
  });

  it.each([
    ['a folder with something in it', 'full', 'is not empty'],
    ['a folder of the data', 'data/backups/monday', 'is in the data directory'],
    ['a file', 'callweave.yaml', 'is not a folder'],
  ])('is not written to %s', async (_what, to, problem) => {
    const { path, command } = await site();
    write(join(path, 'full/of'), 'something');
    const before = namesBelow(path);
    const { code, err } = await command('backup', to);
    expect([code, err]).toEqual([1, expect.stringContaining(problem)]);
    expect(err).toContain('hint: ');
    expect(namesBelow(path)).toEqual(before);
  });

  it('requires a data directory', async () => {
    using folder = folderOf({ 'callweave.yaml': 'data_directory: data\n' });
    const { code, err } = await callweave(['backup', 'monday'], { cwd: folder.path });
    expect([code, err]).toEqual([1, expect.stringContaining('there are no data in')]);
  });

  it('has no name yet if it is killed, and the next one is complete', async () => {
    const { path, data, command } = await site();
    const slow = join(data, 'models/large');
    write(slow, '');
    truncateSync(slow, 4 * 2 ** 30);
    const child = spawn(process.execPath, [join(ROOT, 'bin/callweave.js'), 'backup', 'monday'], { cwd: path });
    await vi.waitFor(() => expect(existsSync(join(path, 'monday.partial/models/large'))).toBe(true), 20_000);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(existsSync(join(path, 'monday'))).toBe(false);
    expect((await command('restore', 'monday.partial', '--to', 'copy')).err).toContain('is not a backup');
    rmSync(slow);
    expect((await command('backup', 'monday')).code).toBe(0);
    expect(existsSync(join(path, 'monday.partial'))).toBe(false);
    expect((await command('backup', '--verify', 'monday')).code).toBe(0);
  });

  it.skipIf(!canMount())('reports a full disk, and leaves nothing behind (needs to mount a file system)', async () => {
    const { path, data, command } = await site();
    writeFileSync(join(data, 'recordings/done.wav'), Buffer.alloc(2 ** 20));
    const small = join(path, 'small');
    mkdirSync(small);
    mount(small, '1m');
    const { code, err } = await command('backup', 'small/monday');
    expect([code, err]).toEqual([1, expect.stringMatching(/the disk is full.*\n.*hint: free some space/)]);
    expect(readdirSync(small)).toEqual([]);
  });
});

function mount(directory: string, size: string): void {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory]);
  expect(status).toBe(0);
  onTestFinished(() => void spawnSync('umount', ['-l', directory]));
}

function canMount(): boolean {
  using folder = folderOf({});
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder.path]);
  if (status === 0) spawnSync('umount', ['-l', folder.path]);
  return status === 0;
}

describe('a restore', () => {
  it('replaces nothing, and takes nothing from a service that runs', async () => {
    const { path, data, command } = await site();
    await command('backup', 'monday');
    const before = namesBelow(path);
    const refused = await command('restore', 'monday');
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/data is not empty\n.*mv /)]);
    const store = openDataDirectory({ dataDirectory: data }, clock);
    const running = await command('restore', 'monday');
    await store.close();
    expect([running.code, running.err]).toEqual([1, expect.stringContaining('a service works with')]);
    expect(namesBelow(path)).toEqual(before);
  });

  it('repeats an interrupted restore before anything starts', async () => {
    const { path, command } = await site();
    await command('backup', 'monday');
    write(join(path, 'copy/.restoring/recordings/done.wav'), 'hal');
    expect(() => openDataDirectory({ dataDirectory: join(path, 'copy') }, clock)).toThrow('a restore is not complete');
    expect((await command('restore', 'monday', '--to', 'copy')).code).toBe(0);
    await openDataDirectory({ dataDirectory: join(path, 'copy') }, clock).close();
  });

  it.each<[what: string, problem: RegExp, change: (backup: string) => void]>([
    ['leads out', /"\.\.\/out" is not the name/, (backup) => rename(backup, '../out')],
    ['leads out on the way', /is not the name/, (backup) => rename(backup, 'recordings/../../out')],
    ['has an absolute name', /is not the name/, (backup) => rename(backup, '/etc/cron.d/out')],
    ['names what is only of a running service', /is not the name/, (backup) => rename(backup, 'callweave.db-wal')],
    ['has a name with NUL', /is not the name/, (backup) => rename(backup, 'recordings/a\0b')],
    ['names a file twice', /names callweave.db twice/, (backup) => rename(backup, 'callweave.db')],
    [
      'has another checksum',
      /done.wav has another checksum/,
      (backup) => changeManifest(backup, ({ files }) => Object.assign(fileIn(files), { sha256: '0'.repeat(64) })),
    ],
    [
      'has a checksum that is not one',
      /checksum of \S+ is not one/,
      (backup) => changeManifest(backup, ({ files }) => Object.assign(fileIn(files), { sha256: '' })),
    ],
    [
      'has another size',
      /done.wav has 17 bytes, not 3/,
      (backup) => changeManifest(backup, ({ files }) => Object.assign(fileIn(files), { bytes: 3 })),
    ],
    [
      'does not name the database',
      /does not name callweave.db/,
      (backup) =>
        changeManifest(backup, (manifest) => {
          manifest.files = [];
        }),
    ],
    [
      'is of another format',
      /its format is 2, not 1/,
      (backup) =>
        changeManifest(backup, (manifest) => {
          manifest['format'] = 2;
        }),
    ],
    ['is not JSON', /is not a JSON object/, (backup) => writeFileSync(join(backup, 'manifest.json'), '{')],
    [
      'is of a newer version',
      /the backup is of version 99\.0\.0, .*\n.*install Callweave 99\.0\.0 or later/,
      (backup) => changeManifest(backup, (manifest) => Object.assign(manifest, { version: '99.0.0', migration: 9999 })),
    ],
  ])('refuses a backup whose manifest %s', async (_what, problem, change) => {
    const { path, command } = await site();
    await command('backup', 'monday');
    change(join(path, 'monday'));
    await refusesToRestore({ path, command }, problem);
  });

  it.each<[what: string, problem: RegExp, change: (file: string) => void]>([
    ['is missing', /done.wav is missing/, (file) => rmSync(file)],
    ['was changed', /done.wav has another checksum/, (file) => writeFileSync(file, 'a whale recording')],
    [
      'is a link',
      /done.wav is not a file of this folder/,
      (file) => {
        rmSync(file);
        symlinkSync('/etc/hostname', file);
      },
    ],
  ])('refuses a backup in which a file %s', async (_what, problem, change) => {
    const { path, data, command } = await site();
    await command('backup', 'monday');
    // The same bytes otherwise.
    rmSync(join(data, 'recordings/done.wav'));
    change(join(path, 'monday/recordings/done.wav'));
    const { code, err } = await command('backup', '--verify', 'monday');
    expect([code, err]).toEqual([1, expect.stringMatching(problem)]);
    await refusesToRestore({ path, command }, problem);
  });
});

const fileIn = (files: WrittenManifest['files']): object => files.find(({ name }) => name === 'recordings/done.wav')!;

const rename = (backup: string, name: string): void =>
  changeManifest(backup, ({ files }) => Object.assign(fileIn(files), { name }));

async function refusesToRestore(
  { path, command }: Pick<Awaited<ReturnType<typeof site>>, 'path' | 'command'>,
  problem: RegExp,
): Promise<void> {
  const before = namesBelow(path);
  const { code, err } = await command('restore', 'monday', '--to', 'copy');
  expect([code, err]).toEqual([1, expect.stringMatching(problem)]);
  expect(err).toContain('hint: ');
  expect(namesBelow(path).filter((name) => !name.startsWith('copy/callweave.lock'))).toEqual(before);
}

it('reports a backup with more files than in its manifest as damaged', async () => {
  const { path, command } = await site();
  await command('backup', 'monday');
  changeManifest(join(path, 'monday'), (manifest) => {
    manifest.files = manifest.files.filter(({ name }) => name !== 'recordings/done.wav');
  });
  const { code, err } = await command('backup', '--verify', 'monday');
  expect([code, err]).toEqual([1, expect.stringContaining('recordings/done.wav is not in the manifest')]);
});
