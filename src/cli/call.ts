/**
 * `callweave call`: the terminal is the telephone. Keys of the keyboard are keys of the phone, prompts are lines of text,
 * and whoever the flow calls answers after a while. The call runs on a stage, in virtual time: at the speed of real time when somebody types, and as fast as it can when
 * the keys come from a file or a pipe.
 */
import { dirname } from 'node:path';
import { Agent } from 'undici';
import { wrongInput } from '../calls/flow-input.ts';
import { createHttpDoor } from '../calls/http-door.ts';
import { systemClock } from '../core/clock.ts';
import { formatDuration, parseDuration } from '../core/duration.ts';
import type { JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/types.ts';
import type { HttpReply, HttpRequest } from '../steps/step.ts';
import { type FarEnd, type Heard, mannerOf, type Notice, pressDurationMs } from '../telephony/simulated/far-end.ts';
import { Stage } from '../testkit/stage.ts';
import { complainDiagnostics } from './diagnostics.ts';
import { checkFile, libraryOf } from './flow-files.ts';
import { tellAudio } from './line-story.ts';
import { type Terminal, UsageError } from './terminal.ts';

const TICK_MS = 20;
const SPOKEN_MS = 2_000;
/** How long a party rings that the flow calls. */
const RINGS_MS = 3_000;
/** A scripted call whose caller has nothing more to do may go on so long. */
const LONGEST_AFTERMATH_MS = 10 * 60_000;
const LONGEST_LINE_MS = 5 * 60_000;

export interface CallOptions {
  from: string;
  to: string;
  at?: string;
  input: JsonObject;
  json?: boolean;
}

export async function call(file: string, options: CallOptions, terminal: Terminal): Promise<void> {
  const { flow, diagnostics } = checkFile(file);
  if (flow === undefined) {
    complainDiagnostics(diagnostics, terminal);
    return terminal.fail(1);
  }
  const script = terminal.isInteractive ? undefined : readScript(await readAll(terminal.input));
  const web = new Web();
  const show: Show = (who, what) => {
    const line = `${terminal.style('dim', who.padEnd(6))}${what}`;
    if (options.json) terminal.complain(line);
    else terminal.print(line);
  };
  const stage = await openStage(file, flow, options, web, show);
  const stopTelling = tellConversation(stage, show);
  if (script === undefined) await converse(stage, terminal, show);
  else await perform(stage, script, web, show);
  stopTelling();
  await web.close();
  for (const crash of stage.crashes) throw crash;
  if (options.json) terminal.printJson({ callId: stage.run?.record.callId, entries: stage.journal });
}

async function openStage(file: string, flow: CompiledFlow, options: CallOptions, web: Web, show: Show): Promise<Stage> {
  const library = libraryOf(dirname(file));
  const startMs = options.at === undefined ? systemClock.now() : Date.parse(options.at);
  if (Number.isNaN(startMs))
    throw new UsageError(`${options.at} is no moment`, 'write it as 2026-03-02T09:30:00+01:00');
  const wrong = wrongInput(flow, options.input);
  if (wrong !== undefined) throw new UsageError(`${flow.name}: ${wrong}`);
  return Stage.open({
    flow,
    flows: (wanted) => library.find(wanted),
    startMs,
    seed: startMs % 2 ** 31,
    from: options.from,
    to: options.to,
    input: options.input,
    http: (request, projectId, signal) => web.ask(request, projectId, signal),
    parties: () => ({ does: 'answer', afterMs: RINGS_MS }),
    dialled: (party) => tellParty(party, show),
  });
}

/** Requests are real. They take real time, for which virtual time has to wait. */
class Web {
  readonly #agent = new Agent();
  readonly #door = createHttpDoor({
    clock: systemClock,
    dispatcher: this.#agent,
    refusalOf: () => undefined,
    sign: () => ({}),
  });
  readonly #pending = new Set<Promise<HttpReply>>();

  ask(request: HttpRequest, projectId: string, signal: AbortSignal): Promise<HttpReply> {
    const reply = this.#door(request, projectId, signal).finally(() => this.#pending.delete(reply));
    this.#pending.add(reply);
    return reply;
  }

  async settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.race(this.#pending);
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}

