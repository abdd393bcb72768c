/**
 * `callweave call`: simulates a call in the terminal. Keyboard keys are phone keys, prompts are lines of text, and
 * called parties answer after a delay. The call runs in virtual time: at real speed for an interactive user, and as
 * fast as possible if the keys come from a file or a pipe.
 */
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { systemClock } from '../base/core/clock.ts';
import { formatDuration, parseDuration } from '../base/core/duration.ts';
import type { HttpReply, HttpRequest } from '../base/core/http-exchange.ts';
import type { JsonObject } from '../base/core/json.ts';
import type { SipHeaders } from '../base/core/sip-headers.ts';
import { createFlowHttpClient } from '../base/http/flow-http-client.ts';
import { createHttpClient } from '../base/http/http-client.ts';
import type { CompiledFlow } from '../language/flow/compiled-flow.ts';
import { mannerOf, pressDurationMs } from '../media/telephony/simulated/far-end.ts';
import { SimulatedCall } from '../proof/testkit/simulated-call.ts';
import { inputProblem } from '../service/calls/flow-files/flow-input.ts';
import { collectsSensitive } from '../service/runtime/mask.ts';
import { stepsByVerb } from '../verbs/steps.ts';
import { CallDisplay, type PrintLine } from './call-display.ts';
import { refuseDiagnostics } from './diagnostics.ts';
import { checkFile, libraryOf } from './flow-files.ts';
import { type GivenInput, readInput } from './flow-input-option.ts';
import { type Terminal, UsageError } from './terminal.ts';

const TICK_MS = 20;
const SPOKEN_MS = 2_000;
/** Ringing time of a called party, in ms. */
const RINGS_MS = 3_000;
/** Maximum duration after the last line of a script, in ms. */
const MAX_AFTERMATH_MS = 10 * 60_000;
const MAX_LINE_MS = 5 * 60_000;

export interface CallOptions {
  from: string;
  to: string;
  at?: string;
  input: GivenInput;
  /** SIP headers of the caller. */
  header: SipHeaders;
  json?: boolean;
}

export async function call(file: string, options: CallOptions, terminal: Terminal): Promise<void> {
  const { flow, diagnostics } = checkFile(file);
  if (flow === undefined) refuseDiagnostics(diagnostics, terminal);
  const script = terminal.isInteractive ? undefined : readScript(await text(terminal.input));
  const web = new PendingRequests();
  const library = libraryOf(dirname(file));
  const source = { steps: stepsByVerb, flow: (wanted: string | JsonObject) => library.find(wanted) };
  const print: PrintLine = (who, what) => {
    const line = `${terminal.style('dim', who.padEnd(6))}${what}`;
    if (options.json) terminal.printError(line);
    else terminal.print(line);
  };
  const display = new CallDisplay(print, collectsSensitive(flow, source));
  const simulated = await openStage(flow, options, { web, display, flows: source.flow });
  const stopShowing = display.attach(simulated);
  const session = { simulated, web, display };
  if (script === undefined) await runInteractively(session, terminal);
  else await runScript(session, script);
  stopShowing();
  await web.close();
  for (const crash of simulated.crashes) throw crash;
  if (options.json) terminal.printJson({ callId: simulated.run?.record.callId, entries: simulated.journal });
}

/** An active call with the requests of its flow and its display. */
interface Session {
  simulated: SimulatedCall;
  web: PendingRequests;
  display: CallDisplay;
}

async function openStage(
  flow: CompiledFlow,
  options: CallOptions,
  parts: Omit<Session, 'simulated'> & { flows: (name: string | JsonObject) => CompiledFlow | undefined },
): Promise<SimulatedCall> {
  const { web, display, flows } = parts;
  const startMs = options.at === undefined ? systemClock.now() : Date.parse(options.at);
  if (Number.isNaN(startMs))
    throw new UsageError(`${options.at} is not a date and time`, 'write it as 2026-03-02T09:30:00+01:00');
  const input = readInput(flow, options.input);
  const wrong = inputProblem(flow, input);
  if (wrong !== undefined) throw new UsageError(`${flow.name}: ${wrong}`);
  return SimulatedCall.open({
    flow,
    flows,
    startMs,
    seed: startMs % 2 ** 31,
    from: options.from,
    to: options.to,
    headers: options.header,
    input,
    http: (request, projectId, signal) => web.ask(request, projectId, signal),
    orders: { placed: (order) => display.showOrder(order) },
    parties: () => ({ does: 'answer', afterMs: RINGS_MS }),
    onDial: (party) => display.observeParty(party),
    onEntry: (entry) => display.onCommitted(entry),
  });
}

