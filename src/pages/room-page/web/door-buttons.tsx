/** Buttons with which a moderator admits or denies a participant in the lobby. */
import { say } from './meeting.ts';

export const DoorButtons = ({ id, name }: { id: string; name: string }) => (
  <>
    <button
      type="button"
      class="button"
      aria-label={`Deny ${name}`}
      onClick={() => say({ type: 'deny', participant: id })}
    >
      Deny
    </button>
    <button
      type="button"
      class="button primary"
      aria-label={`Admit ${name}`}
      onClick={() => say({ type: 'admit', participant: id })}
    >
      Admit
    </button>
  </>
);
