/** Dialogs over the room: keys, devices, and the confirmation to end the session. */
import { Dialog } from '../../shared/web/dialog.tsx';
import { DeviceFields, DeviceProblems } from './device-fields.tsx';
import { say } from './meeting.ts';
import { closeDialog, dialog } from './screen-state.ts';
import { SHORTCUTS } from './shortcuts.ts';

export function RoomDialogs() {
  switch (dialog.value) {
    case 'keys':
      return (
        <Dialog title="Keys" close={closeDialog}>
          <dl class="keys-list">
            {Object.entries(SHORTCUTS).map(([key, text]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
          <p class="dialog-text">Shortcuts are off while you type. You can also use Tab.</p>
        </Dialog>
      );
    case 'devices':
      return (
        <Dialog title="Devices" close={closeDialog}>
          <div class="dialog-body">
            <DeviceFields />
            <DeviceProblems />
          </div>
        </Dialog>
      );
    case 'end':
      return (
        <Dialog title="End the session for all?" close={closeDialog}>
          <p class="dialog-text">All participants leave the room. Recordings stop.</p>
          <p class="dialog-buttons">
            <button type="button" class="button" data-first onClick={closeDialog}>
              Cancel
            </button>
            <button
              type="button"
              class="button danger"
              onClick={() => {
                closeDialog();
                say({ type: 'end' });
              }}
            >
              End for all
            </button>
          </p>
        </Dialog>
      );
    default:
      return null;
  }
}
