/**
 * `callweave start`: loads the configuration, starts the app and listens until a signal. The first SIGTERM or SIGINT
 * waits for active calls and sessions, for at most `limits.drain`; a second one ends them. SIGHUP reloads the
 * configuration; it never ends the process, because closing a terminal also sends it.
 */
import { relative } from 'node:path';
import { type Addresses, type App, ConfigurationError, createApp, StartError } from '../app.ts';
import { systemClock } from '../base/core/clock.ts';
import { hasErrors } from '../base/core/diagnostic.ts';
import { hostText } from '../base/core/host-text.ts';
import { defined } from '../base/core/json.ts';
import { createLog, type Log } from '../base/core/log.ts';
import { version } from '../base/version.ts';
import { type Config, readConfig, serviceManagerOf } from '../config.ts';
import { isWildcard } from '../media/telephony/wildcard.ts';
import type { CommonOptions } from './config-option.ts';
import { printDiagnostics, refuseDiagnostics } from './diagnostics.ts';
import { endHeldProcess } from './held-process.ts';
import { ownCommand } from './own-command.ts';
import { createServiceManager } from './service-manager.ts';
import { fail, type Terminal } from './terminal.ts';

export interface StartOptions extends CommonOptions {
  /** Opens a copy of the data without placing or accepting calls. */
  quarantine?: boolean;
}

/** Resolves when the service has stopped or failed to start. */
export async function start(options: StartOptions, terminal: Terminal): Promise<void> {
  let app: App | undefined;
  // The error is in the log.
  const onHangup = (): void => void app?.reload().catch(() => undefined);
  process.on('SIGHUP', onHangup);
  // By default, Node would open a debugger port on SIGUSR1.
  process.on('SIGUSR1', ignoreSignal);
  try {
    const { config, diagnostics } = readConfig(defined({ file: options.config }));
    if (!config) refuseDiagnostics(diagnostics, terminal, 2);
    await run(config, options, terminal, (made) => {
      app = made;
    }).catch((error: unknown) => refuse(error, config, terminal));
  } finally {
    process.off('SIGHUP', onHangup);
    process.off('SIGUSR1', ignoreSignal);
  }
}

const ignoreSignal = (): void => undefined;

async function run(
  config: Config,
  { json = false, quarantine = false }: StartOptions,
  terminal: Terminal,
  onMade: (app: App) => void,
): Promise<void> {
  const { level, pretty = terminal.isInteractive && !json, numbers: logNumbers } = config.log;
  const log = createLog({ level, pretty, logNumbers });
  // Logged early, because the start can take time on a busy machine.
  log.info('service.starting', { version: version() });
  const app = await createApp(config, { log, isWholeProcess: true, isQuarantined: quarantine });
  onMade(app);
  printDiagnostics(app.diagnostics, terminal);
  const addresses = await app.start();
  // Before the output: a program that waits for it may send the signal at once.
  const manager = createServiceManager(serviceManagerOf(), { clock: systemClock, log });
  const end = untilStopped(app, () => manager.stopping()).finally(() => manager.end());
  manager.ready();
  const { numbers, created } = app;
  if (json) terminal.printJson(defined({ addresses, numbers, created, quarantine: quarantine || undefined }));
  else {
    const lines = welcome(config, app, addresses, terminal.isInteractive);
    for (const line of [...lines, ...(quarantine ? QUARANTINE : [])]) terminal.print(line);
  }
  // Prebuilds the studio, because a user at the terminal is likely to open it.
  if (terminal.isInteractive) app.studio?.prepare();
  logRecognition(app, log);
  await end;
  endHeldProcess(log);
}

/** Prints the reason of a failed start. Errors that the operator cannot fix are thrown again. */
function refuse(error: unknown, config: Config, terminal: Terminal): void {
  if (error instanceof ConfigurationError) {
    printDiagnostics(error.diagnostics, terminal);
    terminal.fail(hasErrors(error.diagnostics) ? 2 : 1);
  } else if (error instanceof StartError) {
    fail(terminal, 1, error.message, error.hint);
  } else if (isStoreError(error)) {
    const hint = STORE_HINTS[String('code' in error && error.code)] ?? `check ${config.dataDirectory}`;
    fail(terminal, 1, `the data cannot be opened: ${error.message}`, hint);
  } else {
    throw error;
  }
}

/** Waits for a signal and the shutdown that follows. */
function untilStopped(app: App, onAsked: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let asked = 0;
    const onSignal = (): void => {
      asked += 1;
      if (asked === 1) {
        onAsked();
        app.stop().then(end, reject);
      }
      // The second signal ends the wait.
      if (asked === 2) app.endCallsNow();
    };
    const end = (): void => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, onSignal);
  });
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

const STORE_HINTS: Readonly<Record<string, string>> = {
  DATA_IN_USE: 'stop it, or set data_directory in callweave.yaml',
  DATA_NEWER: 'start the newer version, or restore the backup that was made before the upgrade: callweave restore',
};

