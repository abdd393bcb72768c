/**
 * Simulator pane next to the graph: conversation, keypad and responses of external systems. Every button has a key.
 * `call-session.ts` runs the call; used by `simulate-screen.tsx` and the flow editor.
 */
import './simulator.css';
import type { Signal } from '@preact/signals';
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t, tNodes } from '../../../shared/web/words/translate.ts';
import type { Overlays } from '../graph/overlays.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { announce, tell } from '../shell/messages.tsx';
import { Pane } from '../shell/page.tsx';
import { leaveProposal } from '../tests/propose-test.ts';
import { CallFacts } from './call-facts.tsx';
import { CallSession } from './call-session.ts';
import { callValues, valuesOfCall } from './call-values.ts';
import { Conversation } from './conversation.tsx';
import { KeepTest } from './keep-test-dialog.tsx';
import { Keypad } from './keypad.tsx';
import { playTarget } from './play-from.ts';
import { ProposedWay, useProposal } from './proposed-way.tsx';
import type { SimulationData } from './simulation.ts';
import { canSpeak, isSpeechOn, SpeechOutput } from './speech-output.ts';

export interface SimulatorPaneProps {
  name: string;
  /** Current text, saved or not. */
  text: string;
  graph: FlowGraph;
  selected: Signal<string | undefined>;
  /** Output: overlays with the path of the call. */
  overlays: Signal<Overlays>;
  /** Number of the flow, if it has one. */
  number?: string;
}

const KEYPAD_KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'];
const GROUP = t('Simulator');

export function SimulatorPane({ name, text, graph, selected, overlays, number }: SimulatorPaneProps) {
  const session = useMemo(() => new CallSession(name, tell), [name]);
  const aloud = useMemo(() => new SpeechOutput(), [name]);
  /** True if the next key interrupts the last prompt. */
  const interrupts = useSignal(false);
  const keeping = useSignal(false);
  const sayField = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (number !== undefined) session.call.value = { ...session.call.value, to: number };
    return () => {
      session.close();
      aloud.stop();
      overlays.value = {};
      callValues.value = undefined;
    };
  }, [session]);
  useEffect(() => session.setText(text), [session, text]);
  useProposal(session, graph);
  useEffect(() => {
    const target = playTarget.value;
    playTarget.value = undefined;
    if (target !== undefined) void session.playFrom(target, graph);
  }, [session, playTarget.value]);
  useSignalEffect(() => {
    overlays.value = session.overlays.value;
    callValues.value = valuesOfCall(name, session.call.value, session.now.value);
  });
  useSignalEffect(() => {
    aloud.follow(session.lines.value, languageOf(session.now.value));
    announce(latestWords(session));
  });

  const press = (digits: string): void => {
    const atMs = interrupts.value ? middleOfLastPrompt(session) : aloud.atMs;
    interrupts.value = false;
    aloud.stop();
    void session.do({ do: 'press', digits, ...(atMs !== undefined && { atMs }) });
  };
  const actions = {
    silent: () => void session.do({ do: 'stay_silent' }),
    pass: () => void session.do({ do: 'let_pass', ms: 1000 }),
    hangUp: () => void session.do({ do: 'hang_up' }),
    back: () => void session.takeBack(),
    again: () => void session.startAgain(),
    resume: () => void session.do({ do: 'go_on' }),
    keep: () => {
      keeping.value = true;
    },
    interrupt: () => {
      interrupts.value = !interrupts.value;
    },
  };
  useCommands(
    () => [
      ...KEYPAD_KEYS.map((key) => ({
        title: t('Press {key}', { key }),
        keys: key,
        group: GROUP,
        run: () => press(key),
      })),
      { title: t('Say something'), keys: 's', group: GROUP, run: () => sayField.current?.focus() },
      { title: t('Stay silent until the timeout'), keys: 'Space', group: GROUP, run: orPressButton(actions.silent) },
      { title: t('Wait one second'), keys: 'ArrowRight', group: GROUP, run: actions.pass },
      { title: t('Press the next key during the prompt'), keys: 'p', group: GROUP, run: actions.interrupt },
      { title: t('Hang up'), keys: 'h', group: GROUP, run: actions.hangUp },
      { title: t('Undo last act'), keys: 'u', group: GROUP, run: actions.back },
      { title: t('Call again from the beginning'), keys: 'n', group: GROUP, run: actions.again },
      { title: t('Breakpoint on the selected step, or none'), keys: 'b', group: GROUP, run: toggleBreakpoint },
      { title: t('Continue from the breakpoint'), keys: 'c', group: GROUP, run: actions.resume },
      { title: t('Run to selected step'), keys: 'Shift+Enter', group: GROUP, run: playOn },
      { title: t('Save the call as a test'), keys: 't', group: GROUP, run: actions.keep },
    ],
    [session, graph],
  );

  function toggleBreakpoint(): void {
    if (selected.value === undefined) tell(t('Select a step first'));
    else void session.toggleBreakpoint(selected.value);
  }
  function playOn(): void {
    if (selected.value === undefined) tell(t('Select a step first'));
    else void session.playOnTo(selected.value, graph);
  }

  const now = session.now.value;
  const { from, to, acts } = session.call.value;
  return (
    <Pane label={t('Telephone')} class="phone">
      <header class="phone-head">
        <h2>{t('Simulator')}</h2>
        <span class="numbers">
          <bdi dir="ltr">
            {from} → {to}
          </bdi>
        </span>
        {canSpeak && (
          <label class="aloud">
            <input
              type="checkbox"
              checked={isSpeechOn.value}
              onChange={(event) => {
                isSpeechOn.value = event.currentTarget.checked;
              }}
            />
            {t('aloud')}
          </label>
        )}
      </header>
      <div class="phone-tools">
        <Tool title={t('Restart')} keys="n" run={actions.again} isOff={acts.length === 0} />
        <Tool title={t('Undo act')} keys="u" run={actions.back} isOff={acts.length === 0} />
        <Tool title={t('Run to here')} keys="Shift+Enter" run={playOn} isOff={selected.value === undefined} />
        <Tool title={t('Save as test')} keys="t" run={actions.keep} isOff={now === undefined} />
      </div>
      {session.problem.value !== undefined && (
        <p class="phone-note bad" role="alert">
          {t('The call is as it was: {problem}', { problem: session.problem.value })}
        </p>
      )}
      {session.differs.value && (
        <p class="phone-note" role="status">
          {t('The flow was changed. New lines are marked, removed lines are struck through.')}
        </p>
      )}
      <ProposedWay session={session} />
      <Conversation session={session} speaking={aloud.speaking} selected={selected} />
      {now?.stopped_at?.reason === 'breakpoint' && (
        <p class="phone-note stop">
          {tNodes('Stopped before {step}', { step: <b>{now.stopped_at.step}</b> })}

          <Tool title={t('Continue')} keys="c" run={actions.resume} />
        </p>
      )}
      {now?.state === 'ended' ? (
        <p class="phone-over">
          {t('Call ended')}
          <Tool title={t('Call again')} keys="n" run={actions.again} />
        </p>
      ) : (
        <Keypad
          keys={now?.waits_for?.keys}
          isOff={now === undefined}
          sayField={sayField}
          interrupts={interrupts}
          press={press}
          say={(words) => void session.do({ do: 'say', text: words })}
          silent={actions.silent}
          pass={actions.pass}
          hangUp={actions.hangUp}
        />
      )}
      <CallFacts session={session} />
      {keeping.value && now !== undefined && (
        <KeepTest
          name={name}
          session={session}
          close={(isKept) => {
            keeping.value = false;
            if (isKept && session.proposed.value !== undefined) leaveProposal(name);
          }}
        />
      )}
    </Pane>
  );
}

