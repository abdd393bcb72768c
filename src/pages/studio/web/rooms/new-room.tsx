/** Form that makes a video room: name, mode, dial-in by phone, and an audience. */
import { useSignal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { Dialog } from '../shell/dialog.tsx';
import { sentence } from '../shell/refusal.ts';
import { ROOMS, STUDIO } from './room-links.ts';

interface NewRoomProps {
  close(): void;
  /** Called with the new room. */
  made(room: { room_id: string; name: string }): void;
}

const MODES = [
  ['group', t('Group: everyone sees and hears everyone')],
  ['lecture', t('Lecture: moderators speak, others by turn')],
] as const;
/** Viewers of a room with an audience. */
const AUDIENCE = 1000;

export function NewRoom({ close, made }: NewRoomProps) {
  const name = useSignal('');
  const mode = useSignal('group');
  const hasPhones = useSignal(false);
  const hasAudience = useSignal(false);
  const refused = useSignal<string | undefined>(undefined);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (name.value.trim() === '') return;
    try {
      const settings = { mode: mode.value, ...(hasAudience.value && { audiences: AUDIENCE }) };
      const json = { name: name.value.trim(), owner_ref: STUDIO, settings, sip: { enabled: hasPhones.value } };
      const { room } = await request<{ room: { room_id: string; name: string } }>(ROOMS, { method: 'POST', json });
      close();
      made(room);
    } catch (error) {
      refused.value = sentence((error as Error).message);
    }
  };
  return (
    <Dialog title={t('New video room')} close={close} class="new-room">
      <form onSubmit={submit}>
        <label>
          {t('Name')}
          <input
            value={name.value}
            autocomplete="off"
            placeholder={t('Weekly meeting')}
            onInput={({ currentTarget: { value } }) => {
              name.value = value;
            }}
          />
        </label>
        <label>
          {t('Mode')}
          <select value={mode.value} onChange={({ currentTarget: { value } }) => (mode.value = value)}>
            {MODES.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <Check of={hasPhones.value} change={(isOn) => (hasPhones.value = isOn)}>
          {t('People can dial in by phone, with a PIN')}
        </Check>
        <Check of={hasAudience.value} change={(isOn) => (hasAudience.value = isOn)}>
          {t('An audience can watch')}
        </Check>
        <p role="alert">{refused.value}</p>
        <button type="submit" class="button primary" disabled={name.value.trim() === ''}>
          {t('Create room')}
        </button>
      </form>
    </Dialog>
  );
}

const Check = ({ of, change, children }: { of: boolean; change(isOn: boolean): void; children: string }) => (
  <label class="check">
    <input type="checkbox" checked={of} onChange={({ currentTarget: { checked } }) => change(checked)} />
    {children}
  </label>
);
