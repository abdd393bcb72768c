/**
 * Follows a broadcast of a running service until its end. The broadcast runs in the service: the client can connect
 * late, leave early, and lose the connection in between.
 */
import type { Clock } from '../base/core/clock.ts';
import {
  type BroadcastStatus,
  formatSpan,
  measurePace,
  type PrintedLine,
  progressLines,
  recentSamples,
  type Sample,
  shouldPrint,
  statusLine,
} from './broadcast-progress.ts';
import { RequestRefused, ServiceUnreachable } from './service-client.ts';
import type { Terminal } from './terminal.ts';

export interface WatchedBroadcast {
  /** Status without the numbers. */
  status(): Promise<BroadcastStatus>;
  /** Action of the first interrupt. If absent, the first interrupt leaves; the second always does. */
  stop?(): Promise<unknown>;
}

export interface WatchParts {
  clock: Clock;
  terminal: Terminal;
  /** True if no progress is shown. */
  quiet: boolean;
}

/** `left`: interrupted by the user. `lost`: the service did not respond again in time. */
export type WatchResult = { outcome: 'over' | 'left'; status?: BroadcastStatus } | { outcome: 'lost'; error: Error };

/** Short, because small broadcasts end within a second. */
const FIRST_PAUSE_MS = 100;
const PAUSE_MS = 1000;
/** Long enough for a restart of the service. */
const MAX_SILENCE_MS = 5 * 60_000;

export async function watchBroadcast(watched: WatchedBroadcast, parts: WatchParts): Promise<WatchResult> {
  const { clock } = parts;
  const screen = progressDisplay(parts);
  const interrupts = interruptsOf(parts.terminal);
  let samples: Sample[] = [];
  let status: BroadcastStatus | undefined;
  let silentSinceMs: number | undefined;
  let isStopping = false;
  let pauseMs = FIRST_PAUSE_MS;
  try {
    for (;;) {
      let askedAfterMs = pauseMs;
      try {
        if (interrupts.count === 1 && watched.stop !== undefined && !isStopping) {
          screen.say('stopping: no further numbers are dialled; press Ctrl-C again to exit');
          await watched.stop();
          isStopping = true;
        }
        status = await watched.status();
        silentSinceMs = undefined;
        samples = [...recentSamples(samples, clock.now()), { atMs: clock.now(), totals: status.totals }];
        screen.show(status, samples);
        if (isOver(status)) return { outcome: 'over', status };
      } catch (error) {
        if (!isTemporary(error)) throw error;
        silentSinceMs ??= clock.now();
        const silentMs = clock.now() - silentSinceMs;
        if (silentMs >= MAX_SILENCE_MS) return { outcome: 'lost', error };
        screen.silence(error, silentMs);
        askedAfterMs = Math.max(PAUSE_MS, error instanceof RequestRefused ? (error.retryAfterMs ?? 0) : 0);
      }
      if (interrupts.leaves(watched.stop !== undefined)) return { outcome: 'left', status };
      await interrupts.pause(clock, askedAfterMs);
      if (interrupts.leaves(watched.stop !== undefined)) return { outcome: 'left', status };
      pauseMs = Math.min(PAUSE_MS, pauseMs * 2);
    }
  } finally {
    interrupts.end();
    screen.end();
  }
}

/** A stopped broadcast has ended only after its last call. */
const isOver = ({ state, ended }: BroadcastStatus): boolean =>
  state === 'completed' || state === 'failed' || (state === 'stopped' && ended !== undefined);

/** The service is restarting or overloaded, or the connection failed. */
const isTemporary = (error: unknown): error is RequestRefused | ServiceUnreachable =>
  error instanceof ServiceUnreachable ||
  (error instanceof RequestRefused && (error.status >= 500 || error.status === 429));

function interruptsOf(terminal: Terminal) {
  let count = 0;
  let wake: () => void = () => undefined;
  const end = terminal.onInterrupt(() => {
    count += 1;
    wake();
  });
  return {
    get count() {
      return count;
    },
    leaves: (mayStop: boolean): boolean => count >= (mayStop ? 2 : 1),
    /** An interrupt ends the pause. */
    pause: (clock: Clock, ms: number) =>
      new Promise<void>((resolve) => {
        const timer = clock.after(ms, resolve);
        wake = () => {
          timer.cancel();
          resolve();
        };
      }),
    end,
  };
}

interface ProgressDisplay {
  show(status: BroadcastStatus, samples: readonly Sample[]): void;
  silence(error: Error, silentMs: number): void;
  say(line: string): void;
  end(): void;
}

function progressDisplay({ terminal, clock, quiet }: WatchParts): ProgressDisplay {
  const nothing = (): void => undefined;
  if (quiet) return { show: nothing, silence: nothing, say: nothing, end: nothing };
  const paint = terminal.style.bind(terminal);
  if (terminal.isInteractive) {
    let lines: string[] = [];
    return {
      show(status, samples) {
        lines = progressLines(status, measurePace(samples), paint);
        terminal.draw(lines);
      },
      silence: (error, silentMs) =>
        terminal.draw([...lines.slice(0, 3), paint('yellow', `${error.message} (for ${formatSpan(silentMs)})`)]),
      say: (line) => terminal.draw([...lines.slice(0, 3), paint('yellow', line)]),
      end: () => terminal.draw([]),
    };
  }
  let before: PrintedLine | undefined;
  let isSilent = false;
  return {
    show(status, samples) {
      const { totals, state } = status;
      const now = { atMs: clock.now(), part: totals.disconnected / Math.max(1, totals.numbers), state };
      if (isSilent) terminal.print('the service is available again');
      isSilent = false;
      if (!shouldPrint(before, now)) return;
      before = now;
      terminal.print(statusLine(status, measurePace(samples)));
    },
    silence(error) {
      if (!isSilent) terminal.print(`${error.message}; waiting`);
      isSilent = true;
    },
    say: (line) => terminal.print(line),
    end: nothing,
  };
}
