/** The page of the phone: one call, by the token behind `#`. */
import './page.css';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { Phone } from './phone.ts';
import { PhonePanel } from './phone-panel.tsx';
import { timeOf } from './words.ts';

/** Browsers send what is behind `#` to nobody. */
const tokenInAddress = (): string | undefined => location.hash.slice(1) || undefined;

/** The studio shows it beside a flow. */
const isFramed = parent !== window;

/** Somebody has just asked for the call where the page is shown. */
const callsNow = (): boolean => isFramed && new URLSearchParams(location.search).get('call') === 'now';

export function App() {
  const phone = useMemo(() => new Phone(), []);
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
    // It makes one call: nobody should find it in the address afterwards.
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
      <h1>Phone</h1>
      <PhonePanel phone={phone} token={isUsed ? undefined : take} takesKeyboard />
      {isUsed && !isFramed && !phone.isBusy.value && (
        <p class="phone-hint">
          {phone.state.value === 'idle'
            ? 'This page makes a call with the link that you were given. The address has none: open the whole link.'
            : 'A link makes one call. Ask for a new one to call again.'}
        </p>
      )}
      {!isUsed && phone.state.value === 'idle' && (
        <p class="phone-hint">Your browser asks for the microphone when you call.</p>
      )}
    </main>
  );
}

function showInTitle({ state, seconds }: Phone): void {
  const titles = { idle: 'Phone', asking: 'Phone', calling: 'Calling…', ringing: 'Ringing…' } as const;
  const now = state.value;
  if (now === 'talking') document.title = 'In a call';
  else document.title = now === 'over' ? `Call ended ${timeOf(seconds.peek())}` : titles[now];
}
