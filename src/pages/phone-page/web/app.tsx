/** Page of the phone: one call, with the token after `#`. */
import './page.css';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { LanguageChoice } from '../../shared/web/words/language-choice.tsx';
import { t } from '../../shared/web/words/translate.ts';
import { Phone } from './phone.ts';
import { PhonePanel } from './phone-panel.tsx';
import { timeOf } from './words.ts';

/** Browsers do not send the part after `#` in requests. */
const tokenInAddress = (): string | undefined => location.hash.slice(1) || undefined;

/** True in the studio, which shows the page next to a flow. */
const isFramed = parent !== window;

/** True if the studio requests the call when the page is loaded. */
const callsNow = (): boolean => isFramed && new URLSearchParams(location.search).get('call') === 'now';

export function App() {
  const phone = useMemo(() => new Phone({ countsFromStart: isFramed }), []);
  const token = useSignal(tokenInAddress());
  useEffect(() => {
    const changed = (): void => {
      if (!phone.isBusy.peek()) token.value = tokenInAddress();
    };
    const leaving = (): void => phone.hangUp();
    addEventListener('hashchange', changed);
    addEventListener('pagehide', leaving);
    return () => {
      removeEventListener('hashchange', changed);
      removeEventListener('pagehide', leaving);
    };
  }, []);
  useEffect(() => phone.state.subscribe(() => showInTitle(phone)), []);
  useEffect(
    () => (isFramed ? phone.reported.subscribe((now) => parent.postMessage(now, location.origin)) : undefined),
    [],
  );
  const take = (): string => {
    const taken = token.value!;
    // The token is for one call, so that it is removed from the address.
    token.value = undefined;
    history.replaceState(null, '', location.pathname);
    return taken;
  };
  useEffect(() => {
    if (callsNow() && token.value !== undefined) void phone.call(take);
  }, []);
  const isUsed = token.value === undefined;
  return (
    <main class={`phone-page${isFramed ? ' framed' : ''}`}>
      <h1>{t('Phone')}</h1>
      <PhonePanel phone={phone} token={isUsed ? undefined : take} takesKeyboard />
      {isUsed && !isFramed && !phone.isBusy.value && (
        <p class="phone-hint">
          {phone.state.value === 'idle'
            ? t('This page makes a call with the link that you were given. The address has none: open the whole link.')
            : t('A link makes one call. Ask for a new one to call again.')}
        </p>
      )}
      {!isUsed && phone.state.value === 'idle' && (
        <p class="phone-hint">{t('Your browser asks for the microphone when you call.')}</p>
      )}
      {!isFramed && !phone.isBusy.value && <LanguageChoice class="language-choice" />}
    </main>
  );
}

function showInTitle({ state, seconds }: Phone): void {
  const titles = { idle: t('Phone'), asking: t('Phone'), calling: t('Calling…'), ringing: t('Ringing…') } as const;
  const now = state.value;
  if (now === 'talking') document.title = t('In a call');
  else document.title = now === 'over' ? t('Call ended {time}', { time: timeOf(seconds.peek()) }) : titles[now];
}