const STORE_ERRORS = new Set(
  'DATA_IN_USE DATA_INCOMPLETE DATA_NEWER NOT_WRITTEN ERR_SQLITE_ERROR EACCES EIO ENOSPC ENOTDIR EPERM EROFS'.split(
    ' ',
  ),
);

function isStoreError(error: unknown): error is Error {
  const { code, syscall } = error as NodeJS.ErrnoException;
  // Node reports ENOENT for `mkdir` of nested directories on a read-only file system.
  const cannotMake = code === 'ENOENT' && syscall === 'mkdir';
  return error instanceof Error && (cannotMake || STORE_ERRORS.has(String(code)));
}

/** Secrets are only printed to a terminal: other outputs, such as a journal, are stored. */
function welcome(config: Config, app: App, { http, sip }: Addresses, isPrivate: boolean): string[] {
  const base = `http://${hostText(http.host)}:${http.port}`;
  // For a wildcard address, an address of this machine.
  const sipHost = config.sip.advertisedHost ?? (isWildcard(config.sip.host) ? '127.0.0.1' : (sip?.host ?? ''));
  const at = sip && `${hostText(sipHost)}:${sip.port}`;
  const lines = [`Callweave ${version()} is running; Ctrl-C stops it.`, ''];
  if (app.studio && isPrivate)
    lines.push(`  Studio  ${app.studio.link()}`, '          this link signs you in once', '');
  else if (app.studio) lines.push(`  Studio  ${ownCommand()} studio  prints a link that signs you in once`, '');
  lines.push(`  API   ${base}`);
  const all = isWildcard(config.sip.host) ? ', on all addresses' : '';
  if (at) lines.push(`  SIP   ${at} (UDP${config.sip.tcp ? ' and TCP' : ''}${all})`);
  if (sip?.tlsPort !== undefined) lines.push(`        ${hostText(sipHost)}:${sip.tlsPort} (TLS)`);
  for (const { number, flow, webhook } of app.numbers.slice(0, MAX_NUMBERS)) {
    const leads =
      flow === undefined ? (webhook === undefined ? 'outbound calls only' : `webhook ${webhook}`) : `flow ${flow}`;
    lines.push(`  Call  ${at && flow !== undefined ? `sip:${number}@${at}` : number}   ${leads}`);
  }
  if (app.numbers.length > MAX_NUMBERS) lines.push(`        and ${app.numbers.length - MAX_NUMBERS} more numbers`);
  for (const { engine, missing } of app.recognition) {
    if (missing) lines.push('', `  Speech recognition by ${engine} is not available: ${missing.message}`);
  }
  if (app.created && isPrivate) lines.push('', ...credentialLines(app.created));
  else if (app.created)
    lines.push('', `  Project ${app.created.appId} was created: ${ownCommand()} credentials new  prints a key for it`);
  if (config.file === undefined) lines.push(...tryNext(config, app, base, isPrivate));
  return [...lines, ''];
}

/** Logged at start, so that missing speech recognition is not first noticed in a call. */
function logRecognition({ recognition }: App, log: Log): void {
  for (const { engine, languages, missing } of recognition) {
    if (missing) log.warn('recognition.missing', { engine, why: missing.message });
    else log.info('recognition.ready', { engine, languages: languages.join(', ') });
  }
}

const QUARANTINE = [
  '  QUARANTINE: read-only. Calls and changes are refused, no events are sent, no numbers are called, and',
  '  nothing is deleted. Broadcasts and live calls stay unchanged.',
  '',
];

const MAX_NUMBERS = 5;

/** New secrets of a project. */
export interface Secrets {
  appId: string;
  appKey?: string | undefined;
  webhookSecret?: string | undefined;
}

/** Lines for the new secrets of a project. */
export const credentialLines = ({ appId, appKey, webhookSecret }: Secrets): string[] => [
  '  Credentials of the API, shown this once (only a hash of the key is kept):',
  `    app_id          ${appId}`,
  ...(appKey === undefined ? [] : [`    app_key         ${appKey}`]),
  ...(webhookSecret === undefined ? [] : [`    webhook secret  ${webhookSecret}`]),
];

function tryNext(config: Config, app: App, base: string, isPrivate: boolean): string[] {
  const from = app.numbers[0]?.number ?? '';
  const flow = app.numbers[0]?.flow ?? '';
  const user = app.created && isPrivate ? `${app.created.appId}:${app.created.appKey}` : 'APP_ID:APP_KEY';
  return [
    '',
    '  Try next:',
    `    ${ownCommand()} call ${near(config.flowsDirectory)}/${flow}.flow.yaml`,
    '      talks to the flow in this terminal, without a phone',
    `    curl -u ${user} ${base}/voice/v1/call -H 'content-type: application/json' \\`,
    `      -d '{"from": "${from}", "to": "sip:me@127.0.0.1:5070", "flow": "${flow}"}'`,
    '      calls a SIP phone that listens on port 5070 of this machine',
    `    ${ownCommand()} init shop`,
    '      creates a project in the folder shop: configuration, flow, tests',
  ];
}

const near = (path: string): string => relative(process.cwd(), path) || '.';
