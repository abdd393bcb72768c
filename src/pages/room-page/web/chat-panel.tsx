/** Messages of a session. Their content is not markup; web addresses become links, which open in a new page. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { pageLocale, t } from '../../shared/web/words/translate.ts';
import { partsOf } from './chat-links.ts';
import { Icon } from './icon.tsx';
import { say } from './meeting.ts';
import { type ChatLine, mayWrite, type SessionState } from './room-state.ts';
import { SidePanel } from './side-panel.tsx';

const MAX_LENGTH = 4000;

export function ChatPanel({ state }: { state: SessionState }) {
  return (
    <SidePanel title={t('Chat')}>
      <Lines state={state} />
      {mayWrite(state) ? <WriteForm state={state} /> : <p class="hint panel-foot">{t('Viewers read along.')}</p>}
    </SidePanel>
  );
}

function Lines({ state: { chat, selfId } }: { state: SessionState }) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const { current } = list;
    if (current) current.scrollTop = current.scrollHeight;
  }, [chat.length]);
  if (chat.length === 0) return <p class="panel-empty">{t('No messages yet.')}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard.
    <ol class="chat" ref={list} tabIndex={0} aria-label={t('Messages')}>
      {chat.map((line) => (
        <Line key={line.key} line={line} isOwn={line.from === selfId} />
      ))}
    </ol>
  );
}

const Line = ({ line: { name, text, atMs, isPrivate }, isOwn }: { line: ChatLine; isOwn: boolean }) => (
  <li class={isOwn ? 'own' : ''}>
    <p class="chat-head">
      <strong>{isOwn ? t('You') : name}</strong> <time>{timeOf(atMs)}</time> {isPrivate && <em>{t('private')}</em>}
    </p>
    <p class="chat-text">
      {partsOf(text).map(({ text: part, href }, index) =>
        href === undefined ? (
          part
        ) : (
          <a key={index} href={href} target="_blank" rel="noopener noreferrer nofollow">
            {part}
          </a>
        ),
      )}
    </p>
  </li>
);

const timeOf = (atMs: number): string =>
  new Date(atMs).toLocaleTimeString(pageLocale(), { hour: '2-digit', minute: '2-digit' });

function WriteForm({ state: { people, selfId } }: { state: SessionState }) {
  const text = useSignal('');
  const to = useSignal('');
  const others = [...people.values()].filter(({ id, phone }) => id !== selfId && !phone);
  const { length } = text.value;
  const isTooLong = length > MAX_LENGTH;
  const send = (): void => {
    const written = text.peek().trim();
    if (written === '' || written.length > MAX_LENGTH) return;
    say({ type: 'chat', text: written, ...(people.has(to.peek()) ? { to: to.peek() } : {}) });
    text.value = '';
  };
  return (
    <form
      class="write"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label class="write-to">
        <span>{t('To')}</span>
        <select
          value={people.has(to.value) ? to.value : ''}
          onChange={(event) => {
            to.value = event.currentTarget.value;
          }}
        >
          <option value="">{t('Everybody')}</option>
          {others.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <div class="write-line">
        <textarea
          data-first
          rows={2}
          aria-label={t('Message')}
          aria-invalid={isTooLong}
          aria-describedby="write-problem"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        <button type="submit" class="button primary" aria-label={t('Send')} disabled={isTooLong}>
          <Icon name="send" />
        </button>
      </div>
      <p id="write-problem" class="problem" role="alert">
        {isTooLong &&
          t('{length, plural, one {# character} other {# characters}}: at most {most, number}.', {
            length,
            most: MAX_LENGTH,
          })}
      </p>
    </form>
  );
}
