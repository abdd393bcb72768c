/**
 * Runs the service: configuration → app → listening, until the process is asked to stop. The first SIGTERM or SIGINT lets
 * the calls there are come to their end, a second one ends them. SIGHUP reads the certificates again and ends nothing: a
 * terminal that is closed sends it, too.
 */
import { relative } from 'node:path';
import { type Addresses, type App, ConfigurationError, createApp, StartError } from './app.ts';
import { type Config, type ConfigSource, readConfig } from './config.ts';
import { type Diagnostic, hasErrors } from './core/diagnostic.ts';
import { createLog, type Log } from './core/log.ts';
import { isWildcard } from './telephony/wildcard.ts';
import { version } from './version.ts';

export interface ServiceOptions extends ConfigSource {
  print(line: string): void;
  /** For programs: what `print` says to people. */
  started?(facts: Started): void;
  /** Shows what is wrong with the configuration or a flow. */
  report(diagnostics: readonly Diagnostic[]): void;
  reportError(message: string, hint?: string): void;
  /** Somebody reads along: lines for people. */
  isInteractive: boolean;
}

export interface Started {
  addresses: Addresses;
  numbers: App['numbers'];
  created?: App['created'];
}

/** How long calls may go on after the first signal. */
const DRAIN_MS = 30_000;

/** Resolves with the exit status when the service has stopped, or could not start. */
export async function runService(options: ServiceOptions): Promise<0 | 1 | 2> {
  let reload = (): void => {};
  const onHangup = (): void => reload();
  process.on('SIGHUP', onHangup);
  try {
    return await runConfigured(options, (app) => {
      reload = () => app.reload();
    });
  } finally {
    process.off('SIGHUP', onHangup);
  }
}

async function runConfigured(options: ServiceOptions, made: (app: App) => void): Promise<0 | 1 | 2> {
  const { config, diagnostics } = readConfig(options);
  if (!config) {
    options.report(diagnostics);
    return 2;
  }
  try {
    const { log: written } = config;
    const log = createLog({
      level: written.level,
      pretty: written.pretty ?? options.isInteractive,
      logNumbers: written.numbers,
    });
    const app = await createApp(config, { log, isWholeProcess: true });
    made(app);
    options.report(app.diagnostics);
    const addresses = await app.start();
    // Before anything is printed: who waits for the words may send the signal at once.
    const end = untilStopped(app);
    const { numbers, created } = app;
    if (options.started) options.started({ addresses, numbers, ...(created ? { created } : {}) });
    else for (const line of welcome(config, app, addresses)) options.print(line);
    logRecognition(app, log);
    await end;
    return 0;
  } catch (error) {
    if (error instanceof ConfigurationError) options.report(error.diagnostics);
    else if (error instanceof StartError) options.reportError(error.message, error.hint);
    else if (error instanceof Error && 'code' in error && error.code === 'DATA_IN_USE')
      options.reportError(
        `the data cannot be opened: ${error.message}`,
        'stop it, or set data_directory in callweave.yaml',
      );
    else if (isStoreError(error))
      options.reportError(`the data cannot be opened: ${error.message}`, `it is in ${config.dataDirectory}`);
    else throw error;
    return error instanceof ConfigurationError && hasErrors(error.diagnostics) ? 2 : 1;
  }
}

