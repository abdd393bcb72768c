/** Conversation so far, in order. Mocked responses can be edited where they occur. */
import type { ReadonlySignal, Signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t, tNodes } from '../../../shared/web/words/translate.ts';
import type { TranscriptLine } from '../journal/conversation.ts';
import { clockOf } from '../journal/moment.ts';
import type { CallSession } from './call-session.ts';
import type { ComparedLine } from './compare.ts';
import { PartyAnswer, RequestAnswer } from './outside-answers.tsx';

interface ConversationProps {
  session: CallSession;
  /** Journal entry of the line being spoken. */
  speaking: ReadonlySignal<number | undefined>;
  selected: Signal<string | undefined>;
}

export function Conversation({ session, speaking, selected }: ConversationProps) {
  const box = useRef<HTMLOListElement>(null);
  const lines = session.compared.value;
  useLayoutEffect(() => {
    // After a change of the flow, scrolls to the first difference, otherwise to the end.
    const list = box.current;
    const different = list?.querySelector('.new, .gone');
    if (different) different.scrollIntoView({ block: 'nearest' });
    else list?.scrollTo({ top: list.scrollHeight });
  }, [lines]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls can be scrolled by keys
    <ol class="conversation" ref={box} aria-label={t('Conversation')} tabIndex={0} aria-busy={session.isBusy.value}>
      {lines.length === 0 && <li class="line note">{session.isBusy.value ? t('Calling…') : t('Nothing yet.')}</li>}
      {lines.map((compared) => (
        <OneLine
          key={`${compared.line.seq} ${compared.line.who} ${compared.change ?? ''}`}
          compared={compared}
          session={session}
          isSpoken={speaking.value === compared.line.seq}
          selected={selected}
        />
      ))}
    </ol>
  );
}

interface OneLineProps {
  compared: ComparedLine;
  session: CallSession;
  isSpoken: boolean;
  selected: Signal<string | undefined>;
}

function OneLine({ compared: { line, change }, session, isSpoken, selected }: OneLineProps) {
  const classes = ['line', line.who, change, isSpoken && 'spoken', line.who === 'flow' && line.leg && 'to-party'];
  return (
    <li class={classes.filter(Boolean).join(' ')}>
      {change && <span class="unseen">{change === 'new' ? t('New:') : t('No longer:')}</span>}
      <Said line={line} session={session} isGone={change === 'gone'} selected={selected} />
    </li>
  );
}

interface SaidProps {
  line: TranscriptLine;
  session: CallSession;
  isGone: boolean;
  selected: Signal<string | undefined>;
}

function Said({ line, session, isGone, selected }: SaidProps) {
  const time = <time>{clockOf(line.atMs)}</time>;
  switch (line.who) {
    case 'flow':
      return (
        <div class="bubble">
          {line.leg !== undefined && <small>{t('to {leg}:', { leg: line.leg })} </small>}
          {line.text}
          {line.cut && <small title={t('It was not heard to the end')}> …</small>}
          {time}
        </div>
      );
    case 'caller':
      return (
        <div class="bubble mine">
          <span class="unseen">{t('You:')} </span>
          {wordsOfCaller(line)}
        </div>
      );
    case 'step':
      return (
        <button
          type="button"
          class={`went${line.fault === undefined ? '' : ' bad'}`}
          onClick={() => {
            selected.value = line.step;
          }}
        >
          {time}
          <code>
            {line.step} <b>{line.outcome}</b>
          </code>
          {line.fault !== undefined && <span>{line.fault}</span>}
        </button>
      );
    case 'world':
      return (
        <div class="world-line">
          {time} <WordsOfWorld line={line} session={session} isGone={isGone} />
        </div>
      );
    default:
      return (
        <div class={`note${line.fault === undefined ? '' : ' bad'}`}>
          {time} {t('The call ended: {reason}', { reason: line.reason })}
          {line.fault !== undefined && `, ${line.fault}`}
        </div>
      );
  }
}

function wordsOfCaller(line: Extract<TranscriptLine, { who: 'caller' }>): string {
  switch (line.does) {
    case 'pressed':
      return line.digits;
    case 'spoke':
      return line.text === undefined
        ? t('(says something)')
        : line.understood
          ? `“${line.text}”`
          : t('“{text}” (not understood)', { text: line.text });
    case 'hung_up':
      return t('hangs up');
    case 'referred':
      return t('asks for {to}', { to: line.to ?? '' });
    default:
      return line.does === 'held' ? t('puts the call on hold') : t('takes the call back');
  }
}

interface WorldProps {
  line: Extract<TranscriptLine, { who: 'world' }>;
  session: CallSession;
  isGone: boolean;
}

function WordsOfWorld({ line: { outside, seq }, session, isGone }: WorldProps) {
  switch (outside.what) {
    case 'request': {
      const request = isGone ? undefined : requestAt(session, seq);
      return (
        <>
          <code>
            {outside.method} {outside.url}
          </code>
          {request && <RequestAnswer session={session} request={request} answer={outside.answer} />}
        </>
      );
    }
    case 'party': {
      const party = isGone ? undefined : session.now.value?.parties.find(({ leg }) => leg === outside.leg);
      return (
        <>
          {tNodes('calls {to}', { to: <code>{outside.to}</code> })}

          {party && <PartyAnswer session={session} party={party} phase={outside.phase} cause={outside.cause} />}
        </>
      );
    }
    case 'venue':
      return (
        <>
          {outside.venue} <b>{outside.name}</b>: {outside.events.map(({ event }) => event).join(', ')}
        </>
      );
    case 'command':
      return <>{t('the application asks: {name}', { name: outside.name ?? outside.command })}</>;
    default:
      return <>{t('event {event} is sent', { event: outside.event })}</>;
  }
}

/** The requests in the response have the order of their journal entries. */
function requestAt({ now }: CallSession, seq: number) {
  const journal = now.value?.journal ?? [];
  const id = journal.find((entry) => entry.seq === seq);
  return id?.kind === 'request' ? now.value?.requests.find(({ request_id }) => request_id === id.requestId) : undefined;
}
