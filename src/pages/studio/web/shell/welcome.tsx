/** Dialog for an administrator that has accepted an invitation, with the token for later. It is shown only once. */
import { Copyable } from './copyable.tsx';
import { Dialog } from './dialog.tsx';
import { forgetToken } from './session.ts';

export const Welcome = ({ name, token }: { name: string; token: string }) => (
  <Dialog title={`Welcome, ${name}`} close={forgetToken}>
    <div class="welcome">
      <p>You are signed in. This is your token for the next time: keep it in a password manager.</p>
      <p>
        <Copyable text={token} isFirst />
      </p>
      <p>
        <strong>It is shown only now.</strong> If you lose it, ask for a new invitation.
      </p>
    </div>
  </Dialog>
);
