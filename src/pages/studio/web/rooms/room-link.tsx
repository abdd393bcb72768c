/** Makes video rooms, and links into them. */
import { useSignal } from '@preact/signals';
import { addressAtService } from '../../../shared/web/service-root.ts';
import { request } from '../api.ts';
import { Copyable } from '../shell/copyable.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { sentence } from '../shell/refusal.ts';

const ROOMS = '/video/v2/rooms';
/** Owner of rooms and identity of participants that the studio makes. */
const STUDIO = 'studio';

interface NewRoomProps {
  close(): void;
  /** Called with the id of the new room. */
  made(room: string): void;
}

export function NewRoom({ close, made }: NewRoomProps) {
  const name = useSignal('');
  const refused = useSignal<string | undefined>(undefined);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (name.value.trim() === '') return;
    try {
      const json = { name: name.value.trim(), owner_ref: STUDIO };
      const { room } = await request<{ room: { room_id: string } }>(ROOMS, { method: 'POST', json });
      close();
      made(room.room_id);
    } catch (error) {
      refused.value = sentence((error as Error).message);
    }
  };
  return (
    <Dialog title="New video room" close={close} class="flow-question">
      <form onSubmit={submit}>
        <label>
          Name
          <input
            value={name.value}
            autocomplete="off"
            placeholder="Weekly meeting"
            onInput={({ currentTarget: { value } }) => {
              name.value = value;
            }}
          />
        </label>
        <p role="alert">{refused.value}</p>
        <button type="submit" class="button primary" disabled={name.value.trim() === ''}>
          Create room
        </button>
      </form>
    </Dialog>
  );
}

/** Link into a room, for one participant. */
export async function linkInto(room: string): Promise<string> {
  const json = { name: 'Host', role: 'moderator', user_ref: STUDIO };
  const path = `${ROOMS}/${encodeURIComponent(room)}/tokens`;
  const { token } = await request<{ token: string }>(path, { method: 'POST', json });
  return `${new URL(addressAtService(`/room/${encodeURIComponent(room)}`), location.href).href}#${token}`;
}

export const RoomLink = ({ link, close }: { link: string; close(): void }) => (
  <Dialog title="Link into the room" close={close} class="room-link">
    <div class="room-link-body">
      <p>Whoever has this link joins as a moderator. Each link is for one person.</p>
      <p class="room-link-text">
        <Copyable text={link} />
      </p>
      <a class="button primary" href={link} target="_blank" rel="noreferrer" data-first>
        Open the room
      </a>
    </div>
  </Dialog>
);