interface ToolProps {
  title: string;
  keys: string;
  run(): void;
  isOff?: boolean;
}

const Tool = ({ title, keys, run, isOff = false }: ToolProps) => (
  <button type="button" class="button" onClick={run} disabled={isOff}>
    {title} <Keys of={keys} />
  </button>
);

/** Space presses the focused button, as elsewhere. */
const orPressButton = (run: () => void) => (): void => {
  const focused = document.activeElement;
  if (focused instanceof HTMLButtonElement || focused instanceof HTMLInputElement) focused.click();
  else run();
};

/** A moment in the middle of the last prompt. */
function middleOfLastPrompt({ lines }: CallSession): number | undefined {
  const last = lines.value.findLast((line) => line.who === 'flow' && line.leg === undefined);
  return last?.who === 'flow' ? (last.atMs + (last.toMs ?? last.atMs)) / 2 : undefined;
}

function languageOf(now: SimulationData | undefined): string {
  for (const entry of now?.journal.toReversed() ?? []) {
    if (entry.kind !== 'command' || entry.command.type !== 'play') continue;
    const spoken = entry.command.audio.find((item) => item.type === 'speech');
    if (spoken?.type === 'speech') return spoken.language;
  }
  return 'en-US';
}

/** Text for screen readers after an act: the last prompt and the current step. */
function latestWords({ lines, now }: CallSession): string {
  const last = lines.value.findLast((line) => line.who === 'flow' || line.who === 'end');
  const words = last?.who === 'flow' ? last.text : last?.who === 'end' ? t('Call ended') : '';
  return now.value?.step === undefined ? words : t('{words}. Now in {step}', { words, step: now.value.step });
}
