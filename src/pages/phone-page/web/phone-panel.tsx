/** Panel of the phone: state, time, keys, microphone, devices. The page and the studio show it. */
import './phone.css';
import { useEffect } from 'preact/hooks';
import { t } from '../../shared/web/words/translate.ts';
import { Icon } from './icon.tsx';
import type { Phone, PhoneState, TokenSource } from './phone.ts';
import { timeOf } from './words.ts';

interface PhonePanelProps {
  phone: Phone;
  /** Undefined if no call can be made (any more). */
  token: TokenSource | undefined;
  /**
   * True if digits of the keyboard are keys of the phone wherever the focus is, except in fields. Other keys go to the
   * page around the phone.
   */
  takesKeyboard?: boolean;
}

const STATES: Readonly<Record<PhoneState, string>> = {
  idle: t('Ready'),
  asking: t('Waiting for your microphone…'),
  calling: t('Calling…'),
  ringing: t('Ringing…'),
  talking: t('Connected'),
  over: t('Call ended'),
};

export function PhonePanel({ phone, token, takesKeyboard = false }: PhonePanelProps) {
  const { state, words, hasProblem, hasNoMicrophone, isBusy, party, seconds, isHeld } = phone;
  useEffect(() => (takesKeyboard ? listenToKeyboard(phone) : undefined), [takesKeyboard]);
  const isTalking = state.value === 'talking';
  return (
    <div class={`webphone ${state.value}`}>
      <p class="phone-state" role="status">
        <b>{isTalking && isHeld.value ? t('On hold') : STATES[state.value]}</b>
        {party.value !== undefined && <span>{party.value}</span>}
      </p>
      <p class="phone-time" role="timer" aria-label={t('Duration of the call')}>
        {timeOf(seconds.value)}
      </p>
      <p class={`phone-words${hasProblem.value ? ' problem' : ''}`} role={hasProblem.value ? 'alert' : 'status'}>
        {words.value}
      </p>
      <Level phone={phone} />
      <DialPad phone={phone} isOff={!isTalking} />
      <div class="phone-actions">
        {isBusy.value ? (
          <>
            <button
              type="button"
              class={`button phone-mute${phone.isMuted.value ? ' on' : ''}`}
              aria-pressed={phone.isMuted.value}
              onClick={() => phone.mute(!phone.isMuted.value)}
            >
              <Icon name={phone.isMuted.value ? 'microphoneOff' : 'microphone'} />{' '}
              {phone.isMuted.value ? t('Muted') : t('Mute')}
            </button>
            <button type="button" class="button phone-hang-up" onClick={() => phone.hangUp()}>
              <Icon name="hangUp" /> {t('Hang up')}
            </button>
          </>
        ) : (
          token !== undefined && (
            <>
              <button type="button" class="button phone-call" onClick={() => void phone.call(token)}>
                <Icon name="call" /> {state.value === 'over' ? t('Call again') : t('Call ## verb')}
              </button>
              {hasNoMicrophone.value && (
                <button type="button" class="button" onClick={() => void phone.call(token, { silently: true })}>
                  {t('Call without a microphone')}
                </button>
              )}
            </>
          )
        )}
      </div>
      <Devices phone={phone} />
    </div>
  );
}

function Level({ phone }: { phone: Phone }) {
  const percent = Math.round(phone.level.value * 100);
  return (
    <label class="phone-level">
      <span>{t('Microphone')}</span>
      <meter min={0} max={100} value={percent}>
        {percent} %
      </meter>
    </label>
  );
}

const KEYS = '123456789*0#';
const NAMES: Readonly<Record<string, string>> = { '*': t('star'), '#': t('hash') };

function DialPad({ phone, isOff }: { phone: Phone; isOff: boolean }) {
  return (
    <fieldset class="dial-pad" aria-label={t('Keys')}>
      <output class="dial-pressed" aria-label={t('Keys that were pressed')}>
        {phone.pressed.value}
      </output>
      {[...KEYS].map((key) => (
        <button
          key={key}
          type="button"
          class="button dial-key"
          aria-label={t('Key {key}', { key: NAMES[key] ?? key })}
          disabled={isOff}
          onClick={() => phone.press(key)}
        >
          {key}
        </button>
      ))}
    </fieldset>
  );
}

function Devices({ phone }: { phone: Phone }) {
  const { microphones, speakers } = phone.devices.value;
  const canChooseSpeaker = 'setSinkId' in HTMLMediaElement.prototype && speakers.length > 0;
  if (microphones.length === 0) return null;
  return (
    <details class="phone-devices">
      <summary>{t('Devices')}</summary>
      <Choice
        title={t('Microphone')}
        list={microphones}
        chosen={phone.microphoneId.value}
        choose={(id) => void phone.chooseMicrophone(id)}
      />
      {canChooseSpeaker && (
        <Choice
          title={t('Speaker')}
          list={speakers}
          chosen={phone.speakerId.value}
          choose={(id) => phone.chooseSpeaker(id)}
        />
      )}
    </details>
  );
}

interface ChoiceProps {
  title: string;
  list: readonly { id: string; label: string }[];
  chosen: string | undefined;
  choose(id: string): void;
}

const Choice = ({ title, list, chosen, choose }: ChoiceProps) => (
  <label>
    <span>{title}</span>
    <select value={chosen ?? list[0]?.id} onChange={(event) => choose(event.currentTarget.value)}>
      {list.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </select>
  </label>
);

/** The page around a frame gets no keys of it. */
function passToPageAround(event: KeyboardEvent): void {
  const frame = globalThis.frameElement;
  const around = frame?.ownerDocument.defaultView;
  if (frame === null || !around) return;
  if (!frame.dispatchEvent(new around.KeyboardEvent('keydown', event))) event.preventDefault();
}

function listenToKeyboard(phone: Phone): () => void {
  const pressed = (event: KeyboardEvent): void => {
    const isField = (event.target as Element).closest('input, select, textarea') !== null;
    if (isField || event.repeat) return;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (isPlain && KEYS.includes(event.key)) phone.press(event.key);
    else if (isPlain && event.key === 'm' && phone.isBusy.value) phone.mute(!phone.isMuted.value);
    else passToPageAround(event);
  };
  addEventListener('keydown', pressed);
  return () => removeEventListener('keydown', pressed);
}
