/** Dialogs over the room: keys, devices, and the confirmation to end the session. */
import { Dialog } from '../../shared/web/dialog.tsx';
import { t } from '../../shared/web/words/translate.ts';
import { DeviceFields, DeviceProblems } from './device-fields.tsx';
import { InviteForm } from './invite-form.tsx';
import { say } from './meeting.ts';
import { NetworkFigures } from './network-figures.tsx';
import { closeDialog, type DialogName, dialog } from './screen-state.ts';
import { HELD_KEYS, SHORTCUTS } from './shortcuts.ts';

export const RoomDialogs = () =>
  dialog.value === undefined ? null : <Shown key={dialog.value} which={dialog.value} />;

function Shown({ which }: { which: DialogName }) {
  const close = (): void => closeDialog(which);
  switch (which) {
    case 'keys':
      return (
        <Dialog title={t('Keys')} close={close}>
          <dl class="keys-list">
            {Object.entries({ ...SHORTCUTS, ...HELD_KEYS }).map(([key, text]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
          <p class="dialog-text">{t('Shortcuts are off while you type. You can also use Tab.')}</p>
        </Dialog>
      );
    case 'devices':
      return (
        <Dialog title={t('Devices')} close={close}>
          <div class="dialog-body">
            <DeviceFields />
            <DeviceProblems />
          </div>
        </Dialog>
      );
    case 'network':
      return (
        <Dialog title={t('Your connection')} close={close}>
          <NetworkFigures />
        </Dialog>
      );
    case 'invite':
      return (
        <Dialog title={t('Invite')} close={close} class="invite">
          <InviteForm />
        </Dialog>
      );
    case 'end':
      return (
        <Dialog title={t('End the session for all?')} close={close}>
          <p class="dialog-text">{t('All participants leave the room. Recordings stop.')}</p>
          <p class="dialog-buttons">
            <button type="button" class="button" data-first onClick={close}>
              {t('Cancel')}
            </button>
            <button
              type="button"
              class="button danger"
              onClick={() => {
                close();
                say({ type: 'end' });
              }}
            >
              {t('End for all')}
            </button>
          </p>
        </Dialog>
      );
  }
}
