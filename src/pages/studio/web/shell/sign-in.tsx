/** Sign-in form. It accepts the same credentials as the API. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import type { ServiceError } from '../api.ts';
import { signIn } from './session.ts';

export function SignIn({ reason }: { reason: string | undefined }) {
  const failed = useSignal<string | undefined>(undefined);
  /** The reason can come after the form. */
  const problem = failed.value ?? reason;
  const isBusy = useSignal(false);
  const first = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => first.current?.focus(), []);

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const name = String(fields.get('name') ?? '').trim();
    const secret = String(fields.get('secret') ?? '').trim();
    isBusy.value = true;
    try {
      await signIn(name === '' ? { token: secret } : { appId: name, appKey: secret });
    } catch (error) {
      const { status, message } = error as ServiceError;
      failed.value = status === 401 ? t('Wrong project or key') : message;
    }
    isBusy.value = false;
  };

  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <h1>
          <span class="mark" aria-hidden="true" /> Callweave
        </h1>
        <p>
          {t(
            'Open the link that the service printed when it started. It signs you in, once. Or sign in with the credentials of the API.',
          )}
        </p>
        {problem !== undefined && <p role="alert">{problem}</p>}
        <label>
          {t('Project ID')} <small>{t('leave empty for an administrator token')}</small>
          <input ref={first} name="name" autocomplete="username" spellcheck={false} />
        </label>
        <label>
          {t('Key or token')}
          <input name="secret" type="password" autocomplete="current-password" required />
        </label>
        <button type="submit" class="button primary" disabled={isBusy.value}>
          {t('Sign in')}
        </button>
      </form>
    </main>
  );
}
