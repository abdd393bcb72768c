/** Connection to the service: a bar while it does not answer, and a question in intervals until it does. */
import { useEffect } from 'preact/hooks';
import { tNodes } from '../../../shared/web/words/translate.ts';
import { isOffline, request } from '../api.ts';

const ASK_AGAIN_MS = 2000;

export function OfflineBar() {
  const isShown = isOffline.value;
  useEffect(() => {
    const setOffline = (): void => {
      isOffline.value = true;
    };
    addEventListener('offline', setOffline);
    return () => removeEventListener('offline', setOffline);
  }, []);
  useEffect(() => {
    if (!isShown) return undefined;
    // Any answer ends the bar, whatever it says.
    const timer = setInterval(() => void request('/studio/session').catch(() => undefined), ASK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isShown]);
  return (
    <div class="offline" role="status">
      {isShown && (
        <p>
          {tNodes(
            '<b>Not connected.</b> Your work is kept in this browser. The page connects again as soon as it can.',
            { b: (part) => <b>{part}</b> },
          )}
        </p>
      )}
    </div>
  );
}
