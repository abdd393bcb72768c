/** Mistakes of an operator: starting the service twice, an unusable directory. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import { systemClock } from '../../src/base/core/clock.ts';
import { type Config, readConfigText } from '../../src/config.ts';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { WavWriter } from '../../src/media/telephony/media/wav-writer.ts';
import { claimDataDirectory, DataInUse } from '../../src/service/store/sqlite/ownership.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { callweave } from '../cli/command.ts';
import { writeOf } from '../contracts/store/call-fixtures.ts';

const newDirectory = (): string => mkdtempSync(join(tmpdir(), 'callweave-operator-'));

function configOf(directory: string): Config {
  const text = 'flows_directory: .\nhttp: { port: 0 }\nsip: { host: 127.0.0.97, port: 0 }\n';
  writeFileSync(join(directory, 'callweave.yaml'), text);
  const { config } = readConfigText(text, join(directory, 'callweave.yaml'));
  return config!;
}

describe('a second service on the same data', () => {
  it('does not start, and leaves the calls of the first alone', async () => {
    const directory = newDirectory();
    const first = await createApp(configOf(directory));
    const file = join(directory, 'data', 'callweave.db');
    const beside = openSqliteStore({ file, clock: systemClock });
    await beside.calls.commit(writeOf('call-1', [1, 2]));
    const journal = await beside.calls.journal('call-1');

    const second = await callweave(['start', '--config', join(directory, 'callweave.yaml')]);
    expect(second.code).toBe(1);
    expect(second.out + second.err).toMatch(/^callweave: the data cannot be opened: another service works with it/);
    expect((await beside.calls.unfinished()).map(({ callId }) => callId)).toEqual(['call-1']);
    expect(await beside.calls.journal('call-1')).toEqual(journal);

    await first.stop(0);
    await beside.close();
    const next = await createApp(configOf(directory));
    await next.stop(0);
  });

  it('is detected by a lock that is released at the end, and does not block readers', () => {
    const file = join(newDirectory(), 'lock');
    const release = claimDataDirectory(file);
    expect(() => claimDataDirectory(file)).toThrow(DataInUse);
    release();
    release();
    claimDataDirectory(file)();
  });
});

describe('file access of the service', () => {
  it('are private to the service for recordings, whatever the directory was', async () => {
    const directory = newDirectory();
    mkdirSync(join(directory, 'open'), { mode: 0o755 });
    for (const file of [join(directory, 'open', 'a.wav'), join(directory, 'made', 'b.wav')]) {
      expect(await new WavWriter(file, 1, () => {}).finish()).toBeUndefined();
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    expect(statSync(join(directory, 'made')).mode & 0o777).toBe(0o700);
  });

  it('are skipped without delay if they are not regular', () => {
    const directory = newDirectory();
    writeFileSync(join(directory, 'good.flow.yaml'), 'flow: good\nstart: a\nsteps: { a: { hangup: normal } }\n');
    execFileSync('mkfifo', [join(directory, 'pipe.flow.yaml')]);
    symlinkSync('.', join(directory, 'loop'));
    symlinkSync('/etc/passwd', join(directory, 'passwd.flow.yaml'));
    const library = new FlowLibrary(verbs).load(directory);
    expect(library.names()).toEqual(['good']);
    expect(library.diagnostics()).toMatchObject([{ code: 'unreadable', message: 'it is not a regular file' }]);
  });
});
