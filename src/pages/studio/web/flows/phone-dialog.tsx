/** Dialog that explains how to call a flow: the number, and softphones for users who have no SIP phone. */
import { useSignal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import { Icon } from '../icons.tsx';
import { CallOut } from '../live/call-out.tsx';
import { Copyable } from '../shell/copyable.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { addressOf } from '../shell/router.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { NumberDialog } from './number-dialog.tsx';
import { phoneAddress } from './phone-address.ts';

interface PhoneDialogProps {
  flow: string;
  numbers: readonly string[];
  /** True if the text differs from the saved version. */
  isChanged: boolean;
  close(): void;
}

export function PhoneDialog({ flow, numbers: listed, isChanged, close }: PhoneDialogProps) {
  const isGiving = useSignal(false);
  const given = useSignal<readonly string[]>([]);
  const numbers = [...listed, ...given.value];
  const addresses = numbers.map((number) => phoneAddress(number) ?? number);
  const first = addresses[0];
  if (isGiving.value) {
    const end = (): void => {
      isGiving.value = false;
    };
    return (
      <NumberDialog
        flow={flow}
        close={end}
        saved={(number) => {
          given.value = [...given.value, number];
        }}
      />
    );
  }
  return (
    <Dialog title={t('Call {flow} with a telephone', { flow })} close={close} class="phone-dialog">
      <WriteAccessOnly>
        <p>
          <a class="button primary" href={addressOf(`/flows/${encodeURIComponent(flow)}/live`, { call: 'yes' })}>
            <Icon name="calls" />{' '}
            {isChanged ? t('Call the saved version with your microphone') : t('Call with your microphone')}
          </a>
        </p>
        <p>
          {t('Speak to it from this browser, and see in the graph where the call is.')}
          {isChanged && ` ${t('The text has changes that are not saved: the call uses the saved version.')}`}
        </p>
      </WriteAccessOnly>
      <WriteAccessOnly>
        <h3>{t('Call a phone')}</h3>
        <CallOut flow={flow} placed={close} />
      </WriteAccessOnly>
      <h3>{t('With another telephone')}</h3>
      {first === undefined ? (
        <>
          <p>{t('No number leads to {flow} yet. The simulator (F9) needs none.', { flow })}</p>
          <WriteAccessOnly>
            <p>
              <button type="button" class="button" onClick={() => (isGiving.value = true)}>
                <Icon name="numbers" /> {t('Give it a number')}
              </button>
            </p>
          </WriteAccessOnly>
        </>
      ) : (
        <>
          <p>
            {t(
              'Call this address with any softphone on this network (Linphone, Zoiper, MicroSIP …). It needs no account.',
            )}
          </p>
          <ul>
            {addresses.map((address, index) => (
              <li key={address}>
                <Address address={address} isFirst={index === 0} />
              </li>
            ))}
          </ul>
          <h3>{t('No softphone?')}</h3>
          <p>{t('On the machine of the service, in the directory of Callweave:')}</p>
          <pre>
            sudo apt install baresip-core{'\n'}
            baresip -f examples/phone -e '/dial {first}'
          </pre>
          <p>{t('Digits press keys, b hangs up, q quits. Calls use the saved version.')}</p>
        </>
      )}
    </Dialog>
  );
}

const Address = ({ address, isFirst }: { address: string; isFirst: boolean }) => (
  <>
    <Copyable text={address} isFirst={isFirst} />
    {address.startsWith('sip:') && (
      <a class="button" href={address} title={t('Has an effect only if a softphone is installed on this computer')}>
        {t('Open in your softphone')}
      </a>
    )}
  </>
);