/** Waits for a signal, and for the end that it begins. */
function untilStopped(app: App): Promise<void> {
  return new Promise((resolve, reject) => {
    let asked = 0;
    const onSignal = (): void => {
      asked += 1;
      if (asked === 1) app.stop(DRAIN_MS).then(end, reject);
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

const STORE_ERRORS = new Set(
  'DATA_IN_USE NOT_WRITTEN ERR_SQLITE_ERROR EACCES EIO ENOSPC ENOTDIR EPERM EROFS'.split(' '),
);

function isStoreError(error: unknown): error is Error {
  const { code, syscall } = error as NodeJS.ErrnoException;
  // This is the error when the parent directories cannot be made on a read-only file system.
  const cannotMake = code === 'ENOENT' && syscall === 'mkdir';
  return error instanceof Error && (cannotMake || STORE_ERRORS.has(String(code)));
}

function welcome(config: Config, app: App, { http, sip }: Addresses): string[] {
  const base = `http://${hostText(http.host)}:${http.port}`;
  // Where we listen on all addresses, one of this machine's own.
  const sipHost = config.sip.advertisedHost ?? (isWildcard(config.sip.host) ? '127.0.0.1' : (sip?.host ?? ''));
  const at = sip && `${hostText(sipHost)}:${sip.port}`;
  const lines = [`Callweave ${version()} is running; Ctrl-C stops it.`, ''];
  lines.push(`  API   ${base}`);
  const all = isWildcard(config.sip.host) ? ', on all addresses' : '';
  if (at) lines.push(`  SIP   ${at} (UDP${config.sip.tcp ? ' and TCP' : ''}${all})`);
  if (sip?.tlsPort !== undefined) lines.push(`        ${hostText(sipHost)}:${sip.tlsPort} (TLS)`);
  for (const { number, flow, webhook } of app.numbers.slice(0, MOST_NUMBERS)) {
    const leads =
      flow === undefined ? (webhook === undefined ? 'calls out only' : `webhook ${webhook}`) : `flow ${flow}`;
    lines.push(`  Call  ${at && flow !== undefined ? `sip:${number}@${at}` : number}   ${leads}`);
  }
  if (app.numbers.length > MOST_NUMBERS) lines.push(`        and ${app.numbers.length - MOST_NUMBERS} more numbers`);
  for (const { engine, missing } of app.recognition) {
    if (missing) lines.push('', `  Speech is not recognised by ${engine}: ${missing.message}`);
  }
  if (app.created) lines.push('', ...credentialLines(app.created));
  if (config.file === undefined) lines.push(...tryNext(config, app, base));
  return [...lines, ''];
}

/** Those who learn from a caller that something is missing learn it late. */
function logRecognition({ recognition }: App, log: Log): void {
  for (const { engine, languages, missing } of recognition) {
    if (missing) log.warn('recognition.missing', { engine, why: missing.message });
    else log.info('recognition.ready', { engine, languages: languages.join(', ') });
  }
}

const MOST_NUMBERS = 5;

/** What is new of a project's secrets. */
export const credentialLines = ({ appId, appKey, webhookSecret }: Secrets): string[] => [
  '  Credentials of the API, shown this once (only a hash of the key is kept):',
  `    app_id          ${appId}`,
  ...(appKey === undefined ? [] : [`    app_key         ${appKey}`]),
  ...(webhookSecret === undefined ? [] : [`    webhook secret  ${webhookSecret}`]),
];

type Secrets = { appId: string; appKey?: string; webhookSecret?: string };

function tryNext(config: Config, app: App, base: string): string[] {
  const from = app.numbers[0]?.number ?? '';
  const flow = app.numbers[0]?.flow ?? '';
  const user = app.created ? `${app.created.appId}:${app.created.appKey}` : 'APP_ID:APP_KEY';
  return [
    '',
    '  Try next:',
    `    npm run callweave -- call ${near(config.flowsDirectory)}/${flow}.flow.yaml`,
    '      talks to the flow in this terminal, without a phone',
    `    curl -u ${user} ${base}/voice/v1/call -H 'content-type: application/json' \\`,
    `      -d '{"from": "${from}", "to": "sip:me@127.0.0.1:5070", "flow": "${flow}"}'`,
    '      calls a SIP phone that listens on port 5070 of this machine',
    '    write your own configuration in callweave.yaml',
  ];
}

const near = (path: string): string => relative(process.cwd(), path) || '.';

const hostText = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** One line each, for logs. */
function reportLines(diagnostics: readonly Diagnostic[]): void {
  for (const { severity, code, message, file, line, column, hint } of diagnostics) {
    const advice = hint === undefined ? '' : ` (${hint})`;
    process.stderr.write(`${file}:${line}:${column} ${severity} ${code}: ${message}${advice}\n`);
  }
}

if (import.meta.main) {
  process.exitCode = await runService({
    isInteractive: process.stdout.isTTY === true,
    print: (line) => process.stdout.write(`${line}\n`),
    report: reportLines,
    reportError: (message, hint) => process.stderr.write(`${message}${hint === undefined ? '' : ` (${hint})`}\n`),
  });
}