/** HTTP requests are real; virtual time waits for their responses. */
class PendingRequests {
  readonly #client = createHttpClient({ clock: systemClock });
  readonly #send = createFlowHttpClient({
    client: this.#client,
    sign: () => ({}),
    // No real payments: the number of a test card determines the result.
    paymentProviders: () => [{ name: 'simulated', adapter: 'simulated' }],
  });
  readonly #pending = new Set<Promise<HttpReply>>();

  ask(request: HttpRequest, projectId: string, signal: AbortSignal): Promise<HttpReply> {
    const reply = this.#send(simulatedPayment(request), projectId, signal).finally(() => this.#pending.delete(reply));
    this.#pending.add(reply);
    return reply;
  }

  async settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.race(this.#pending);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** Replaces the provider named by the flow. */
function simulatedPayment({ payment, ...request }: HttpRequest): HttpRequest {
  if (!payment) return request;
  const { order, card } = payment;
  return { ...request, payment: { order, card } };
}

type ScriptLine =
  | { does: 'press' | 'party_presses'; digits: string }
  | { does: 'say'; text: string }
  | { does: 'speak'; durationMs: number }
  | { does: 'silence' | 'hang_up' | 'party_hangs_up' };

/** Performs the action of a script line or key. Returns its duration in ms. */
function perform({ simulated, display }: Session, line: ScriptLine): number {
  const { farEnd } = simulated;
  switch (line.does) {
    case 'press':
      display.press(line.digits);
      return pressDurationMs(line.digits);
    case 'party_presses':
      display.partyPresses(line.digits);
      return pressDurationMs(line.digits);
    case 'say':
      display.say(line.text);
      return mannerOf(line.text).durationMs;
    case 'speak':
      display.show('speak', formatDuration(line.durationMs));
      farEnd.speak(line.durationMs);
      return line.durationMs;
    case 'hang_up':
      farEnd.hangUp();
      return 0;
    case 'party_hangs_up':
      for (const party of farEnd.company) party.hangUp();
      return 0;
    case 'silence':
      return 0;
  }
}

/** Interactive mode: keys take effect at once, and time runs at real speed. */
async function runInteractively(session: Session, terminal: Terminal): Promise<void> {
  const { simulated, display } = session;
  const { input } = terminal;
  terminal.printError(
    terminal.style(
      'dim',
      "0-9 * # press a key, t and a line says words, s speaks, o and a key lets the other side press it, p hangs up the other side's phone, h yours",
    ),
  );
  let words: string | undefined;
  let isForParty = false;
  const onKeys = (keys: Buffer): void => {
    for (const key of keys.toString('utf8')) {
      if (words !== undefined) words = typed(display, words, key);
      else if (key === 't') words = '';
      else if (key === 'o') isForParty = true;
      else if (/^[0-9*#A-D]$/.test(key)) {
        perform(session, { does: isForParty ? 'party_presses' : 'press', digits: key });
        isForParty = false;
      } else if (key === 's') perform(session, { does: 'speak', durationMs: SPOKEN_MS });
      else if (key === 'p') perform(session, { does: 'party_hangs_up' });
      // In raw mode, Ctrl-C and Ctrl-D arrive as characters.
      else if (key === 'h' || key === '\x03' || key === '\x04') perform(session, { does: 'hang_up' });
    }
  };
  input.setRawMode(true);
  input.on('data', onKeys);
  const offsetMs = simulated.clock.now() - systemClock.now();
  try {
    while (!simulated.hasEnded) {
      await new Promise<void>((resolve) => systemClock.after(TICK_MS, resolve));
      await simulated.clock.advanceTo(systemClock.now() + offsetMs);
      display.settleKeys();
    }
  } finally {
    input.off('data', onKeys);
    input.setRawMode(false);
    input.pause();
  }
}

/** Text being typed for speech, or undefined when it is finished. Enter speaks it; Escape and Ctrl-C cancel. */
function typed(display: CallDisplay, words: string, key: string): string | undefined {
  if (key === '\x1b' || key === '\x03') return undefined;
  if (key === '\x7f') return words.slice(0, -1);
  if (key !== '\r' && key !== '\n') return words + key;
  if (words.trim() !== '') display.say(words.trim());
  return undefined;
}

/**
 * Script mode: performs each line once the flow has finished its prompts and has reacted to the previous line. Does not
 * wait in real time.
 */
async function runScript(session: Session, script: readonly ScriptLine[]): Promise<void> {
  const { simulated, display } = session;
  for (const line of script) {
    await (line.does === 'party_presses' ? untilPartyListens(session) : untilQuiet(session));
    if (simulated.hasEnded) return;
    const reacted = (): number => reactionCount(simulated) + display.partySounds;
    const before = reacted();
    const durationMs = perform(session, line);
    if (durationMs > 0) await simulated.clock.advance(durationMs);
    if (line.does === 'press') display.settleKeys();
    if (line.does !== 'speak') await advanceUntil(session, MAX_LINE_MS, () => reacted() > before);
  }
  await advanceUntil(session, MAX_AFTERMATH_MS, () => false);
  if (!simulated.hasEnded) simulated.farEnd.hangUp();
  await simulated.runUntilEnd(MAX_AFTERMATH_MS);
}

/** Number of actions of the flow that a caller notices. */
const reactionCount = ({ farEnd, journal }: SimulatedCall): number =>
  farEnd.heard.length +
  farEnd.talks.length +
  journal.filter((entry) => entry.kind === 'command' && entry.command.type === 'record').length;

/** Waits until the flow has played its prompts and waits for input. */
const untilQuiet = (session: Session): Promise<void> =>
  advanceUntil(session, MAX_LINE_MS, () => {
    const { clock, farEnd } = session.simulated;
    const due = clock.nextDeadlineMs;
    return farEnd.state !== 'ringing' && !farEnd.hears && (due === undefined || due > clock.now());
  });

/** Waits until a called party has heard its prompt, such as the question of a `screen`. */
const untilPartyListens = (session: Session): Promise<void> =>
  advanceUntil(session, MAX_LINE_MS, () =>
    session.display.parties.some(({ heard, hears }) => heard.length > 0 && !hears),
  );

/** Advances from deadline to deadline until `isSo` returns true, the call has ended, or `limitMs` has passed. */
async function advanceUntil({ simulated, web }: Session, limitMs: number, isSo: () => boolean): Promise<void> {
  const untilMs = simulated.clock.now() + limitMs;
  for (;;) {
    await simulated.clock.settle();
    await web.settle();
    await simulated.clock.settle();
    if (simulated.hasEnded || isSo() || !(await simulated.clock.advanceToNext(untilMs))) return;
  }
}

function readScript(script: string): ScriptLine[] {
  const lines = script.split('\n').map((line) => line.trim());
  return lines.flatMap((line, index): ScriptLine[] => {
    if (line === '' || line.startsWith('//')) return [];
    if (/^[0-9*#A-D]+$/.test(line)) return [{ does: 'press', digits: line }];
    if (line === 'silence') return [{ does: 'silence' }];
    if (/^hang[ _]?up$/.test(line)) return [{ does: 'hang_up' }];
    if (/^party hangs? ?up$/.test(line)) return [{ does: 'party_hangs_up' }];
    const pressed = /^party press(?:es)? ([0-9*#A-D]+)$/.exec(line)?.[1];
    if (pressed !== undefined) return [{ does: 'party_presses', digits: pressed }];
    const words = /^say (.+)$/.exec(line)?.[1];
    if (words !== undefined) return [{ does: 'say', text: words }];
    const durationMs = parseDuration(/^speak (\S+)$/.exec(line)?.[1] ?? '');
    if (durationMs !== undefined) return [{ does: 'speak', durationMs }];
    throw new UsageError(
      `line ${index + 1} of the input: unknown action ${line}`,
      'digits, silence, say words, speak 3s, hang up, party presses 1, party hangs up',
    );
  });
}
