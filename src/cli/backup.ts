/** `callweave backup` and `callweave restore`: copies the data of a service to a folder and back. Uses `backup/`. */
import { systemClock } from '../base/core/clock.ts';
import { BackupError } from '../service/backup/backup-error.ts';
import type { Manifest } from '../service/backup/manifest.ts';
import { restoreBackup } from '../service/backup/restore-backup.ts';
import { takeBackup } from '../service/backup/take-backup.ts';
import { verifyBackup } from '../service/backup/verify-backup.ts';
import { type CommonOptions, requireDataConfig } from './config-option.ts';
import { countOf, fail, firstLines, type Terminal } from './terminal.ts';

export interface BackupOptions extends CommonOptions {
  verify?: boolean;
  previous?: string;
}

export const backup = (folder: string, options: BackupOptions, terminal: Terminal): Promise<void> =>
  options.verify ? verify(folder, options, terminal) : take(folder, options, terminal);

const take = (to: string, { previous, ...options }: BackupOptions, terminal: Terminal): Promise<void> =>
  inWords(terminal, async () => {
    const { dataDirectory } = requireDataConfig(options, terminal);
    const manifest = await takeBackup({ dataDirectory, to, previous, nowMs: systemClock.now() });
    if (options.json) return terminal.printJson({ folder: to, ...summaryOf(manifest) });
    terminal.print(`${to} contains ${contentsOf(manifest)}`);
    const { unfinished, missing } = manifest;
    if (unfinished > 0) terminal.print(`${countOf(unfinished, 'recording')} in progress: included in the next backup`);
    for (const line of firstLines(missing, 'file')) terminal.print(`missing: ${line}`);
  });

const verify = (folder: string, { json }: BackupOptions, terminal: Terminal): Promise<void> =>
  inWords(terminal, async () => {
    const { manifest, problems } = await verifyBackup(folder);
    if (problems.length > 0) terminal.fail(1);
    if (json) return terminal.printJson({ ok: problems.length === 0, folder, problems, ...summaryOf(manifest) });
    for (const line of firstLines(problems, 'problem')) terminal.printError(line);
    terminal.print(problems.length > 0 ? `${folder} is damaged` : `${folder} is complete: ${contentsOf(manifest)}`);
  });

export interface RestoreOptions extends CommonOptions {
  to?: string;
}

export const restore = (from: string, options: RestoreOptions, terminal: Terminal): Promise<void> =>
  inWords(terminal, async () => {
    const dataDirectory = options.to ?? requireDataConfig(options, terminal).dataDirectory;
    const manifest = await restoreBackup({ from, dataDirectory });
    if (options.json) return terminal.printJson({ folder: dataDirectory, ...summaryOf(manifest) });
    terminal.print(`${dataDirectory} contains ${contentsOf(manifest)}, as of ${manifest.at}`);
    const { liveCalls, waitingEvents, broadcasts } = manifest;
    if (liveCalls + waitingEvents + broadcasts === 0) return;
    const next = [
      ...(liveCalls > 0 ? [`ends ${countOf(liveCalls, 'live call')}`] : []),
      ...(waitingEvents > 0 ? [`sends ${countOf(waitingEvents, 'event')}`] : []),
      ...(broadcasts > 0 ? [`continues ${countOf(broadcasts, 'broadcast')}`] : []),
    ];
    terminal.print(`starting with it ${next.join(', ')}; to inspect it first:  callweave start --quarantine`);
  });

function contentsOf({ calls, files, waitingEvents }: Manifest): string {
  const size = bytesOf(files) / 1e6;
  const events = countOf(waitingEvents, 'waiting event');
  return `${countOf(calls, 'call')}, ${events} and ${countOf(files.length - 1, 'file')}, ${size.toFixed(1)} MB`;
}

const bytesOf = (files: Manifest['files']): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

/** The list of files is replaced by their number. */
const summaryOf = ({ files, ...manifest }: Manifest) => ({
  ...manifest,
  files: files.length,
  bytes: bytesOf(files),
});

async function inWords(terminal: Terminal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    fail(terminal, 1, error.message, error.hint);
  }
}