type Show = (who: 'call' | 'hear' | 'press' | 'speak' | 'say' | 'party', what: string) => void;

function tellConversation(stage: Stage, show: Show): () => void {
  const isNew = newSounds();
  return stage.farEnd.observe((notice: Notice) => {
    switch (notice.type) {
      case 'answered':
        return show('call', 'answered');
      case 'hears':
        return isNew(notice.heard) ? show('hear', tellAudio(notice.heard.item)) : undefined;
      case 'recorded':
        return show('call', 'recording');
      case 'listened_to':
        return show('call', 'listening');
      case 'digit':
        return show('hear', `the key ${notice.digit}`);
      case 'held':
        return show('call', notice.held ? 'on hold' : 'taken back');
      case 'company':
        return show('call', notice.hears.length === 0 ? 'alone' : `talking with ${namesOf(notice.hears)}`);
      case 'referred':
        return show('call', `the flow asks your phone to call ${notice.to}`);
      case 'ended': {
        const who = { far: 'you hung up', near: 'the flow hung up', network: 'the line broke' }[notice.by];
        return show('call', `${who} (${notice.cause.code} ${notice.cause.reason})`);
      }
      default:
        return undefined;
    }
  });
}

/** Music is told once, not note by note. */
function newSounds(): (heard: Heard) => boolean {
  let last = '';
  return ({ playId, item }) => {
    const sound = `${playId} ${item.name}`;
    const isNew = item.name === undefined || (item.type !== 'tone' && item.type !== 'silence') || sound !== last;
    last = sound;
    return isNew;
  };
}

/** Somebody whom the flow calls. */
function tellParty(party: FarEnd, show: Show): void {
  const isNew = newSounds();
  party.observe((notice) => {
    if (notice.type === 'ringing') show('party', `${party.to} rings`);
    if (notice.type === 'answered') show('party', `${party.to} answers`);
    if (notice.type === 'hears' && isNew(notice.heard)) {
      show('party', `${party.to} hears ${tellAudio(notice.heard.item)}`);
    }
    if (notice.type === 'ended') show('party', `${party.to} is gone (${notice.cause.code} ${notice.cause.reason})`);
  });
}

const namesOf = (farEnds: readonly FarEnd[]): string => farEnds.map(({ to }) => to).join(', ');

/** Whoever the caller talks with puts the phone down. */
function partyHangsUp({ farEnd }: Stage): void {
  for (const party of farEnd.company) party.hangUp();
}

