/** Settings page for users: phones with their registration, and the settings to enter in them. */
import { useSignal } from '@preact/signals';
import { type PhoneAccount, PhoneSettings } from './phone-settings.tsx';
import { ResourcePage } from './resource-page.tsx';
import type { Resource } from './resources.ts';

export function UsersPage({ resource }: { resource: Resource }) {
  const account = useSignal<PhoneAccount | undefined>(undefined);
  return (
    <>
      <ResourcePage
        resource={resource}
        saved={(user, { password }) => {
          account.value = { user, password: typeof password === 'string' ? password : undefined };
        }}
      />
      {account.value !== undefined && (
        <PhoneSettings
          account={account.value}
          close={() => {
            account.value = undefined;
          }}
        />
      )}
    </>
  );
}