/** At the keyboard: every key at once, time as it passes. */
async function converse(stage: Stage, terminal: Terminal, show: Show): Promise<void> {
  const { input } = terminal;
  terminal.complain(
    terminal.style(
      'dim',
      "0-9 * # press a key, t and a line says words, s speaks, p hangs up the other side's phone, h yours",
    ),
  );
  let words: string | undefined;
  const onKeys = (keys: Buffer): void => {
    for (const key of keys.toString('utf8')) {
      if (words !== undefined) words = typed(stage, words, key, show);
      else if (key === 't') words = '';
      else if (/^[0-9*#A-D]$/.test(key)) {
        show('press', terminal.style('bold', key));
        stage.farEnd.press(key);
      } else if (key === 's') {
        show('speak', formatDuration(SPOKEN_MS));
        stage.farEnd.speak(SPOKEN_MS);
      } else if (key === 'p') partyHangsUp(stage);
      // Ctrl-C and Ctrl-D come as characters while the terminal is raw.
      else if (key === 'h' || key === '\x03' || key === '\x04') stage.farEnd.hangUp();
    }
  };
  input.setRawMode(true);
  input.on('data', onKeys);
  const offsetMs = stage.clock.now() - systemClock.now();
  try {
    while (!stage.isOver) {
      await new Promise<void>((resolve) => systemClock.after(TICK_MS, resolve));
      await stage.clock.advanceTo(systemClock.now() + offsetMs);
    }
  } finally {
    input.off('data', onKeys);
    input.setRawMode(false);
    input.pause();
  }
}

/** What is being typed to be said, or undefined once it was. Enter says it, Escape and Ctrl-C do not. */
function typed(stage: Stage, words: string, key: string, show: Show): string | undefined {
  if (key === '\x1b' || key === '\x03') return undefined;
  if (key === '\x7f') return words.slice(0, -1);
  if (key !== '\r' && key !== '\n') return words + key;
  if (words.trim() !== '') {
    show('say', words.trim());
    stage.farEnd.say(words.trim());
  }
  return undefined;
}

type Line =
  | { does: 'press'; digits: string }
  | { does: 'say'; text: string }
  | { does: 'speak'; durationMs: number }
  | { does: 'silence' | 'hang_up' | 'party_hangs_up' };

/** From a pipe: each line when the flow has finished speaking, the next when it has reacted; nobody waits in between. */
async function perform(stage: Stage, script: readonly Line[], web: Web, show: Show): Promise<void> {
  for (const line of script) {
    await untilQuiet(stage, web);
    if (stage.isOver) return;
    const before = reactions(stage);
    if (line.does === 'press') {
      show('press', line.digits);
      stage.farEnd.press(line.digits);
      await stage.clock.advance(pressDurationMs(line.digits));
    } else if (line.does === 'say') {
      show('say', line.text);
      stage.farEnd.say(line.text);
      await stage.clock.advance(mannerOf(line.text).durationMs);
    } else if (line.does === 'speak') {
      show('speak', formatDuration(line.durationMs));
      stage.farEnd.speak(line.durationMs);
      await stage.clock.advance(line.durationMs);
    } else if (line.does === 'hang_up') stage.farEnd.hangUp();
    else if (line.does === 'party_hangs_up') partyHangsUp(stage);
    if (line.does !== 'speak') await until(stage, web, LONGEST_LINE_MS, () => reactions(stage) > before);
  }
  await until(stage, web, LONGEST_AFTERMATH_MS, () => false);
  if (!stage.isOver) stage.farEnd.hangUp();
  await stage.play(LONGEST_AFTERMATH_MS);
}

/** How often the flow did something that a caller notices. */
const reactions = ({ farEnd, journal }: Stage): number =>
  farEnd.heard.length +
  farEnd.talks.length +
  journal.filter((entry) => entry.kind === 'command' && entry.command.type === 'record').length;

/** Until the flow has said what it has to say, and waits. */
function untilQuiet(stage: Stage, web: Web): Promise<void> {
  return until(stage, web, LONGEST_LINE_MS, () => {
    const due = stage.clock.nextDeadlineMs;
    return stage.farEnd.state !== 'ringing' && !stage.farEnd.hears && (due === undefined || due > stage.clock.now());
  });
}

/** Moves on from deadline to deadline until this is so, the call is over, or this much time has passed. */
async function until(stage: Stage, web: Web, limitMs: number, isSo: () => boolean): Promise<void> {
  const untilMs = stage.clock.now() + limitMs;
  for (;;) {
    await stage.clock.settle();
    await web.settle();
    await stage.clock.settle();
    if (stage.isOver || isSo() || !(await stage.clock.advanceToNext(untilMs))) return;
  }
}

function readScript(text: string): Line[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.flatMap((line, index): Line[] => {
    if (line === '' || line.startsWith('//')) return [];
    if (/^[0-9*#A-D]+$/.test(line)) return [{ does: 'press', digits: line }];
    if (line === 'silence') return [{ does: 'silence' }];
    if (/^hang[ _]?up$/.test(line)) return [{ does: 'hang_up' }];
    if (/^party hangs? ?up$/.test(line)) return [{ does: 'party_hangs_up' }];
    const text = /^say (.+)$/.exec(line)?.[1];
    if (text !== undefined) return [{ does: 'say', text }];
    const durationMs = parseDuration(/^speak (\S+)$/.exec(line)?.[1] ?? '');
    if (durationMs !== undefined) return [{ does: 'speak', durationMs }];
    throw new UsageError(
      `line ${index + 1} of the input: ${line} means nothing`,
      'digits, silence, say words, speak 3s, hang up, party hangs up',
    );
  });
}

async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}
